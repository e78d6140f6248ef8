// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON

/// Where values come from: an attribute of a device, and how they travel.
package final class ValueOrigin: Sendable {
  /// How a value gets here from the device.
  package enum Transport: String {
    case read
    case signal
    case socket
  }

  package let address: BluetoothAddress
  /// What the device calls itself.
  package let name: String?
  package let characteristic: GATTCharacteristic
  /// The descriptor of the characteristic that has the values; nil where it has them itself.
  package let descriptor: GATTDescriptor?
  package let transport: Transport
  /// Whether the device has another characteristic with the same UUID, so that only the handle identifies this one.
  package let hasTwin: Bool
  /// What the values mean, where that is known.
  package let meaning: ValueMeaning?

  package init(
    address: BluetoothAddress, name: String?, characteristic: GATTCharacteristic,
    descriptor: GATTDescriptor? = nil, transport: Transport, hasTwin: Bool = false
  ) {
    self.address = address
    self.name = name
    self.characteristic = characteristic
    self.descriptor = descriptor
    self.transport = transport
    self.hasTwin = hasTwin
    meaning =
      if let descriptor {
        ValueMeaning(of: descriptor, in: characteristic)
      } else {
        ValueMeaning(of: characteristic.uuid)
      }
  }

  package convenience init(
    _ info: PeripheralInfo, _ characteristic: GATTCharacteristic, _ descriptor: GATTDescriptor? = nil,
    via transport: Transport, hasTwin: Bool = false
  ) {
    self.init(
      address: info.address, name: info.name, characteristic: characteristic, descriptor: descriptor,
      transport: transport, hasTwin: hasTwin)
  }

  /// The UUID of what has the values.
  package var attribute: BluetoothUUID { descriptor?.uuid ?? characteristic.uuid }

  /// The fields of JSON that name the attribute.
  package func write(to json: inout JSONWriter) {
    json.field("address", address)
    json.field("name", name)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor?.uuid)
  }
}
