// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
package import TerminalOutput

/// A link was opened or lost.
package struct LinkRecord: Record, Sendable {
  package enum Event: String {
    case connected
    case disconnected
    case reconnected
  }

  package let event: Event
  package let time: Timestamp
  package let address: BluetoothAddress
  package let name: String?
  package let reason: String?
  /// The reason for the end of the link, as BlueZ reports it.
  package let linkEnd: LinkEndReason?
  /// The time without possible values before a reconnection.
  package let gapSeconds: Double?
  /// The columns that a table needs for the values behind it; not part of the record.
  package private(set) var columns: [String]
  /// The identifiers of its device; not part of the record.
  package let device: HeardDevice

  package init(
    event: Event, time: Timestamp = .now, address: BluetoothAddress, name: String? = nil,
    reason: String? = nil, linkEnd: LinkEndReason? = nil, gapSeconds: Double? = nil,
    columns: [String] = [], device: HeardDevice? = nil
  ) {
    self.event = event
    self.time = time
    self.address = address
    self.name = name
    self.reason = reason
    self.linkEnd = linkEnd
    self.gapSeconds = gapSeconds
    self.columns = columns
    self.device = device ?? HeardDevice(address: address, name: name)
  }

  /// The same record, of a link whose values need other columns.
  package func with(columns: [String]) -> LinkRecord {
    var record = self
    record.columns = columns
    return record
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: time)
    json.field("address", address)
    json.field("name", name)
    json.field("reason", reason)
    json.field("link_end", linkEnd?.rawValue)
    json.field("gap_seconds", gapSeconds)
  }
}

/// A record of `scan` or `monitor`.
package struct LoggedRecord: Sendable {
  package enum Subject: Sendable {
    case value(ValueOrigin, [UInt8])
    case device(BluetoothAddress)
    case adapter(String)
    /// Bluetooth as a whole.
    case everything
  }

  package let subject: Subject
  /// The line of JSON, with its end.
  package let line: [UInt8]

  package init(_ record: some Record, about subject: Subject) {
    self.subject = subject
    var json = JSONWriter()
    json.record(record)
    line = json.bytes
  }
}

/// A report of records lost for one output, because it was too slow and its buffer was full.
package struct DroppedRecord: Record, Hashable {
  /// The time when the first of them would have been written.
  package let time: Timestamp
  package var count: Int

  package init(time: Timestamp, count: Int) { (self.time, self.count) = (time, count) }

  package func write(to json: inout JSONWriter) {
    json.event("dropped", at: time)
    json.field("count", count)
  }
}
