// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral

@Suite("ScanFilter")
struct ScanFilterTests {
  @Test("without conditions everything passes, even a device of which nothing is known")
  func open() async throws {
    try await withIdleCentral { central in
      let info = try central.sampleInfo()
      #expect(ScanFilter().allows(info))
    }
  }

  @Test("of each kind one condition must hold, and all kinds")
  func conditions() async throws {
    try await withIdleCentral { central in
      let info = try central.sampleInfo { device in
        device.name = "Heart Strap"
        device.uuids = [.heartRate, .batteryService]
        device.manufacturerData = [0x0157: [1]]
        device.rssi = -60
      }
      let address = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F5"))
      let other = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F6"))
      let passing: [ScanFilter] = [
        ScanFilter(services: [.heartRate]), ScanFilter(services: [.deviceInformation, .batteryService]),
        ScanFilter(addresses: [other, address]), ScanFilter(manufacturers: [1, 0x0157]),
        ScanFilter(minimumRSSI: -60), ScanFilter { $0.hasPrefix("Heart") },
        ScanFilter(
          services: [.heartRate], addresses: [address], manufacturers: [0x0157], minimumRSSI: -90,
          name: { _ in true }),
      ]
      for (number, filter) in passing.enumerated() { #expect(filter.allows(info), "filter \(number)") }
      let failing: [ScanFilter] = [
        ScanFilter(services: [.deviceInformation]), ScanFilter(addresses: [other]),
        ScanFilter(manufacturers: [1]), ScanFilter(minimumRSSI: -59), ScanFilter { $0.hasPrefix("Piano") },
        ScanFilter(services: [.heartRate], addresses: [other]),
        ScanFilter(services: [.heartRate], manufacturers: [1]),
        ScanFilter(services: [.heartRate], minimumRSSI: -59),
        ScanFilter(services: [.heartRate]) { _ in false },
      ]
      for (number, filter) in failing.enumerated() { #expect(!filter.allows(info), "filter \(number)") }
    }
  }

  @Test("what is not known fulfils no condition")
  func unknown() async throws {
    try await withIdleCentral { central in
      let info = try central.sampleInfo()
      #expect(!ScanFilter(services: [.heartRate]).allows(info))
      #expect(!ScanFilter(manufacturers: [1]).allows(info))
      #expect(!ScanFilter(minimumRSSI: -127).allows(info))
      #expect(!ScanFilter { _ in true }.allows(info))
    }
  }
}
