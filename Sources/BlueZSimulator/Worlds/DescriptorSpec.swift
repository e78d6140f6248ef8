// SPDX-License-Identifier: MIT
package import BLEMeaning

/// A descriptor of a characteristic.
///
/// The client configuration (2902) is added automatically; list it only to fix its handle.
package struct DescriptorSpec: Sendable, Hashable {
  package var uuid: BluetoothUUID
  package var value: [UInt8]
  package var isWritable: Bool
  package var reading: ReadBehaviour
  /// The security that the link must have for reading and writing.
  package var security: AttributeSecurity
  /// Nil for the next free one.
  package var handle: UInt16?

  package init(
    _ uuid: BluetoothUUID, value: [UInt8], isWritable: Bool = false, reading: ReadBehaviour = .value,
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

/// The security that a link must have for access to an attribute.
package enum AttributeSecurity: Sendable, Hashable, CaseIterable {
  /// Anything.
  case none
  /// Encrypted; on others every request is refused with ATT 0x0f.
  case encrypted
  /// Encrypted after authenticated pairing; on others every request is refused with ATT 0x05.
  case authenticated
  /// Encrypted after authenticated pairing by LE Secure Connections; on others every request is refused with ATT 0x05.
  case secureConnections
}
