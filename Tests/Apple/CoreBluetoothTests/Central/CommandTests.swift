// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

/// The order in which commands wait for each other.
@Suite("Commands of CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct CommandTests {
  @Test("A write without response does not wait for a read that the device does not answer")
  func stalled() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      let (stalling, echoing, echo) = (try bench["010D"], try bench["0106"], try bench["0107"])
      peripheral.setNotifyValue(true, for: echo)
      _ = await fixture.delegate.first { if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil } }
      peripheral.readValue(for: stalling)
      peripheral.writeValue(Data([1]), for: echoing, type: .withoutResponse)
      let first = await fixture.delegate.first { event -> CBCharacteristic? in
        if case .value(let characteristic, _, _) = event { characteristic } else { nil }
      }
      #expect(first === echo)
    }
  }

  @Test("Writes with and without response keep their order")
  func mixed() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      let (echoing, echo) = (try bench["0106"], try bench["0107"])
      peripheral.setNotifyValue(true, for: echo)
      for number in 0..<60 {
        peripheral.writeValue(
          Data([UInt8(number)]), for: echoing, type: number % 3 == 0 ? .withResponse : .withoutResponse)
      }
      var values: [UInt8] = []
      while values.count < 60 { values += await fixture.value(of: echo).0 ?? Data() }
      #expect(values == Array(0..<60))
    }
  }

  @Test("Without a link there is no room for a write without response")
  func room() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.find("Contract Bench")
      #expect(!peripheral.canSendWriteWithoutResponse)
    }
  }

  @Test(
    "A value that requires pairing fails with the error of ATT; the next request succeeds, and the peripheral stays connected",
    arguments: [
      ("Just Works", BuiltInDevice.justWorks, CBATTError.insufficientEncryption),
      ("Passkey Shown", BuiltInDevice.passkeyShown, .insufficientAuthentication),
    ])
  func security(_ name: String, _ address: String, _ code: CBATTError.Code) async throws {
    try await CentralFixture.run { fixture in
      await fixture.bus.simulator.appear(address)
      let peripheral = try await fixture.connected(name)
      let values = BenchCharacteristics(
        all: try await fixture.characteristics(benchUUID("0003"), of: peripheral))
      let (open, encrypted) = (try values["0301"], try values["0302"])
      peripheral.readValue(for: encrypted)
      let (_, error) = await fixture.value(of: encrypted)
      #expect((error as? CBATTError)?.code == code)
      peripheral.readValue(for: open)
      let next = await fixture.delegate.first { event -> Data?? in
        switch event {
        case .value(let other, let data, _) where other === open: .some(data)
        case .disconnected: .some(nil)
        default: nil
        }
      }
      #expect(next == Data("open".utf8))
      #expect(peripheral.state == .connected)
    }
  }

  private enum BuiltInDevice {
    static let justWorks = "C7:B0:4D:00:00:01"
    static let passkeyShown = "C7:B0:4D:00:00:02"
  }

  /// A service that includes two secondary ones, of which one notifies.
  private static let including = World(peripherals: [
    PeripheralSpec(
      address: "C2:B1:EC:00:00:02", advertisement: AdvertisementSpec(name: "Including", rssi: -42),
      services: [
        ServiceSpec(
          BluetoothUUID(short: 0x180f), [CharacteristicSpec(BluetoothUUID(short: 0x2a19), 0x12, value: [50])],
          isPrimary: false),
        ServiceSpec(
          BluetoothUUID(short: 0x180a), [CharacteristicSpec(BluetoothUUID(short: 0x2a29), 0x02)],
          isPrimary: false),
        ServiceSpec(
          BluetoothUUID(short: 0x180d), [CharacteristicSpec(BluetoothUUID(short: 0x2a38), 0x02)],
          includes: [.uuid(BluetoothUUID(short: 0x180f)), .uuid(BluetoothUUID(short: 0x180a))]),
      ])
  ])

  @Test(
    "Secondary services come only with those that include them; when the link is lost, they notify no more")
  func secondary() async throws {
    try await CentralFixture.run(world: Self.including) { fixture in
      let peripheral = try await fixture.connected("Including")
      peripheral.discoverServices(nil)
      _ = await fixture.delegate.first { if case .services = $0 { true } else { nil } }
      #expect(peripheral.services?.map(\.uuid.uuidString) == ["180D"])
      let rate = try #require(peripheral.services?.first)
      peripheral.discoverIncludedServices([CBUUID(string: "180F")], for: rate)
      _ = await fixture.delegate.first { if case .includedServices(_, nil) = $0 { true } else { nil } }
      #expect(rate.includedServices?.count == 1)
      let battery = try #require(rate.includedServices?.first)
      #expect(battery.uuid.uuidString == "180F")
      #expect(!battery.isPrimary)
      peripheral.discoverCharacteristics(nil, for: battery)
      _ = await fixture.delegate.first { if case .characteristics = $0 { true } else { nil } }
      let level = try #require(battery.characteristics?.first)
      peripheral.setNotifyValue(true, for: level)
      _ = await fixture.delegate.first { if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil } }
      #expect(level.isNotifying)
      peripheral.discoverIncludedServices([CBUUID(string: "180A")], for: rate)
      _ = await fixture.delegate.first { if case .includedServices(_, nil) = $0 { true } else { nil } }
      #expect(rate.includedServices?.map(\.uuid.uuidString).sorted() == ["180A", "180F"])
      let isKept = rate.includedServices?.contains { $0 === battery }
      #expect(isKept == true)
      await fixture.bus.simulator.dropLink("C2:B1:EC:00:00:02")
      _ = await fixture.delegate.first { if case .disconnected = $0 { true } else { nil } }
      #expect(!level.isNotifying)
    }
  }
}
