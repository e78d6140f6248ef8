// SPDX-License-Identifier: MIT
internal import BLEWorld

/// A characteristic of a simulated peripheral, which keeps what is written to it.
public struct SimulatedCharacteristic: Sendable, Hashable {
  /// What centrals may do with a characteristic.
  public struct Properties: OptionSet, Sendable, Hashable {
    /// The bits of the declaration of the characteristic.
    public let rawValue: UInt8

    /// The properties with some bits of the declaration.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Reading the value.
    public static let read = Properties(rawValue: 0x02)
    /// Writing the value without an answer.
    public static let writeWithoutResponse = Properties(rawValue: 0x04)
    /// Writing the value.
    public static let write = Properties(rawValue: 0x08)
    /// Subscribing to notifications.
    public static let notify = Properties(rawValue: 0x10)
    /// Subscribing to indications.
    public static let indicate = Properties(rawValue: 0x20)
  }

  /// Its UUID.
  public var uuid: BluetoothUUID
  /// What centrals may do with it.
  public var properties: Properties
  /// Its first value, at most 512 bytes.
  public var value: [UInt8]
  /// The values that a subscribed central receives, one after another and again from the first.
  public var notifiedValues: [[UInt8]]
  /// The time between two of them.
  public var interval: Duration

  /// A characteristic.
  ///
  /// - Parameters:
  ///   - uuid: its UUID.
  ///   - properties: what centrals may do with it.
  ///   - value: its first value, at most 512 bytes.
  ///   - notifiedValues: the values that a subscribed central receives, one after another and again from the first. Those
  ///     of ``RunningPeripheral/setValue(_:of:)`` come besides.
  ///   - interval: the time between two of them.
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
