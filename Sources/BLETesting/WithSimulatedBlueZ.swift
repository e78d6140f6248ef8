// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator

/// Runs a test with a simulated BlueZ on a private message bus, which ends with it.
///
/// In the task of the test and in the tasks that it starts, the simulation stands for the system bus: a `CentralManager`, a
/// `PeripheralManager` or a `CBCentralManager` that is created there uses it without an option. One that is created on
/// another thread, such as in a block on a dispatch queue, needs ``SimulatedBlueZ/bus``. Tests can run at the same time,
/// since each has its own bus.
///
/// The radio is fast, and what bluetoothd does takes as long as in a real one, but for its 2 seconds before it closes a
/// link, which are 50 milliseconds. The program `dbus-daemon` must be installed.
///
/// - Parameters:
///   - world: the adapters and peripherals; by default a few built-in ones.
///   - body: the test.
/// - Returns: what the test returns.
/// - Throws: ``SimulationError`` when the world is invalid or `dbus-daemon` does not start; what the test throws.
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
