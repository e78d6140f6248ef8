// SPDX-License-Identifier: MIT

/// A service of a peripheral.
package struct ServiceSpec: Sendable, Hashable {
  package var uuid: AttributeUUID
  /// False for one that is there to be included by others.
  package var isPrimary: Bool
  /// The services of the same peripheral that belong to this one.
  package var includes: [ServiceReference]
  package var characteristics: [CharacteristicSpec]
  /// The handle of the declaration; nil for the next one that is free.
  package var handle: UInt16?

  package init(
    _ uuid: AttributeUUID, _ characteristics: [CharacteristicSpec], isPrimary: Bool = true,
    includes: [ServiceReference] = [], handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.isPrimary = isPrimary
    self.includes = includes
    self.characteristics = characteristics
    self.handle = handle
  }
}

/// Names another service of the same peripheral.
package enum ServiceReference: Sendable, Hashable {
  /// The first one with a UUID.
  case uuid(AttributeUUID)
  /// The one with a fixed handle.
  case handle(UInt16)
}
