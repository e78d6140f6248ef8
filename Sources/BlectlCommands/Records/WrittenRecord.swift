internal import BLECentral
internal import JSON
// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// What a `write` has sent, once that is certain.
struct WrittenRecord: Record {
  let time: Timestamp
  let address: BluetoothAddress
  let characteristic: GATTCharacteristic
  /// Which descriptor was written instead of the characteristic.
  let descriptor: BluetoothUUID?
  /// How many values.
  let values: Int
  /// How many bytes they have together.
  let bytes: Int

  func write(to json: inout JSONWriter) {
    json.field("event", "written")
    json.field("time", time.utc)
    json.field("address", address)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor)
    json.field("values", values)
    json.field("bytes", bytes)
  }
}
