// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// The values of a device fulfil a condition, or no longer do.
package struct AlarmRecord: Record, Sendable {
  package enum Event: String, Sendable {
    case alarm
    case cleared
  }

  package let event: Event
  package let time: Timestamp
  package let address: BluetoothAddress
  package let name: String?
  /// The condition, as the user wrote it.
  package let condition: String
  /// The time that the condition held before, or the duration of the alarm.
  package let seconds: Double
  /// The fields of the condition.
  package let decoded: DecodedFields

  package init(
    _ event: Event, time: Timestamp, address: BluetoothAddress, name: String?, condition: String,
    seconds: Double, decoded: DecodedFields
  ) {
    (self.event, self.time, self.address, self.name) = (event, time, address, name)
    (self.condition, self.seconds, self.decoded) = (condition, seconds, decoded)
  }

  package func write(to json: inout JSONWriter) {
    json.event(event.rawValue, at: time)
    json.field("address", address)
    json.field("name", name)
    json.field("when", condition)
    json.field("seconds", seconds)
    json.field("decoded", decoded)
  }
}
