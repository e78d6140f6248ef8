// SPDX-License-Identifier: MIT

/// The definition of a descriptor of this machine.
///
/// BlueZ: `org.bluez.GattDescriptor1`, exported by this program.
public struct LocalDescriptor: Sendable {
  /// The UUID, which tells the kind of descriptor; not 2900 or 2902, which BlueZ adds.
  public var uuid: BluetoothUUID
  /// True if it is writable; it is always readable.
  public var isWritable: Bool
  /// The security that a link must have.
  public var security: AccessSecurity
  /// The initial value, up to 512 bytes.
  public var value: [UInt8]
  /// Answers reads.
  public var reading: ReadHandler
  /// Handles writes.
  public var writing: WriteHandler

  /// Makes a descriptor.
  ///
  /// - Parameters:
  ///   - uuid: the UUID of the descriptor.
  ///   - value: the initial value, up to 512 bytes.
  ///   - isWritable: whether it is writable.
  ///   - security: the security that a link must have.
  ///   - reading: answers reads.
  ///   - writing: handles writes.
  public init(
    _ uuid: BluetoothUUID, value: [UInt8], isWritable: Bool = false, security: AccessSecurity = .none,
    reading: ReadHandler = .value, writing: WriteHandler = .store
  ) {
    self.uuid = uuid
    self.value = value
    self.isWritable = isWritable
    self.security = security
    self.reading = reading
    self.writing = writing
  }
}
