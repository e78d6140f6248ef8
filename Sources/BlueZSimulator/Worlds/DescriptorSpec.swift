// SPDX-License-Identifier: MIT

/// A descriptor that stands beside a characteristic's value.
///
/// The client configuration (2902) comes by itself; it is listed only to give it a handle.
package struct DescriptorSpec: Sendable, Hashable {
  package var uuid: AttributeUUID
  package var value: [UInt8]
  package var isWritable: Bool
  package var reading: ReadBehaviour
  /// What the link must be for the value to be read or written.
  package var security: AttributeSecurity
  /// Nil for the next one that is free.
  package var handle: UInt16?

  package init(
    _ uuid: AttributeUUID, value: [UInt8], isWritable: Bool = false, reading: ReadBehaviour = .value,
    security: AttributeSecurity = .none, handle: UInt16? = nil
  ) {
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
    self.reading = reading
    self.security = security
    self.handle = handle
  }
}

/// What the link must be before a peripheral gives access to an attribute.
package enum AttributeSecurity: Sendable, Hashable, CaseIterable {
  /// Anything.
  case none
  /// Encrypted; on others every request is refused with ATT 0x0f.
  case encrypted
  /// Encrypted after a pairing that nobody could listen in on; on others every request is refused with ATT 0x05.
  case authenticated
}
