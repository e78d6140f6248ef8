// SPDX-License-Identifier: MIT
internal import BlueZSimulator
package import DBus

/// A message bus of a test's own, with nobody on it.
package struct TestBus: Sendable {
  package let address: BusAddress
  private let bus: PrivateBus

  fileprivate init(_ bus: PrivateBus) {
    self.bus = bus
    address = BusAddress(bus.address)
  }

  /// Ends the bus under the feet of whoever is connected.
  package func kill() async { await bus.stop() }
}

/// Runs a test with a bus of its own, which ends with it.
package func withBus<Result>(_ body: (TestBus) async throws -> Result) async throws -> Result {
  let bus = try await VirtualTime.hold { try await PrivateBus.start() }
  do {
    let result = try await body(TestBus(bus))
    await bus.stop()
    return result
  } catch {
    await bus.stop()
    throw error
  }
}
