// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning
internal import JSON

/// A log as a table after RFC 4180: a header, a record a line, lines that end with CR and LF.
///
/// A record never spans lines, so that half of one can be told after a crash.
struct CSVTable: TextLogFormat {
  /// The columns that every such log has, in this order.
  static let columns = [
    "time", "event", "address", "service", "characteristic", "handle", "value", "via", "reason", "gap_seconds",
    "count",
  ]

  var header: [UInt8] { Array((CSVTable.columns.joined(separator: ",") + "\r\n").utf8) }

  func accepts(firstLine: [UInt8]) -> Bool {
    String(decoding: firstLine, as: UTF8.self) == CSVTable.columns.joined(separator: ",")
  }

  func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    switch event {
    case .values(let batch):
      let characteristic = batch.characteristic
      let source = ",value,\(batch.address),\(characteristic.service.longForm)"
        + ",\(characteristic.uuid.longForm),\(characteristic.handle),"
      let way = ",\(batch.way.rawValue),,,"
      for notification in batch.notifications {
        bytes += notification.time.utc.utf8
        bytes += source.utf8
        Hex.append(notification.value, to: &bytes)
        bytes += way.utf8
        bytes += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
      }
    case .link(let link):
      append(
        time: link.time, event: link.event.rawValue, address: "\(link.address)", reason: link.reason,
        gap: link.gapSeconds, to: &bytes)
    case .dropped(let dropped): append(time: dropped.time, event: "dropped", count: dropped.count, to: &bytes)
    }
  }

  private func append(
    time: Timestamp, event: String, address: String = "", reason: String? = nil, gap: Double? = nil,
    count: Int? = nil, to bytes: inout [UInt8]
  ) {
    let fields = [
      time.utc, event, address, "", "", "", "", "", CSVField.text(reason ?? ""), gap.map(\.description) ?? "",
      count.map(\.description) ?? "",
    ]
    bytes += (fields.joined(separator: ",") + "\r\n").utf8
  }
}
