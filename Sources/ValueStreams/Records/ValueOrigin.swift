// SPDX-License-Identifier: MIT
package import BLECentral
package import JSON

/// The source of values: an attribute of a device, and the transport.
package final class ValueOrigin: Sendable {
  package enum Transport: String {
    case read
    case signal
    case socket
  }

  package let address: BluetoothAddress
  package let name: String?
  package let characteristic: GATTCharacteristic
  /// The descriptor that has the values; nil if the characteristic itself has them.
  package let descriptor: GATTDescriptor?
  package let transport: Transport
  /// Whether the device has another characteristic with this UUID, so that only the handle identifies it.
  package let hasTwin: Bool
  /// The meaning of the values, if known.
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

  /// The UUID of the attribute that has the values.
  package var attribute: BluetoothUUID { descriptor?.uuid ?? characteristic.uuid }

  /// Writes the fields that identify the attribute.
  package func write(to json: inout JSONWriter) {
    json.field("address", address)
    json.field("name", name)
    json.field("service", characteristic.service)
    json.field("characteristic", characteristic.uuid)
    json.field("handle", Int(characteristic.handle))
    json.field("descriptor", descriptor?.uuid)
  }
}
