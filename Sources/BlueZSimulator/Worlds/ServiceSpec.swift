// SPDX-License-Identifier: MIT
package import BLEMeaning

/// A service of a peripheral.
package struct ServiceSpec: Sendable, Hashable {
  package var uuid: BluetoothUUID
  /// False for a service that exists only to be included by others.
  package var isPrimary: Bool
  /// The included services of the same peripheral.
  package var includes: [ServiceReference]
  package var characteristics: [CharacteristicSpec]
  /// The handle of the declaration; nil for the next free one.
  package var handle: UInt16?

  package init(
    _ uuid: BluetoothUUID, _ characteristics: [CharacteristicSpec], isPrimary: Bool = true,
    includes: [ServiceReference] = [], handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
  }
}

/// A reference to another service of the same peripheral.
package enum ServiceReference: Sendable, Hashable {
  /// The first one with a UUID.
  case uuid(BluetoothUUID)
  /// The one with a fixed handle.
  case handle(UInt16)
}
