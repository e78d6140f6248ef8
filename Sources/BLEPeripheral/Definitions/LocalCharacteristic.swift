// SPDX-License-Identifier: MIT

/// A characteristic that this machine offers.
///
/// CoreBluetooth calls it `CBMutableCharacteristic`. BlueZ: `org.bluez.GattCharacteristic1`, exported by this program.
public struct LocalCharacteristic: Sendable {
  /// The longest value of an attribute, in bytes.
  public static let maximumLength = 512

  /// What kind of value it is.
  public var uuid: BluetoothUUID
  /// The operations that it permits.
  public var properties: CharacteristicProperties
  /// The security that a link must have for these operations.
  public var security: AccessSecurity
  /// The value at the beginning, up to 512 bytes.
  public var value: [UInt8]
  /// How updates reach bluetoothd.
  public var updateTransport: UpdateTransport
  /// Who answers reads.
  public var reading: ReadHandler
  /// Who takes what is written.
  public var writing: WriteHandler
  /// Its descriptors, besides 2902 and 2900, which BlueZ adds.
  public var descriptors: [LocalDescriptor]
  /// The handle of the value; nil lets BlueZ choose one.
  public var handle: UInt16?

  /// Makes a characteristic.
  ///
  /// - Parameters:
  ///   - uuid: the kind of value.
  ///   - properties: the operations that it permits; at least one.
  ///   - value: the value at the beginning, up to 512 bytes.
  ///   - security: the security that a link must have.
  ///   - reading: who answers reads.
  ///   - writing: who takes what is written.
  ///   - descriptors: its descriptors, besides 2902 and 2900, which BlueZ adds.
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
