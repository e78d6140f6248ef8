// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// The loss of what the state of the manager does not report, since Bluetooth stays on.
@Suite("Losses with another adapter in CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct OtherAdapterTests {
  private static let late = "C2:5E:ED:00:00:99"
  private static let world = World(
    adapters: World.twoAdapters.adapters,
    peripherals: World.builtIn.peripherals + [
      PeripheralSpec(
        address: late, advertisement: AdvertisementSpec(name: "Late", rssi: -50), isPresent: false)
    ])

  /// How an adapter can be lost.
  enum Fault: CaseIterable {
    case remove, switchOff

    var action: AdapterAction {
      switch self {
      case .remove: .remove
      case .switchOff: .switchOff
      }
    }
  }

  @Test(
    "A link over an adapter that is lost while another is on is reported as lost", arguments: Fault.allCases)
  func link(fault: Fault) async throws {
    try await CentralFixture.run(world: Self.world) { fixture in
      let strap = try await fixture.connected("Heart Strap")
      let old = try await fixture.characteristics("180D", of: strap)[0]
      strap.setNotifyValue(true, for: old)
      _ = await fixture.value(of: old)
      try await fixture.bus.simulator.perform(.adapter(fault.action))
      let error = await fixture.delegate.first { event -> (any Error)?? in
        if case .disconnected(strap, let error, isReconnecting: false) = event { .some(error) } else { nil }
      }
      let code = (error.flatMap { $0 } as? CBError)?.code
      #expect(code == .connectionFailed)
      #expect(strap.state == .disconnected && strap.services == nil && !old.isNotifying)
      #expect(fixture.manager.state == .poweredOn)
      fixture.manager.connect(strap)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      let new = try await fixture.characteristics("180D", of: strap)[0]
      strap.setNotifyValue(true, for: new)
      #expect(await fixture.value(of: new).1 == nil)
    }
  }

  @Test("A link that is to be kept is made over another adapter", arguments: Fault.allCases)
  func keptLink(fault: Fault) async throws {
    try await CentralFixture.run(world: Self.world) { fixture in
      let strap = try await fixture.find("Heart Strap")
      fixture.manager.connect(strap, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      try await fixture.bus.simulator.perform(.adapter(fault.action))
      _ = await fixture.delegate.first {
        if case .disconnected(strap, _?, isReconnecting: true) = $0 { true } else { nil }
      }
      _ = await fixture.delegate.first { if case .connected(strap) = $0 { true } else { nil } }
      #expect(strap.state == .connected)
    }
  }

  @Test("A scan goes on over another adapter", arguments: Fault.allCases)
  func scan(fault: Fault) async throws {
    try await CentralFixture.run(world: Self.world) { fixture in
      fixture.manager.scanForPeripherals(withServices: nil)
      _ = await fixture.delegate.first { if case .discovered = $0 { true } else { nil } }
      try await fixture.bus.simulator.perform(.adapter(fault.action))
      await fixture.bus.simulator.appear(Self.late)
      let found = await fixture.delegate.first { event -> Bool? in
        // Only another adapter can hear it by now.
        if case .discovered(let peripheral, _, _) = event, peripheral.name == "Late" { true } else { nil }
      }
      #expect(found == true)
      #expect(fixture.manager.isScanning && fixture.manager.state == .poweredOn)
    }
  }

  @Test("A scan that BlueZ refuses once is made again", arguments: ["Failed", "NotReady"])
  func refusedScan(error: String) async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let fault = CallFault("StartDiscovery", .bluez(error, "not now"), times: 1)
      try await fixture.bus.simulator.perform(.daemon(.failCalls(fault)))
      fixture.manager.scanForPeripherals(withServices: nil)
      _ = await fixture.delegate.first { if case .discovered = $0 { true } else { nil } }
      #expect(fixture.manager.isScanning)
      fixture.manager.stopScan()
      #expect(!fixture.manager.isScanning)
    }
  }
}
