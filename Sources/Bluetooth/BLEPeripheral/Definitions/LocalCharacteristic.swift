// SPDX-License-Identifier: MIT

/// The definition of a characteristic of this machine.
///
/// The equivalent in CoreBluetooth is `CBMutableCharacteristic`. BlueZ: `org.bluez.GattCharacteristic1`,
/// exported by this program.
public struct LocalCharacteristic: Sendable {
  /// The longest value of an attribute, in bytes.
  public static let maximumLength = 512

  /// The UUID, which tells the kind of value.
  public var uuid: BluetoothUUID
  /// The operations that it permits.
  public var properties: CharacteristicProperties
  /// The security that a link must have for these operations.
  public var security: AccessSecurity
  /// The initial value, up to 512 bytes.
  public var value: [UInt8]
  /// The transport of updates to bluetoothd.
  public var updateTransport: UpdateTransport
  /// Answers reads.
  public var reading: ReadHandler
  /// Handles writes.
  public var writing: WriteHandler
  /// Its descriptors, without 2902 and 2900, which BlueZ adds.
  public var descriptors: [LocalDescriptor]
  /// The handle of the value; nil lets BlueZ choose one.
  public var handle: UInt16?

  /// Makes a characteristic.
  ///
  /// - Parameters:
  ///   - uuid: the UUID of the characteristic.
  ///   - properties: the permitted operations; at least one.
  ///   - value: the initial value, up to 512 bytes.
  ///   - security: the security that a link must have.
  ///   - reading: answers reads.
  ///   - writing: handles writes.
  ///   - descriptors: its descriptors, without 2902 and 2900, which BlueZ adds.
  ///   - handle: the handle of the value; nil lets BlueZ choose one.
  ///   - updateTransport: how updates reach bluetoothd.
  public init(
    _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, value: [UInt8] = [],
    security: AccessSecurity = .none, reading: ReadHandler = .value, writing: WriteHandler = .store,
    descriptors: [LocalDescriptor] = [], handle: UInt16? = nil,
    updateTransport: UpdateTransport = .signals
  ) {
    self.uuid = uuid
    self.properties = properties
    self.value = value
    self.security = security
    self.reading = reading
    self.writing = writing
    self.descriptors = descriptors
    self.handle = handle
    self.updateTransport = updateTransport
  }
}
