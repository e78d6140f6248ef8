// SPDX-License-Identifier: MIT
package import BLECentral
package import BLEFormats

extension ProfileSubject {
  package init(address: BluetoothAddress?, name: String?) {
    self.init(address: address, names: [name].compactMap(\.self))
  }

  package init(_ info: PeripheralInfo) { self.init(address: info.lastingAddress, names: info.names) }
}

/// A characteristic or a descriptor, as far as it is known: on the command line often only its UUID.
package struct AttributeIdentity: Sendable, Hashable {
  package var uuid: BluetoothUUID
  /// Nil if it may be in any service.
  package var service: BluetoothUUID?
  /// Nil if it may be of any device.
  package var device: ProfileSubject?
  package var isDescriptor: Bool
  /// True if the service and the device are those of a link; if not, only the words of a command line are
  /// known.
  package var isFound: Bool

  /// Creates the identity of what the command line names.
  package init(
    _ uuid: BluetoothUUID, in service: BluetoothUUID? = nil, of device: ProfileSubject? = nil,
    isDescriptor: Bool = false
  ) {
    (self.uuid, self.service, self.device) = (uuid, service, device)
    (self.isDescriptor, isFound) = (isDescriptor, false)
  }

  /// Creates the identity of an attribute in a service of a device, or of a descriptor there.
  package init(
    found uuid: BluetoothUUID, in service: BluetoothUUID, of device: ProfileSubject,
    isDescriptor: Bool = false
  ) {
    (self.uuid, self.service, self.device) = (uuid, service, device)
    (self.isDescriptor, isFound) = (isDescriptor, true)
  }

  package init(_ characteristic: GATTCharacteristic, of device: ProfileSubject) {
    self.init(found: characteristic.uuid, in: characteristic.service, of: device)
  }

  package init(_ descriptor: GATTDescriptor, in characteristic: GATTCharacteristic, of device: ProfileSubject)
  {
    self.init(found: descriptor.uuid, in: characteristic.service, of: device, isDescriptor: true)
  }

  /// The name of a characteristic that a profile or the user gives it, or else the UUID: for messages.
  package var title: String {
    isDescriptor ? "\(uuid)" : Vocabulary.known.title(ofCharacteristic: uuid)
  }
}
