// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// Requests for links that wait for devices.
@Suite("Pending connections in CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct PendingTests {
  /// Devices that can be connected to.
  private static func address(_ number: Int) -> String { "C2:5E:ED:00:00:0\(number)" }

  private static let world = World(
    peripherals: (0..<8).map { number in
      PeripheralSpec(
        address: address(number),
        advertisement: AdvertisementSpec(name: "Lamp \(number)", interval: .milliseconds(500), rssi: -50),
        services: [ServiceSpec(BluetoothUUID(0x180F), [CharacteristicSpec(BluetoothUUID(0x2A19), 0x02)])])
    })

  /// Finds all, and lets all but the first disappear.
  private func lamps(_ fixture: CentralFixture) async throws -> [CBPeripheral] {
    var lamps: [CBPeripheral] = []
    for number in 0..<8 { lamps.append(try await fixture.find("Lamp \(number)")) }
    for number in 1..<8 { await fixture.bus.simulator.vanish(Self.address(number)) }
    return lamps
  }

  /// Far less than several attempts in vain; one to a peripheral that was heard just before it vanished takes 3 s.
  private static let limit = Duration.seconds(5)

  /// The time until a peripheral is connected.
  private func timeToConnect(_ lamp: CBPeripheral, _ fixture: CentralFixture) async -> Duration {
    let start = LoopClock.now
    fixture.manager.connect(lamp)
    _ = await fixture.delegate.first { event in
      if case .connected(let other) = event, other === lamp { true } else { nil }
    }
    return LoopClock.now - start
  }

  @Test(
    "Requests for absent peripherals do not delay the connection to a present one, however long they wait",
    arguments: [0, 0.3, 5, 17, 60])
  func absent(headStart: Double) async throws {
    VirtualTime.begin()
    try await CentralFixture.run(world: Self.world) { fixture in
      let lamps = try await lamps(fixture)
      for lamp in lamps.dropFirst() { fixture.manager.connect(lamp) }
      try await EventLoop.shared.sleep(for: .seconds(headStart))
      for _ in 0..<2 {
        let time = await timeToConnect(lamps[0], fixture)
        #expect(time < Self.limit)
        fixture.manager.cancelPeripheralConnection(lamps[0])
        _ = await fixture.delegate.first { if case .disconnected = $0 { true } else { nil } }
      }
    }
  }

  @Test("Each of several requests is met soon after its peripheral appears")
  func appearing() async throws {
    VirtualTime.begin()
    try await CentralFixture.run(world: Self.world) { fixture in
      let lamps = try await lamps(fixture)
      for lamp in lamps.dropFirst() { fixture.manager.connect(lamp) }
      try await EventLoop.shared.sleep(for: .seconds(20))
      for number in [5, 1, 7] {
        let start = LoopClock.now
        await fixture.bus.simulator.appear(Self.address(number))
        _ = await fixture.delegate.first { event in
          if case .connected(let other) = event, other === lamps[number] { true } else { nil }
        }
        #expect(LoopClock.now - start < Self.limit)
      }
    }
  }

  @Test("Peripherals that are all present are connected together in little time")
  func present() async throws {
    VirtualTime.begin()
    try await CentralFixture.run(world: Self.world) { fixture in
      let lamps = try await lamps(fixture)
      for number in 1..<8 { await fixture.bus.simulator.appear(Self.address(number)) }
      let start = LoopClock.now
      for lamp in lamps { fixture.manager.connect(lamp) }
      var missing = Set(lamps.map(\.identifier))
      while !missing.isEmpty {
        let connected = await fixture.delegate.first { event in
          if case .connected(let lamp) = event { lamp.identifier } else { nil }
        }
        if let connected { missing.remove(connected) }
      }
      #expect(LoopClock.now - start < Self.limit)
    }
  }

  @Test(
    "A start delay of any number is taken",
    arguments: [Double.infinity, 1e300, .greatestFiniteMagnitude, -.infinity, .nan, -5])
  func startDelay(_ seconds: Double) async throws {
    VirtualTime.begin()
    try await CentralFixture.run(world: Self.world) { fixture in
      let lamp = try await fixture.find("Lamp 0")
      fixture.manager.connect(
        lamp, options: [CBConnectPeripheralOptionStartDelayKey: NSNumber(value: seconds)])
      if seconds > 0 {
        #expect(lamp.state == .connecting)
      } else {
        _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      }
      fixture.manager.cancelPeripheralConnection(lamp)
      _ = await fixture.delegate.first { if case .disconnected = $0 { true } else { nil } }
    }
  }
}
