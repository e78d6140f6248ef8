// SPDX-License-Identifier: MIT
import DBus
import Testing

@testable import BLECentral

@Suite("DiscoveryFilter")
struct DiscoveryFilterTests {
  @Test("no scan, no filter")
  func none() { #expect(DiscoveryFilter([]) == nil) }

  @Test(
    "BlueZ is asked for what the most generous scan wants",
    arguments: [
      ([ScanFilter(services: [.heartRate])], [BluetoothUUID.heartRate], -127),
      (
        [ScanFilter(services: [.heartRate]), ScanFilter(services: [.batteryService])],
        [.heartRate, .batteryService], -127
      ),
      ([ScanFilter(services: [.heartRate]), ScanFilter()], [], -127),
      ([ScanFilter(minimumRSSI: -60), ScanFilter(minimumRSSI: -80)], [], -80),
      ([ScanFilter(minimumRSSI: -60), ScanFilter()], [], -127), ([ScanFilter(minimumRSSI: -500)], [], -127),
      ([ScanFilter(minimumRSSI: 500)], [], 20),
    ])
  func merging(filters: [ScanFilter], services: [BluetoothUUID], rssi: Int) throws {
    let merged = try #require(DiscoveryFilter(filters.map { ($0, false) }))
    #expect(merged.services == Set(services))
    #expect(merged.minimumRSSI == rssi)
    #expect(!merged.reportsDuplicates)
  }

  @Test("one scan that wants duplicates is enough")
  func duplicates() {
    #expect(DiscoveryFilter([(ScanFilter(), false), (ScanFilter(), true)])?.reportsDuplicates == true)
  }

  @Test("scans that want the same in another order need no other filter")
  func equality() {
    #expect(
      DiscoveryFilter([(ScanFilter(services: [.heartRate, .batteryService]), false)])
        == DiscoveryFilter([(ScanFilter(services: [.batteryService, .heartRate]), false)]))
  }

  @Test("the arguments name the transport always, the services only when there are some")
  func arguments() throws {
    let wide = try #require(DiscoveryFilter([(ScanFilter(), true)]))
    #expect(
      DBusValue.properties(wide.arguments(withPattern: true))
        == .properties([
          ("Transport", .string("le")), ("RSSI", .int16(-127)), ("DuplicateData", .boolean(true)),
          ("Pattern", .string("")),
        ]))
    let narrow = try #require(
      DiscoveryFilter([(ScanFilter(services: [.heartRate, .batteryService], minimumRSSI: -70), false)]))
    #expect(
      DBusValue.properties(narrow.arguments(withPattern: false))
        == .properties([
          ("Transport", .string("le")), ("RSSI", .int16(-70)), ("DuplicateData", .boolean(false)),
          (
            "UUIDs",
            .strings(["0000180d-0000-1000-8000-00805f9b34fb", "0000180f-0000-1000-8000-00805f9b34fb"])
          ),
        ]))
  }
}
