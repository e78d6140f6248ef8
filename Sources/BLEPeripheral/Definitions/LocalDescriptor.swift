// SPDX-License-Identifier: MIT

/// A descriptor that this machine offers.
///
/// BlueZ: `org.bluez.GattDescriptor1`, exported by this program.
public struct LocalDescriptor: Sendable {
  /// What kind of descriptor it is; not 2900 or 2902, which BlueZ adds.
  public var uuid: BluetoothUUID
  /// Whether it can be written; it can always be read.
  public var isWritable: Bool
  /// The security that a link must have.
  public var security: AccessSecurity
  /// The value at the beginning, up to 512 bytes.
  public var value: [UInt8]
  /// Who answers reads.
  public var reading: ReadHandler
  /// Who takes what is written.
  public var writing: WriteHandler

  /// Makes a descriptor.
  ///
  /// - Parameters:
  ///   - uuid: the kind of descriptor.
  ///   - value: the value at the beginning, up to 512 bytes.
  ///   - isWritable: whether it can be written.
  ///   - security: the security that a link must have.
  ///   - reading: who answers reads.
  ///   - writing: who takes what is written.
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
