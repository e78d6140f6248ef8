// SPDX-License-Identifier: MIT
import AsyncIO
import BlueZClient
import Testing

@testable import BLECentral

@Suite("ScanFilter")
struct ScanFilterTests {
  @Test("Without conditions everything passes, even a device of which nothing is known")
  func open() async throws {
    try await withIdleCentral { central in
      let info = try central.sampleInfo()
      #expect(ScanFilter().allows(info))
    }
  }

  @Test("A device passes if one condition of each kind holds")
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

  @Test("The owner of service data matches as a service, if that is wanted")
  func serviceData() async throws {
    try await withIdleCentral { central in
      let info = try central.sampleInfo { $0.serviceData = [.heartRate: [1]] }
      var filter = ScanFilter(services: [.heartRate])
      #expect(!filter.allows(info))
      filter.matchesServiceData = true
      #expect(filter.allows(info))
      filter.services = [.batteryService]
      #expect(!filter.allows(info))
    }
  }

  @Test("An unknown property fulfils no condition")
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

@Suite("ScanTracker", .timeLimit(.minutes(1)))
struct ScanTrackerTests {
  private func tracker(_ filter: ScanFilter = ScanFilter(), reportsDuplicates: Bool = false) -> ScanTracker {
    ScanTracker(
      filter: filter, mode: .active, reportsDuplicates: reportsDuplicates,
      source: BatchSource(loop: .shared))
  }

  /// The events so far, in words.
  private func events(_ tracker: ScanTracker) async -> [String] {
    tracker.source.channel.nudge()
    let events = await tracker.source.channel.next()?.elements ?? []
    return events.map { "\($0.kind.rawValue) \($0.info.name ?? "?")" }
  }

  @Test("A device is found once, and again only when duplicates are asked for", arguments: [false, true])
  func found(reportsDuplicates: Bool) async throws {
    try await withIdleCentral { central in
      let tracker = tracker(reportsDuplicates: reportsDuplicates)
      for rssi in [-60, -70, -60] as [Int16] {
        tracker.heard(
          try central.sampleInfo {
            $0.name = "A"
            $0.rssi = rssi
          }, at: .now)
      }
      #expect(
        await events(tracker) == ["found A"] + (reportsDuplicates ? ["advertised A", "advertised A"] : []))
    }
  }

  @Test(
    "Each fact that becomes known is reported once",
    arguments: [
      { $0.name = "A" }, { $0.txPower = 4 }, { $0.uuids = [.heartRate] }, { $0.manufacturerData = [1: [2]] },
      { $0.serviceData = [.heartRate: [1]] },
    ] as [@Sendable (inout DeviceState) -> Void])
  func changed(fact: @Sendable (inout DeviceState) -> Void) async throws {
    try await withIdleCentral { central in
      let tracker = tracker()
      tracker.heard(try central.sampleInfo(), at: .now)
      tracker.heard(try central.sampleInfo("F0:F1:F2:F3:F4:F5", fact), at: .now)
      tracker.heard(try central.sampleInfo("F0:F1:F2:F3:F4:F5", fact), at: .now)
      let kinds = await events(tracker).map { $0.split(separator: " ")[0] }
      #expect(kinds == ["found", "changed"])
    }
  }

  @Test("A fact that goes and comes back is not reported again: devices rotate their data")
  func rotation() async throws {
    try await withIdleCentral { central in
      let tracker = tracker(reportsDuplicates: true)
      for company in [1, 2, 1, 2] as [UInt16] {
        tracker.heard(try central.sampleInfo { $0.manufacturerData = [company: [0]] }, at: .now)
      }
      #expect(await events(tracker) == ["found ?", "changed ?", "advertised ?", "advertised ?"])
    }
  }

  @Test("A limited number of facts is remembered of a device that invents facts without end")
  func endlessFacts() async throws {
    try await withIdleCentral { central in
      let tracker = tracker()
      func hear(_ company: UInt16) throws {
        tracker.heard(try central.sampleInfo { $0.manufacturerData = [company: [0]] }, at: .now)
      }
      for company in 0..<1000 as Range<UInt16> { try hear(company) }
      try hear(0)
      #expect(await events(tracker).count == 1000)
      try hear(1000)
      try hear(0)
      #expect(await events(tracker) == ["changed ?", "changed ?"])
    }
  }

  @Test("New values of known facts are not reported")
  func values() async throws {
    try await withIdleCentral { central in
      let tracker = tracker()
      for value in 0..<3 as Range<UInt8> {
        tracker.heard(
          try central.sampleInfo {
            $0.name = "A"
            $0.manufacturerData = [1: [value]]
            $0.batteryLevel = value
          }, at: .now)
      }
      #expect(await events(tracker) == ["found A"])
    }
  }

  @Test("A device that the filter stops is neither found nor lost until it passes")
  func filtered() async throws {
    try await withIdleCentral { central in
      let tracker = tracker(ScanFilter(services: [.heartRate]))
      let anonymous = try central.sampleInfo { $0.name = "A" }
      tracker.heard(anonymous, at: .now)
      tracker.lost(anonymous, at: .now)
      tracker.heard(
        try central.sampleInfo {
          $0.name = "A"
          $0.uuids = [.heartRate]
        }, at: .now)
      tracker.heard(try central.sampleInfo("C2:B1:EC:00:00:01"), at: .now)
      #expect(await events(tracker) == ["found A"])
    }
  }

  @Test("A lost device is reported once, and found again when it comes back")
  func lost() async throws {
    try await withIdleCentral { central in
      let tracker = tracker()
      let info = try central.sampleInfo { $0.name = "A" }
      tracker.lost(info, at: .now)
      tracker.heard(info, at: .now)
      tracker.lost(info, at: .now)
      tracker.lost(info, at: .now)
      tracker.heard(info, at: .now)
      #expect(await events(tracker) == ["found A", "lost A", "found A"])
    }
  }

  @Test("The first failure is the one that counts, behind the events before it")
  func failure() async throws {
    try await withIdleCentral { central in
      let tracker = tracker()
      tracker.heard(try central.sampleInfo(), at: .now)
      tracker.fail(BLEError(.poweredOff, during: .scan, "off"))
      tracker.fail(BLEError(.serviceUnavailable, during: .scan, "gone"))
      tracker.heard(try central.sampleInfo("C2:B1:EC:00:00:01"), at: .now)
      #expect(await tracker.source.channel.next()?.elements.count == 1)
      #expect(await tracker.source.channel.next() == nil)
      #expect(tracker.source.ending?.error.code == .poweredOff)
    }
  }
}

extension ScanTracker {
  fileprivate func heard(_ info: PeripheralInfo, at time: Timestamp) { heard(DeviceSighting(info, at: time)) }
  fileprivate func lost(_ info: PeripheralInfo, at time: Timestamp) { lost(DeviceSighting(info, at: time)) }
}
