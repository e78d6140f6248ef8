// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator

/// A running simulation: a private message bus, with a BlueZ and its adapters and peripherals.
///
/// See ``withSimulatedBlueZ(_:_:)``.
public struct SimulatedBlueZ: Sendable {
  private let simulated: SimulatedBus
  private let world: World

  init(_ simulated: SimulatedBus, _ world: World) {
    self.simulated = simulated
    self.world = world
  }

  /// The private message bus, for managers that are not created in the task of the test.
  public var bus: Bus { .address(simulated.address) }

  /// The environment variables with which a child process uses the simulation.
  ///
  /// Any client of BlueZ finds the bus by `DBUS_SYSTEM_BUS_ADDRESS`.
  public var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": simulated.address] }

  /// Returns a peripheral of the world.
  ///
  /// - Parameter name: the name that it advertises, or its address.
  /// - Returns: the peripheral, which a test can change while it runs.
  /// - Throws: ``SimulationError`` if there is none.
  public func peripheral(_ name: String) throws(SimulationError) -> RunningPeripheral {
    let found = world.peripherals.first { $0.advertisement.name == name || $0.address == name }
    guard let found else { throw SimulationError("there is no peripheral \(name)") }
    return RunningPeripheral(found, in: simulated.simulator)
  }

  // MARK: bluetoothd and adapters

  /// Kills bluetoothd, which then closes no link and removes no object.
  ///
  /// - Throws: ``SimulationError``, but not for a bluetoothd that is not running.
  public func killDaemon() async throws(SimulationError) { try await perform(.daemon(.kill)) }

  /// Starts bluetoothd again with its stored devices.
  ///
  /// - Throws: ``SimulationError`` if it does not start.
  public func startDaemon() async throws(SimulationError) { try await perform(.daemon(.start)) }

  /// Makes bluetoothd hang: it answers no call and sends no signal until ``thawDaemon()``.
  ///
  /// - Throws: ``SimulationError``, but not for a bluetoothd that already hangs.
  public func freezeDaemon() async throws(SimulationError) { try await perform(.daemon(.freeze)) }

  /// Ends the hang of bluetoothd, which then answers the waiting calls.
  ///
  /// - Throws: ``SimulationError``, but not for a bluetoothd that does not hang.
  public func thawDaemon() async throws(SimulationError) { try await perform(.daemon(.thaw)) }

  /// Switches an adapter on or off, as another program does.
  ///
  /// - Parameters:
  ///   - isOn: the new state.
  ///   - adapter: its name.
  /// - Throws: ``SimulationError`` if there is no such adapter.
  public func setPowered(_ isOn: Bool, adapter: String = "hci0") async throws(SimulationError) {
    try await perform(.adapter(isOn ? .switchOn : .switchOff, adapter))
  }

  /// Unplugs an adapter.
  ///
  /// - Parameter adapter: its name.
  /// - Throws: ``SimulationError`` if there is no such adapter.
  public func unplugAdapter(_ adapter: String = "hci0") async throws(SimulationError) {
    try await perform(.adapter(.remove, adapter))
  }

  /// Plugs an adapter in: an unplugged one in its old state, or a new one.
  ///
  /// - Parameter adapter: its name.
  /// - Throws: ``SimulationError`` if it is already plugged in.
  public func plugInAdapter(_ adapter: String = "hci0") async throws(SimulationError) {
    try await perform(.adapter(.add, adapter))
  }

  /// Executes a command of `blectl simulate --control`, such as `{"do":"fail-call","method":"Connect","times":1}`.
  ///
  /// The page `blectl-faults(5)` lists all commands.
  ///
  /// - Parameter command: the command, a JSON object.
  /// - Throws: ``SimulationError`` if it is invalid, or cannot be carried out now.
  public func perform(_ command: String) async throws(SimulationError) {
    let request: ControlRequest
    do throws(ControlError) {
      request = try ControlRequest.read(Array(command.utf8))
    } catch {
      throw SimulationError(error)
    }
    guard case .command(let command) = request else {
      throw SimulationError("state changes nothing, and perform has no answer for it")
    }
    try await perform(command)
  }

  private func perform(_ command: ControlCommand) async throws(SimulationError) {
    try await simulated.simulator.performValid(command)
  }
}

extension Simulator {
  /// Executes a command if the control channel of `blectl simulate` accepts it, too.
  func performValid(_ command: ControlCommand) async throws(SimulationError) {
    do throws(ControlError) {
      try command.validate()
      try await perform(command)
    } catch {
      throw SimulationError(error)
    }
  }
}

/// The reason that a simulation cannot start, or cannot do what a test requests.
public struct SimulationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason, in one sentence; for a world file with its line and column.
  public let description: String

  init(_ reason: some CustomStringConvertible) { description = reason.description }
}
