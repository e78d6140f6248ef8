// SPDX-License-Identifier: MIT
package import BlueZSimulator

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
