// SPDX-License-Identifier: MIT

/// The conditions on the devices that a scan reports: a device must meet one condition of each kind.
///
/// BlueZ merges the filters of all programs, so every condition is checked here: the result is exact.
public struct ScanFilter: Sendable {
  /// Services, one of which must be among ``AdvertisementData/serviceUUIDs``; empty accepts all.
  public var services: [BluetoothUUID]
  /// Addresses, one of which the device must have; empty accepts all.
  public var addresses: [BluetoothAddress]
  /// Company identifiers, one of which must occur in the manufacturer data; empty accepts all.
  public var manufacturers: [UInt16]
  /// The weakest accepted signal, in dBm from -127 to 20; nil accepts all.
  public var minimumRSSI: Int?
  /// The condition on the name; nil accepts all.
  ///
  /// With a condition, devices without a name do not match.
  public var name: (@Sendable (String) -> Bool)?
  /// True if a device matches ``services`` also by the owners of its service data: sensors often send no list
  /// of services.
  package var matchesServiceData = false
  /// The only device, whatever its private address is now; nil accepts all.
  package var key: DeviceKey?

  /// Makes a filter; without arguments it accepts every device.
  public init(
    services: [BluetoothUUID] = [], addresses: [BluetoothAddress] = [], manufacturers: [UInt16] = [],
    minimumRSSI: Int? = nil, name: (@Sendable (String) -> Bool)? = nil
  ) {
    self.services = services
    self.addresses = addresses
    self.manufacturers = manufacturers
    self.minimumRSSI = minimumRSSI
    self.name = name
  }

  /// Returns whether the filter accepts a device.
  public func allows(_ info: PeripheralInfo) -> Bool {
    if !addresses.isEmpty, !addresses.contains(where: { info.has($0) }) { return false }
    if let key, info.key != key { return false }
    if let minimumRSSI, (info.rssi ?? -128) < minimumRSSI { return false }
    if !services.isEmpty, !services.contains(where: { offers($0, info.advertisement) }) { return false }
    let companies = info.advertisement.manufacturerData
    if !manufacturers.isEmpty, !manufacturers.contains(where: { companies[$0] != nil }) { return false }
    if let name { return info.name.map(name) ?? false || info.reportedName.map(name) ?? false }
    return true
  }

  private func offers(_ service: BluetoothUUID, _ advertisement: AdvertisementData) -> Bool {
    advertisement.serviceUUIDs.contains(service)
      || matchesServiceData && advertisement.serviceData[service] != nil
  }
}
