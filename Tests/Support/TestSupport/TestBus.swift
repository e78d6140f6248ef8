// SPDX-License-Identifier: MIT
package import BLEWorld
package import BlueZSimulator
package import DBus

/// A message bus of a test's own, without a service on it.
package struct TestBus: Sendable {
  package let address: BusAddress
  private let bus: PrivateBus

  fileprivate init(_ bus: PrivateBus) {
    self.bus = bus
    address = BusAddress(bus.address)
  }

  /// Ends the bus while clients are connected.
  package func kill() async { await bus.stop() }
}

/// Runs a test with a bus of its own, which ends with it.
package func withBus<Result>(_ body: (TestBus) async throws -> Result) async throws -> Result {
  let bus = try await PrivateBus.start()
  do {
    let result = try await body(TestBus(bus))
    await bus.stop()
    return result
  } catch {
    await bus.stop()
    throw error
  }
}

/// Runs a test with a simulated BlueZ on a bus of its own, which ends with it.
@discardableResult
package func withSimulator<Result>(
  world: World = .builtIn, timing: SimulatorTiming = .brisk, isExperimental: Bool = false,
  _ body: (SimulatedBus) async throws -> Result
) async throws -> Result {
  let bus = try await VirtualTime.hold {
    try await SimulatedBus.start(world: world, timing: timing, isExperimental: isExperimental)
  }
  do {
    let result = try await body(bus)
    await bus.stop()
    return result
  } catch {
    await bus.stop()
    throw error
  }
}

/// Addresses of the peripherals of docs/built-in-world.md.
package enum Address {
  package static let band = "C8:0F:10:01:02:03"
  package static let piano = "D0:B5:C2:0A:0B:0C"
  package static let strap = "F0:F1:F2:F3:F4:F5"
  package static let thermometer = "E7:10:20:30:40:50"
  package static let beacon = "C1:BE:AC:00:00:01"
  package static let eddystone = "C1:BE:AC:00:00:02"
  package static let ruuviTag = "C1:BE:AC:00:00:03"
  package static let bench = "C2:B1:EC:00:00:01"
  package static let hostileName = "C3:EE:11:00:00:01"
  package static let bare = "C4:BA:4E:00:00:01"
}

/// The UUID of a characteristic of the contract bench, by its number.
package func benchUUID(_ number: String) -> String {
  "b1ec\(number.lowercased())-5c0e-4b1e-a5d2-6b2f0c7e91aa"
}
