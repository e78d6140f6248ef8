// SPDX-License-Identifier: MIT
internal import DBus

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

/// The filter that BlueZ gets for all scans of one adapter: wide enough for each of them.
///
/// It never has `UUIDs`: bluetoothd 5.87 dies of them as soon as it hears a device that advertises services.
struct DiscoveryFilter: Equatable {
  var minimumRSSI: Int
  var reportsDuplicates: Bool

  init?(_ scans: some Sequence<(filter: ScanFilter, reportsDuplicates: Bool)>) {
    let scans = Array(scans)
    if scans.isEmpty { return nil }
    minimumRSSI = scans.map { max(-127, min(20, $0.filter.minimumRSSI ?? -127)) }.min() ?? -127
    reportsDuplicates = scans.contains { $0.reportsDuplicates }
  }

  /// The argument of SetDiscoveryFilter.
  ///
  /// Any RSSI floor makes BlueZ scan without pauses and report RSSI each time. With `Pattern` "", the patterns of other
  /// programs hide no devices; BlueZ before 5.54 does not know it.
  func arguments(withPattern: Bool) -> [(String, DBusValue)] {
    var arguments: [(String, DBusValue)] = [
      ("Transport", .string("le")), ("RSSI", .int16(Int16(minimumRSSI))),
      ("DuplicateData", .boolean(reportsDuplicates)),
    ]
    if withPattern { arguments.append(("Pattern", .string(""))) }
    return arguments
  }
}

/// How a scan listens.
public enum ScanMode: String, Sendable, Hashable, CaseIterable {
  /// Requests a scan response from each advertiser: many names are only there.
  case active
  /// Only listens: advertisers do not notice, and the radio rests half of the time.
  ///
  /// The contents of scan responses stay unknown, advertisements without AD flags are not heard, and signal strengths
  /// change in steps of 8 dB. It needs a bluetoothd with experimental features on.
  case passive
}
