// SPDX-License-Identifier: MIT
internal import BLECentral
internal import JSON

/// Stands in the place of a value that could not be read, among others that could.
struct UnreadRecord: Record {
  let time: Timestamp
  let address: BluetoothAddress
  let name: String?
  let characteristic: GATTCharacteristic
  let descriptor: GATTDescriptor?
  let error: BLEError

  func write(to json: inout JSONWriter) {
    json.field("event", "error")
    json.field("time", time.utc)
    json.field("address", address)
    json.field("name", name)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor?.uuid)
    json.field(error)
    json.field("via", ValueRecord.Way.read.rawValue)
  }
}

extension JSONWriter {
  /// Why there is no value: `error`, and `att_error` where the device has given one; nothing where there is no error.
  mutating func field(_ error: BLEError?) {
    guard let error else { return }
    field("error", error.message)
    field("att_error", error.attError.map { Int($0.code) })
  }
}
