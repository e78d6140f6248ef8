// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import CoreBluetooth
internal import TestSupport
internal import Testing

/// A central manager on a simulated BlueZ, and its delegate.
struct Scene: Sendable {
  let bus: SimulatedBus
  let watcher: Watcher
  let manager: CBCentralManager

  /// Runs a test with a manager whose Bluetooth is on.
  static func run(world: World = .contract, _ body: (Scene) async throws -> Void) async throws {
    try await withSimulator(world: world) { bus in
      let scene = Scene(on: bus)
      _ = await scene.watcher.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      try await body(scene)
    }
  }

  /// A further manager on the same BlueZ.
  init(on bus: SimulatedBus, adapter: String? = nil) {
    self.bus = bus
    watcher = Watcher()
    var options: [String: Any] = ["blectl.bus": bus.address]
    options["blectl.adapter"] = adapter
    manager = CBCentralManager(delegate: watcher, queue: watcher.queue, options: options)
  }

  /// The peripheral with a name, found by a scan.
  func find(_ name: String) async throws -> CBPeripheral {
    manager.scanForPeripherals(withServices: nil)
    let found = await watcher.first { event -> CBPeripheral? in
      if case .discovered(let peripheral, _, _) = event, peripheral.name == name { peripheral } else { nil }
    }
    manager.stopScan()
    return try #require(found)
  }

  /// The peripheral with a name, connected.
  func connected(_ name: String) async throws -> CBPeripheral {
    let peripheral = try await find(name)
    peripheral.delegate = watcher
    manager.connect(peripheral)
    let isConnected: Bool? = await watcher.first { event in
      if case .connected(let other) = event, other === peripheral { true } else { nil }
    }
    try #require(isConnected == true)
    return peripheral
  }

  /// The characteristics of a service, discovered.
  func characteristics(_ service: String, of peripheral: CBPeripheral) async throws -> [CBCharacteristic] {
    peripheral.discoverServices([CBUUID(string: service)])
    _ = await watcher.first { if case .services = $0 { true } else { nil } }
    let found = try #require(peripheral.services?.first { $0.uuid == CBUUID(string: service) })
    peripheral.discoverCharacteristics(nil, for: found)
    _ = await watcher.first { if case .characteristics = $0 { true } else { nil } }
    return try #require(found.characteristics)
  }

  /// The characteristics of the first service of the bench.
  func bench(_ peripheral: CBPeripheral) async throws -> Bench {
    Bench(all: try await characteristics(benchUUID("0001"), of: peripheral))
  }

  /// Waits for the value of a characteristic.
  func value(of characteristic: CBCharacteristic) async -> (Data?, (any Error)?) {
    let found = await watcher.first { event -> (Data?, (any Error)?)? in
      if case .value(let other, let data, let error) = event, other === characteristic {
        (data, error)
      } else {
        nil
      }
    }
    return found ?? (nil, nil)
  }
}

/// The characteristics of the Contract Bench.
struct Bench: Sendable {
  let all: [CBCharacteristic]

  subscript(number: String) -> CBCharacteristic {
    get throws { try #require(all.first { $0.uuid == CBUUID(string: benchUUID(number)) }) }
  }
}
