// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator

/// Runs a test with a simulated BlueZ on a private message bus, which ends with it.
///
/// In the task of the test and in the tasks that it starts, the simulation replaces the system bus: a
/// `CentralManager`, `PeripheralManager` or `CBCentralManager` created there uses it by default. One created
/// on another thread, such as in a block on a dispatch queue, needs ``SimulatedBlueZ/bus``. Tests can run at
/// the same time, because each has its own bus.
///
/// The radio is fast. bluetoothd takes as long as a real one, except that it closes a link after 50
/// milliseconds instead of 2 seconds. The program `dbus-daemon` must be installed.
///
/// - Parameters:
///   - world: the adapters and peripherals; by default a few built-in ones.
///   - body: the test.
/// - Returns: what the test returns.
/// - Throws: ``SimulationError`` if the world is invalid or `dbus-daemon` does not start; the test's errors.
@discardableResult
public func withSimulatedBlueZ<Result>(
  _ world: SimulatedWorld = .builtIn, _ body: (SimulatedBlueZ) async throws -> Result
) async throws -> Result {
  let checked = try world.checked()
  let simulated: SimulatedBus
  do throws(SimulatorError) {
    simulated = try await SimulatedBus.start(world: checked, timing: .brisk)
  } catch {
    throw SimulationError("the simulation cannot start: \(error)")
  }
  for peripheral in checked.peripherals { await simulated.simulator.forgetReceived(peripheral.address) }
  do {
    let result = try await Bus.$simulated.withValue(simulated.address) {
      try await body(SimulatedBlueZ(simulated, checked))
    }
    await simulated.stop()
    return result
  } catch {
    await simulated.stop()
    throw error
  }
}
