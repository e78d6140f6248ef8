// SPDX-License-Identifier: MIT
package import BLECentral
internal import JSON
package import TerminalOutput

/// A record of a command that prints its records itself, such as `scan`: for its logs.
package struct LoggedRecord: Sendable {
  /// What it is about.
  package enum Subject: Sendable {
    /// A value of a characteristic.
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
