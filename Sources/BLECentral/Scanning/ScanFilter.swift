// SPDX-License-Identifier: MIT

/// Which advertisers a scan reports: those that meet one condition of each kind.
///
/// BlueZ merges the filters of all programs, so every condition is checked here: the result is exact.
public struct ScanFilter: Sendable {
  /// Services, any of which must be among ``AdvertisementData/serviceUUIDs``; empty lets all pass.
  public var services: [BluetoothUUID]
  /// Addresses, one of which the device must have; empty lets all pass.
  public var addresses: [BluetoothAddress]
  /// Company identifiers, any of which must stand in the manufacturer data; empty lets all pass.
  public var manufacturers: [UInt16]
  /// The weakest signal that passes, in dBm from -127 to 20; nil lets all pass.
  public var minimumRSSI: Int?
  /// The condition on the name; devices without a name do not pass.
  ///
  /// Nil lets all pass.
  public var name: (@Sendable (String) -> Bool)?

  /// Makes a filter; without arguments it lets everything pass.
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

  /// Whether a device passes.
  public func allows(_ info: PeripheralInfo) -> Bool {
    if !addresses.isEmpty, !addresses.contains(info.address) { return false }
    if let minimumRSSI, (info.rssi ?? -128) < minimumRSSI { return false }
    if !services.isEmpty, !services.contains(where: { info.advertisement.serviceUUIDs.contains($0) }) {
      return false
    }
    let companies = info.advertisement.manufacturerData
    if !manufacturers.isEmpty, !manufacturers.contains(where: { companies[$0] != nil }) { return false }
    if let name { return info.name.map(name) ?? false }
    return true
  }
}
