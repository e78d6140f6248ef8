// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// A device has not been heard for some time, or is heard again.
package struct AbsenceRecord: Record, Sendable {
  package enum Event: String, Sendable {
    case absent
    case returned
  }

  package let event: Event
  package let time: Timestamp
  /// Nil for a device that was never heard, and of which only a name is known.
  package let address: BluetoothAddress?
  package let name: String?
  /// The time when it was last heard before the silence; nil if it was never heard.
  package let last: Timestamp?
  /// The duration of the silence, current or past.
  package let silence: Double

  package init(
    _ event: Event, time: Timestamp, address: BluetoothAddress?, name: String?, last: Timestamp?,
    silence: Double
  ) {
    (self.event, self.time, self.address, self.name) = (event, time, address, name)
    (self.last, self.silence) = (last, silence)
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: time)
    json.field("address", address)
    json.field("name", name)
    json.field("last", last?.utc)
    json.field("silence_seconds", silence)
  }
}
