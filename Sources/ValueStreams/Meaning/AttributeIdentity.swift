// SPDX-License-Identifier: MIT
package import BLECentral

/// A device, as far as it is known: a UUID may mean different things on different devices.
package struct DeviceIdentity: Sendable, Hashable {
  package var address: BluetoothAddress?
  package var name: String?

  package init(address: BluetoothAddress? = nil, name: String? = nil) {
    (self.address, self.name) = (address, name)
  }

  package init(_ info: PeripheralInfo) { self.init(address: info.address, name: info.name) }
}

/// A characteristic or a descriptor, as far as it is known: on the command line often only its UUID.
package struct AttributeIdentity: Sendable, Hashable {
  package var uuid: BluetoothUUID
  /// Nil if it may be in any service.
  package var service: BluetoothUUID?
  /// Nil if it may be of any device.
  package var device: DeviceIdentity?

  package init(_ uuid: BluetoothUUID, in service: BluetoothUUID? = nil, of device: DeviceIdentity? = nil) {
    (self.uuid, self.service, self.device) = (uuid, service, device)
  }

  package init(_ characteristic: GATTCharacteristic, of device: DeviceIdentity?) {
    self.init(characteristic.uuid, in: characteristic.service, of: device)
  }
}
