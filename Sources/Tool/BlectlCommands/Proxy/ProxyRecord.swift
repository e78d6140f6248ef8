// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BluetoothProxy
internal import JSON
internal import TerminalOutput
internal import ValueStreams

/// An event of a proxy, as JSON or as a line.
struct ProxyRecord: Record {
  private let event: ProxyEvent
  /// The name of the proxy.
  private let proxy: String
  private let time: Timestamp

  init(_ event: ProxyEvent, of proxy: String, time: Timestamp = .now) {
    (self.event, self.proxy, self.time) = (event, proxy, time)
  }

  private struct Parts {
    var event: String
    var client: ProxyClient
    var address: BluetoothAddress?
    var state: String?
    var mtu: Int?
    var dropped: Int?
    var reason: String?
  }

  private var parts: Parts {
    switch event {
    case .joined(let client): Parts(event: "client", client: client, state: "joined")
    case .left(let client, let reason, let dropped):
      Parts(
        event: "client", client: client, state: "left", dropped: dropped == 0 ? nil : dropped, reason: reason)
    case .clientRefused(let client, let reason): Parts(event: "refused", client: client, reason: reason)
    case .connected(let address, let client, let mtu):
      Parts(event: "connected", client: client, address: address, mtu: mtu)
    case .disconnected(let address, let client, let reason):
      Parts(event: "disconnected", client: client, address: address, reason: reason)
    case .connectionRefused(let address, let client, let reason):
      Parts(event: "refused", client: client, address: address, reason: reason)
    }
  }

  func write(to json: inout JSONWriter) {
    let parts = parts
    json.field("event", parts.event)
    json.field("time", time.utc)
    json.field("proxy", proxy)
    json.field("address", parts.address)
    json.field("state", parts.state)
    json.field("client", parts.client.name)
    json.field("host", parts.client.host)
    json.field("mtu", parts.mtu)
    json.field("dropped", parts.dropped)
    json.field("reason", parts.reason)
  }

  /// The record in logs.
  var logged: LoggedRecord { LoggedRecord(self, about: parts.address.map { .device($0) } ?? .everything) }

  /// The line, with its end.
  func line(in console: Console) -> [UInt8] {
    let parts = parts
    let client = parts.client.name ?? ""
    guard console.output.isTerminal else {
      let fields = [
        time.utc, proxy, parts.event, parts.state ?? "", parts.address.map { "\($0)" } ?? "", client,
        parts.client.host ?? "", parts.reason ?? "",
      ]
      return Array((TabSeparated.line(fields) + "\n").utf8)
    }
    let who = [client.isEmpty ? nil : client, parts.client.host.map { client.isEmpty ? $0 : "(\($0))" }]
      .compactMap(\.self).joined(separator: " ")
    let what = [parts.address.map { "\($0)" }, parts.state ?? parts.event].compactMap(\.self).joined(
      separator: " ")
    let reason = parts.reason.map { ": \($0)" } ?? ""
    let dropped = parts.dropped.map { "; it did not read \($0) advertisements" } ?? ""
    let text = TerminalSafe.escaped("\(proxy): \(who.isEmpty ? "a client" : who): \(what)\(reason)\(dropped)")
    return Array("\(time.local) \(text)\n".utf8)
  }
}
