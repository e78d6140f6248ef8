// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput
internal import ValueStreams

/// The amount of data that a link has carried in some time, and its speed.
package struct BenchResult: Sendable, Record {
  /// The kind of measurement, with JSON values that scripts may rely on.
  package enum Kind: String, Sendable {
    case notifications
    case reads
    case writes
    case writesWithoutResponse = "writes_without_response"
    case roundTrips = "round_trips"
  }

  package let kind: Kind
  package let address: BluetoothAddress
  package let characteristic: BluetoothUUID
  /// The signal strength of the last advertisement before the link, in dBm.
  package let rssi: Int?
  package let mtu: Int?
  package var elapsed = Duration.zero
  package var count = 0
  /// The bytes of the values, in one direction.
  package var bytes = 0
  /// The times until answers, or between notifications; nil without any.
  package var latency: LatencySummary?
  /// The values that are missing, as their counters show; nil if they do not count.
  package var missing: Int?
  /// The number of writes without response that were lost with the link or are uncertain.
  package var uncertain = 0

  package init(
    _ kind: Kind, of characteristic: BluetoothUUID, over link: DeviceConnection, mtu: Int?
  ) {
    (self.kind, self.characteristic, self.mtu) = (kind, characteristic, mtu)
    (address, rssi) = (link.info.lastingAddress, link.signal)
  }

  private var seconds: Double { max(elapsed / .seconds(1), 0.000_001) }
  package var perSecond: Double { Double(count) / seconds }
  package var bytesPerSecond: Double { Double(bytes) / seconds }

  package func write(to json: inout JSONWriter) {
    json.event("bench", at: Timestamp.now)
    json.field("address", address)
    json.field("characteristic", characteristic)
    json.field("kind", kind.rawValue)
    json.field("seconds", (elapsed / .milliseconds(1)).rounded() / 1000)
    json.field("count", count)
    json.field("bytes", bytes)
    json.field("per_second", (perSecond * 10).rounded() / 10)
    json.field("bytes_per_second", bytesPerSecond.rounded())
    if let latency {
      json.object(kind == .notifications ? "interval_ms" : "latency_ms") { latency.write(to: &$0) }
    }
    json.field("missing", missing)
    json.field("uncertain", uncertain == 0 ? nil : uncertain)
    json.field("mtu", mtu)
    json.field("rssi", rssi)
  }
}

extension BenchResult {
  /// The result for people and pipes, a line each.
  package var rows: [(name: String, value: String)] {
    let title = Vocabulary.known.title(ofCharacteristic: characteristic)
    var rows = [
      ("measured", "\(kind.rawValue.map { $0 == "_" ? " " : String($0) }.joined()) of \(title)"),
      ("values", "\(count) in \(Self.text(elapsed / .seconds(1))) s, \(Self.text(perSecond))/s"),
      ("bytes", "\(bytes), \(Self.text(bytesPerSecond)) B/s"),
    ]
    if let latency {
      let parts = latency.all.map { "\($0.name) \(Self.text($0.duration / .milliseconds(1)))" }
      rows.append((kind == .notifications ? "interval" : "latency", parts.joined(separator: ", ") + " ms"))
    }
    if let missing { rows.append(("missing", "\(missing), by the counter in the values")) }
    if uncertain > 0 { rows.append(("uncertain", "\(uncertain), lost with the link or not")) }
    if let mtu { rows.append(("MTU", "\(mtu) bytes")) }
    if let rssi { rows.append(("signal", "\(rssi) dBm, before the link")) }
    return rows
  }

  /// A number with one decimal place.
  private static func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}
