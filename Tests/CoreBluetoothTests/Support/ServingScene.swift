// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// A peripheral manager on one adapter of a simulated BlueZ, and a central manager on another that hears it.
struct ServingScene: Sendable {
  static let service = CBUUID(string: "71DA")

  let bus: SimulatedBus
  let watcher: PeripheralWatcher
  let manager: CBPeripheralManager
  let central: Scene

  /// Runs a test with both.
  static func run(_ body: (ServingScene) async throws -> Void) async throws {
    try await withSimulator(world: .twoAdapters) { bus in
      let scene = ServingScene(on: bus)
      _ = await scene.watcher.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      _ = await scene.central.watcher.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      try await body(scene)
    }
  }

  private init(on bus: SimulatedBus) {
    self.bus = bus
    watcher = PeripheralWatcher()
    manager = CBPeripheralManager(
      delegate: watcher, queue: watcher.queue,
      options: ["blectl.bus": bus.address, "blectl.adapter": "hci0"])
    central = Scene(on: bus, adapter: "hci1")
  }

  /// Publishes characteristics in a service, and advertises it.
  func serve(_ characteristics: [CBMutableCharacteristic]) async throws -> CBMutableService {
    let service = CBMutableService(type: Self.service, primary: true)
    service.characteristics = characteristics
    manager.add(service)
    let added = await watcher.first { event -> String? in
      if case .added(let other, let error) = event, other === service { "\(error as Any)" } else { nil }
    }
    #expect(added == "nil")
    manager.startAdvertising([
      CBAdvertisementDataLocalNameKey: "Served", CBAdvertisementDataServiceUUIDsKey: [Self.service],
    ])
    let started = await watcher.first {
      if case .advertising(let error) = $0 { "\(error as Any)" } else { nil }
    }
    #expect(started == "nil")
    #expect(manager.isAdvertising)
    return service
  }

  /// Connects the central, and discovers the characteristics of the service.
  func connect() async throws -> (CBPeripheral, [CBCharacteristic]) {
    let peripheral = try await central.connected("Served")
    return (peripheral, try await central.characteristics("71DA", of: peripheral))
  }
}
