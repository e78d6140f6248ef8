// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON
internal import TerminalOutput

/// Values that were certainly sent.
package struct WrittenRecord: Record, Sendable {
  package let time: Timestamp
  package let address: BluetoothAddress
  package let characteristic: GATTCharacteristic
  /// The descriptor that was written instead of the characteristic.
  package let descriptor: BluetoothUUID?
  package let values: Int
  /// The number of bytes of all values together.
  package let bytes: Int
  /// True if the device has answered for them; it answers no writes without response.
  package let isAcknowledged: Bool
  /// Nil unless the record is of one value and shows it.
  package let value: [UInt8]?

  package init(
    time: Timestamp, address: BluetoothAddress, characteristic: GATTCharacteristic,
    descriptor: BluetoothUUID?, values: Int, bytes: Int, isAcknowledged: Bool,
    value: [UInt8]? = nil
  ) {
    self.time = time
    self.address = address
    self.characteristic = characteristic
    self.descriptor = descriptor
    self.values = values
    self.bytes = bytes
    self.isAcknowledged = isAcknowledged
    self.value = value
  }

  package func write(to json: inout JSONWriter) {
    json.event("written", at: time)
    json.field("address", address)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor)
    json.field("values", values)
    json.field("bytes", bytes)
    json.field("acknowledged", isAcknowledged)
    json.field("value", hex: value)
  }
}
