// SPDX-License-Identifier: MIT

/// A private bus with a simulated BlueZ.
package struct SimulatedBus: Sendable {
  package let bus: PrivateBus
  package let simulator: Simulator

  /// The address for clients.
  package var address: String { bus.address }

  /// Starts a bus and puts a world on it.
  package static func start(
    world: World, timing: SimulatorTiming = SimulatorTiming(), isExperimental: Bool = false
  ) async throws(SimulatorError) -> SimulatedBus {
    let bus = try await PrivateBus.start()
    do throws(SimulatorError) {
      let simulator = try await Simulator.start(
        world: world, on: bus.address, timing: timing, isExperimental: isExperimental)
      return SimulatedBus(bus: bus, simulator: simulator)
    } catch {
      await bus.stop()
      throw error
    }
  }

  /// Ends both.
  ///
  /// Idempotent.
  package func stop() async {
    await simulator.stop()
    await bus.stop()
  }
}
