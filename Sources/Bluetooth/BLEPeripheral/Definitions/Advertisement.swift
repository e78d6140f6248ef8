// SPDX-License-Identifier: MIT

/// The contents and the settings of an advertisement.
///
/// An advertisement can hold 31 bytes; the name is sent in a scan response with another 31 bytes. BlueZ:
/// `org.bluez.LEAdvertisement1`, exported by this program.
public struct Advertisement: Sendable, Hashable {
  /// The name in the scan response, up to 29 bytes; passive scanners do not receive it.
  ///
  /// It is independent of the name that a connected central reads, which is the alias of the adapter.
  public var name: String?
  /// The advertised service UUIDs.
  public var services: [BluetoothUUID]
  /// The manufacturer data by company identifier.
  public var manufacturerData: [UInt16: [UInt8]]
  /// The service data by service UUID.
  public var serviceData: [BluetoothUUID: [UInt8]]
  /// The appearance of the device.
  public var appearance: Appearance?
  /// True to advertise the transmit power.
  public var includesTxPower: Bool
  /// True if centrals can connect; a beacon that is not connectable has a random address.
  public var isConnectable: Bool
  /// True if the device is discoverable; many scanners hide other devices.
  ///
  /// Only for connectable advertisements.
  public var isDiscoverable: Bool
  /// The advertising interval, 20 ms to 10.24 s; nil lets BlueZ choose.
  ///
  /// BlueZ before 5.77 ignores it.
  public var interval: ClosedRange<Duration>?
  /// The duration of advertising, in whole seconds; nil sets no limit.
  public var duration: Duration?
  /// The PHY of an extended advertisement; nil sends a legacy one, which every device can hear.
  ///
  /// The adapter must support it: `SupportedSecondaryChannels` of BlueZ's `LEAdvertisingManager1`.
  public var secondaryChannel: SecondaryChannel?

  /// The PHY of the secondary channels of an extended advertisement.
  public enum SecondaryChannel: String, Sendable, Hashable, CaseIterable {
    /// LE 1M.
    case oneM = "1M"
    /// LE 2M, which is twice as fast.
    case twoM = "2M"
    /// LE Coded, which reaches further.
    case coded = "Coded"
  }

  /// Makes an advertisement.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - services: the advertised service UUIDs.
  ///   - manufacturerData: the manufacturer data by company identifier.
  ///   - serviceData: the service data by service UUID.
  ///   - appearance: the appearance of the device.
  ///   - includesTxPower: whether to advertise the transmit power.
  ///   - isConnectable: whether centrals can connect.
  ///   - isDiscoverable: whether the device is discoverable; nil means that it is if it is connectable.
  ///   - interval: the advertising interval.
  ///   - duration: how long to advertise.
  public init(
    name: String? = nil, services: [BluetoothUUID] = [], manufacturerData: [UInt16: [UInt8]] = [:],
    serviceData: [BluetoothUUID: [UInt8]] = [:], appearance: Appearance? = nil, includesTxPower: Bool = false,
    isConnectable: Bool = true, isDiscoverable: Bool? = nil, interval: ClosedRange<Duration>? = nil,
    duration: Duration? = nil
  ) {
    self.name = name
    self.services = services
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.appearance = appearance
    self.includesTxPower = includesTxPower
    self.isConnectable = isConnectable
    self.isDiscoverable = isDiscoverable ?? isConnectable
    self.interval = interval
    self.duration = duration
  }
}

/// An advertisement that ``PeripheralManager/startAdvertising(_:timeout:)`` started.
public struct Advertising: Sendable, Hashable {
  let number: Int
  /// The contents and the settings with which it started.
  public let advertisement: Advertisement
}
