// SPDX-License-Identifier: MIT
internal import DBus

/// The filter that BlueZ gets for all scans of one adapter: wide enough for each of them.
///
/// Never with `UUIDs`, which crash bluetoothd 5.87 when a device advertises services.
struct DiscoveryFilter: Equatable {
  var minimumRSSI: Int
  var reportsDuplicates: Bool

  init?(_ scans: some Sequence<(filter: ScanFilter, reportsDuplicates: Bool)>) {
    let scans = Array(scans)
    if scans.isEmpty { return nil }
    minimumRSSI = scans.map { max(-127, min(20, $0.filter.minimumRSSI ?? -127)) }.min() ?? -127
    reportsDuplicates = scans.contains { $0.reportsDuplicates }
  }

  /// Returns the argument of SetDiscoveryFilter.
  ///
  /// Any RSSI floor makes BlueZ scan without pauses and report each RSSI. With `Pattern` "", the patterns of
  /// other programs hide no devices; BlueZ before 5.54 does not support it.
  func arguments(withPattern: Bool) -> [(String, DBusValue)] {
    var arguments: [(String, DBusValue)] = [
      ("Transport", .string("le")), ("RSSI", .int16(Int16(minimumRSSI))),
      ("DuplicateData", .boolean(reportsDuplicates)),
    ]
    if withPattern { arguments.append(("Pattern", .string(""))) }
    return arguments
  }
}
