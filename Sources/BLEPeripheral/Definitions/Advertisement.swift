// SPDX-License-Identifier: MIT

/// What a machine advertises, and how.
///
/// An advertisement has room for 31 bytes; the name travels in a scan response with 31 bytes of its own.
/// BlueZ: `org.bluez.LEAdvertisement1`, exported by this program.
public struct Advertisement: Sendable, Hashable {
  /// The name, for the scan response; up to 29 bytes, of which scanners that do not ask never hear.
  ///
  /// It is independent of the name that a connected central reads, which is the alias of the adapter.
  public var name: String?
  /// The services to announce.
  public var services: [BluetoothUUID]
  /// Data under company identifiers.
  public var manufacturerData: [UInt16: [UInt8]]
  /// Data of services.
  public var serviceData: [BluetoothUUID: [UInt8]]
  /// What the device looks like.
  public var appearance: Appearance?
  /// Whether the transmit power is announced.
  public var includesTxPower: Bool
  /// Whether centrals can connect; a beacon that cannot be connected to has a random address.
  public var isConnectable: Bool
  /// Whether scanners show it, of which many hide what is not discoverable.
  ///
  /// Only if it is connectable.
  public var isDiscoverable: Bool
  /// How often it is sent, 20 ms to 10.24 s; nil is BlueZ's choice.
  ///
  /// BlueZ before 5.77 ignores it.
  public var interval: ClosedRange<Duration>?
  /// After what time it ends, in whole seconds; nil never ends it.
  public var duration: Duration?

  /// Makes an advertisement.
  ///
  /// - Parameters:
  ///   - name: the name.
  ///   - services: the services to announce.
  ///   - manufacturerData: data under company identifiers.
  ///   - serviceData: data of services.
  ///   - appearance: what the device looks like.
  ///   - includesTxPower: whether the transmit power is announced.
  ///   - isConnectable: whether centrals can connect.
  ///   - isDiscoverable: whether scanners show it; nil means: if it is connectable.
  ///   - interval: how often it is sent.
  ///   - duration: after what time it ends.
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
