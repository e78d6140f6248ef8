// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BluetoothProxy
internal import TestSupport
internal import Testing
internal import ValueStreams

@testable internal import BlectlCommands

@Suite("Records of the proxy")
struct ProxyRecordTests {
  private static let client = ProxyClient(host: "192.168.1.5", name: "Home\u{1b}[31m\tAssistant\n")

  private func line(_ event: ProxyEvent, isTerminal: Bool = false) -> String {
    let record = ProxyRecord(event, of: "attic-pi")
    return String(
      decoding: record.line(in: CapturedConsole().console(isTerminal: isTerminal)), as: UTF8.self)
  }

  private func json(_ event: ProxyEvent) throws -> JSONRecord {
    let line = ProxyRecord(event, of: "attic-pi").logged.line
    return try #require(try JSONRecord.parse([String(decoding: line, as: UTF8.self)]).first)
  }

  @Test("A record has what is known, and nothing else")
  func keys() throws {
    let address = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5"))
    let joined = try json(.joined(Self.client))
    #expect(joined["event"]?.text == "client" && joined["state"]?.text == "joined")
    #expect(joined["client"]?.text == Self.client.name)
    #expect(joined.keys == ["event", "time", "proxy", "state", "client", "host"])
    let left = try json(.left(ProxyClient(name: "x"), reason: "it does not read", dropped: 7))
    #expect(left["dropped"]?.number == 7)
    #expect(left.keys == ["event", "time", "proxy", "state", "client", "dropped", "reason"])
    let connected = try json(.connected(address, by: Self.client, mtu: 247))
    #expect(connected["event"]?.text == "connected" && connected["mtu"]?.number == 247)
    #expect(connected["address"]?.text == "F0:F1:F2:F3:F4:F5")
    let refused = try json(.clientRefused(ProxyClient(host: "::1"), reason: "it did not greet"))
    #expect(refused.keys == ["event", "time", "proxy", "host", "reason"])
    #expect(try json(.connectionRefused(address, by: Self.client, reason: "x"))["event"]?.text == "refused")
    #expect(try json(.disconnected(address, by: Self.client, reason: "x"))["event"]?.text == "disconnected")
  }

  @Test("What a client calls itself does not harm a terminal, or a line", arguments: [true, false])
  func escaping(isTerminal: Bool) {
    let line = line(.joined(Self.client), isTerminal: isTerminal)
    #expect(line.contains("joined") && line.contains("192.168.1.5"))
    #expect(!line.contains("\u{1b}"))
    #expect(line.split(separator: "\n").count == 1)
    #expect(isTerminal || line.count { $0 == "\t" } == 7)
  }
}
