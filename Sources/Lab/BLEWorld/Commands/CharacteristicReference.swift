// SPDX-License-Identifier: MIT
package import BLEFormats

/// A characteristic of a peripheral.
package struct CharacteristicReference: Sendable, Equatable {
  /// The address of the peripheral.
  package var device: String
  /// The service that contains it; nil for any.
  package var service: BluetoothUUID?
  /// Stands for the first characteristic with this UUID.
  package var uuid: BluetoothUUID

  package init(device: String, service: BluetoothUUID? = nil, uuid: BluetoothUUID) {
    self.device = device
    self.service = service
    self.uuid = uuid
  }
}
