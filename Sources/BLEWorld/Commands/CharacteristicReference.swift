// SPDX-License-Identifier: MIT
package import BLEMeaning

/// A characteristic of a peripheral.
package struct CharacteristicReference: Sendable, Hashable {
  /// The address of the peripheral.
  package var device: String
  /// The service that contains it; nil is any.
  package var service: BluetoothUUID?
  /// The UUID; the reference is to the first characteristic with it.
  package var uuid: BluetoothUUID

  /// The first characteristic with a UUID, in one service or in any.
  package init(device: String, service: BluetoothUUID? = nil, uuid: BluetoothUUID) {
    self.device = device
    self.service = service
    self.uuid = uuid
  }
}
