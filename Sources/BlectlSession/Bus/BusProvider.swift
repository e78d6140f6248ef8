// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
package import BLEPeripheral
package import BLEWorld
internal import BlectlArguments
package import BlueZSimulator
package import DBus
package import TerminalOutput

/// The bus that BlueZ is on, and the managers of what is on it, opened at their first use.
///
/// The bus is that of this machine, of another host, or of a simulation that runs for the life of the command.
package final class BusProvider: Sendable {
  private let options: GlobalOptions
  private let console: Console
  private let loop: EventLoop
  /// The bus of another host, if that is used.
  private let remote = Lock<RemoteBus?>(nil)
  /// The manager being opened, shared by all callers that wait for one.
  private let opening = Lock<Task<CentralManager, any Error>?>(nil)
  private let opened = Lock<(central: CentralManager?, simulated: SimulatedBus?)>((nil, nil))

  package init(options: GlobalOptions, loop: EventLoop, console: Console) {
    (self.options, self.loop, self.console) = (options, loop, console)
  }

  /// The manager, opened at the first use.
  package func central() async throws -> CentralManager {
    if let central = opened.withLock({ $0.central }) { return central }
    return try await openedManager()
  }

  /// A new manager: the one that another caller is opening, if any.
  private func openedManager() async throws -> CentralManager {
    if let opening = opening.withLock({ $0 }) { return try await opening.value }
    let task = Task(executorPreference: loop) { try await self.open() }
    opening.exchange(task)
    defer { opening.exchange(nil) }
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func open() async throws -> CentralManager {
    let bus = try await bus()
    do throws(BLEError) {
      let central = try await CentralManager(
        bus: bus, adapter: options.wantedAdapter, timeout: options.timeout.limit,
        logger: options.logger(on: console),
        loop: loop)
      opened.exchange(\.central, central)
      return central
    } catch {
      throw explained(error)
    }
  }

  /// A new manager of what this machine offers; the caller closes it.
  ///
  /// - Parameter adapter: the adapter; nil for the selected one.
  /// - Returns: the manager.
  /// - Throws: ``BLEError`` when BlueZ cannot be reached; ``CommandError`` when the simulation does not start.
  package func peripheralManager(adapter: String? = nil) async throws -> PeripheralManager {
    let bus = try await bus()
    do throws(BLEError) {
      return try await PeripheralManager(
        bus: bus, adapter: adapter ?? options.wantedAdapter, timeout: options.timeout.limit,
        logger: options.logger(on: console), loop: loop)
    } catch {
      throw explained(error)
    }
  }

  /// The error of opening a bus; that of another host says what ssh has printed.
  private func explained(_ error: BLEError) -> any Error {
    guard let remote = remote.withLock(\.self), [.busUnavailable, .timedOut].contains(error.code) else {
      return error
    }
    return remote.explain(error)
  }

  /// A new manager, to replace one that lost its bus; until it is open, ``central()`` is the lost one.
  ///
  /// - Returns: the new manager, which another caller may have opened meanwhile; nil if the bus is still unreachable.
  /// - Throws: `CancellationError`.
  package func central(insteadOf lost: CentralManager) async throws -> CentralManager? {
    // For the others that use it, its bus is lost as well.
    if opened.withLock({ $0.central }) === lost { await lost.close(because: .busLost) }
    if let central = opened.withLock({ $0.central }), central !== lost { return central }
    do {
      return try await openedManager()
    } catch let error as BLEError where error.code == .cancelled {
      throw CancellationError()
    } catch {
      return nil
    }
  }

  /// The address of the bus, for use without the library.
  package func busAddress() async throws -> BusAddress {
    switch try await bus() {
    case .system: .system
    case .address(let text): BusAddress(text)
    }
  }

  /// The address of the bus for the environment of a command; nil where that of ours is right.
  package func childBusAddress() async throws -> String? {
    let isElsewhere = try options.simulate || options.bus != nil || !options.wantedHosts().isEmpty
    return isElsewhere ? try await busAddress().text : nil
  }

  /// The bus that BlueZ is on.
  package func bus() async throws -> Bus {
    if let simulated = opened.withLock({ $0.simulated }) { return .address(simulated.address) }
    if options.simulate { return .address(try await simulate(options.world).address) }
    let hosts = try options.wantedHosts()
    if hosts.count > 1 { throw CommandError.usage("only scan takes several hosts") }
    if let host = hosts.first {
      return .address(
        remote.withLock { remote in
          remote = remote ?? RemoteBus(host)
          return remote?.address ?? ""
        })
    }
    return options.bus.map { .address($0) } ?? .system
  }

  /// Starts a simulated BlueZ for the life of the command, with a world file or the built-in world.
  package func simulate(
    _ file: String? = nil, adapters: Int? = nil, bluez: BlueZRelease? = nil
  ) async throws -> SimulatedBus {
    var world = try file.map { try World(given: $0, to: "simulate") } ?? World.builtIn
    if let adapters { world.setAdapterCount(adapters) }
    if let bluez { world.bluez = bluez }
    return try await simulate(world)
  }

  /// Starts a simulated BlueZ with a world for the life of the command.
  package func simulate(_ world: World) async throws -> SimulatedBus {
    do {
      let simulated = try await SimulatedBus.start(world: world, isExperimental: true)
      opened.exchange(\.simulated, simulated)
      return simulated
    } catch {
      throw CommandError(
        status: .unavailable, message: "cannot start the simulated BlueZ: \(error)",
        hint: error == .busDaemonMissing ? "sudo apt install dbus-daemon" : nil)
    }
  }

  /// Answers open questions of pairings, because the process ends at once.
  ///
  /// Call on the loop's thread.
  package func abandonPairing() { opened.withLock { $0.central }?.abandonPairing() }

  /// Closes the manager and stops the simulation.
  ///
  /// Takes milliseconds; up to 2 s if writes without response are pending or bluetoothd does not answer.
  package func close() async {
    let (central, simulated) = opened.withLock { opened in
      defer { opened = (nil, nil) }
      return opened
    }
    await central?.close()
    await simulated?.stop()
  }
}
