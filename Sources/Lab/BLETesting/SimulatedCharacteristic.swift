// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A characteristic of a simulated peripheral, which stores the values that are written to it.
public struct SimulatedCharacteristic: Sendable, Equatable {
  /// The operations that a characteristic permits.
  public struct Properties: OptionSet, Sendable, Hashable {
    /// The bits of the declaration of the characteristic.
    public let rawValue: UInt8

    /// Creates the properties with some bits of the declaration.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reads of the value.
    public static let read = Properties(rawValue: 0x02)
    /// Writes of the value without an answer.
    public static let writeWithoutResponse = Properties(rawValue: 0x04)
    /// Writes of the value with an answer.
    public static let write = Properties(rawValue: 0x08)
    /// Subscriptions to notifications.
    public static let notify = Properties(rawValue: 0x10)
    /// Subscriptions to indications.
    public static let indicate = Properties(rawValue: 0x20)
  }

  /// Its UUID.
  public var uuid: BluetoothUUID
  /// The operations that it permits.
  public var properties: Properties
  /// Its initial value, at most 512 bytes.
  public var value: [UInt8]
  /// The values that subscribed centrals receive in turn, forever.
  ///
  /// They also receive those of ``RunningPeripheral/setValue(_:of:)``.
  public var notifiedValues: [[UInt8]]
  /// The time between two of these values.
  public var interval: Duration

  /// Creates a characteristic; each parameter sets the property of its name.
  public init(
    _ uuid: BluetoothUUID, _ properties: Properties, value: [UInt8] = [], notifiedValues: [[UInt8]] = [],
    every interval: Duration = .seconds(1)
  ) {
    self.uuid = uuid
    self.properties = properties
    self.value = value
    self.notifiedValues = notifiedValues
    self.interval = interval
  }

  var spec: CharacteristicSpec {
    CharacteristicSpec(
      uuid, GATTProperties(rawValue: properties.rawValue), value: value,
      notifying: notifiedValues.isEmpty ? .onDemand : .cycle(notifiedValues, every: interval))
  }
}
