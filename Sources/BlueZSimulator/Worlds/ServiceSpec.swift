// SPDX-License-Identifier: MIT

/// A primary service of a peripheral.
package struct ServiceSpec: Sendable, Hashable {
  package var uuid: AttributeUUID
  package var characteristics: [CharacteristicSpec]

  package init(_ uuid: AttributeUUID, _ characteristics: [CharacteristicSpec]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// A descriptor that stands beside a characteristic's value.
///
/// The client configuration (2902) comes by itself.
package struct DescriptorSpec: Sendable, Hashable {
  package var uuid: AttributeUUID
  package var value: [UInt8]
  package var isWritable: Bool

  package init(_ uuid: AttributeUUID, value: [UInt8], isWritable: Bool = false) {
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
  }
}
