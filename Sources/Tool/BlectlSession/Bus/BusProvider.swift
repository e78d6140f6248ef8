// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECentral
package import BLEPeripheral
package import BLEWorld
package import BlectlArguments
package import BlueZSimulator
package import DBus
internal import Glibc
package import TerminalOutput
internal import ValueStreams

/// The bus that BlueZ is on, and its managers, opened at first use: the bus of this machine, of another host,
/// or of a simulation that runs for the life of the command.
package final class BusProvider: Sendable {
  private let options: GlobalOptions
  private let console: Console
  private let loop: EventLoop
  /// Names the devices of its managers.
  private let names: DeviceNames
  /// Nil unless the bus is that of another host.
  private let remote = Lock<RemoteBus?>(nil)
  /// The manager being opened, shared by all callers that wait for one.
  private let opening = Lock<Task<CentralManager, any Error>?>(nil)
  /// The world of the simulation, when its file was read; nil is the built-in one.
  private let world = Lock<World?>(nil)
  private let opened = Lock<(central: CentralManager?, simulated: SimulatedBus?)>((nil, nil))

  package init(options: GlobalOptions, loop: EventLoop, console: Console, names: DeviceNames) {
    (self.options, self.loop, self.console, self.names) = (options, loop, console, names)
  }

  package func central() async throws -> CentralManager {
    if let central = opened.withLock({ $0.central }) { return central }
    return try await openedManager()
  }

  /// Opens a manager, or waits for the one that another caller is opening.
  private func openedManager() async throws -> CentralManager {
    if let opening = opening.withLock({ $0 }) { return try await opening.value }
    let task = Task(executorPreference: loop) { try await self.open() }
    opening.exchange(task)
    defer { opening.exchange(nil) }
    return try await task.attachedResult.get()
  }

  private func open() async throws -> CentralManager {
    let bus = try await bus()
    do throws(BLEError) {
      let central = try await CentralManager(
        bus: bus, of: host, adapter: options.wantedAdapter, timeout: options.timeout.limit,
        logger: options.logger(on: console), loop: loop, naming: names)
      if let lost = opened.exchange(\.central, central) { await central.takeLinks(of: lost) }
      return central
    } catch {
      throw explained(error)
    }
  }

  /// Opens a manager, on the selected adapter if `adapter` is nil; the caller closes it.
  package func peripheralManager(adapter: String? = nil) async throws -> PeripheralManager {
    let bus = try await bus()
    do throws(BLEError) {
      return try await PeripheralManager(
        bus: bus, of: host, adapter: adapter ?? options.wantedAdapter, timeout: options.timeout.limit,
        logger: options.logger(on: console), loop: loop)
    } catch {
      throw explained(error)
    }
  }

  /// The host of the bus, if ssh leads to it.
  private var host: BusHost? { remote.withLock { ($0?.host).map(BusHost.init) } }

  /// Adds what ssh printed to an error of opening the bus of another host.
  private func explained(_ error: BLEError) -> any Error {
    guard let remote = remote.withLock(\.self), [.busUnavailable, .timedOut].contains(error.code) else {
      return error
    }
    return remote.explain(error)
  }

  /// Replaces a manager that lost its bus; returns nil, and ``central()`` the lost one, without a bus.
  package func central(insteadOf lost: CentralManager) async throws -> CentralManager? {
    // Its other users lost their bus too.
    if opened.withLock({ $0.central }) === lost { await lost.close(because: .busLost(to: host)) }
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

  /// The address of the bus for the environment of a command; nil where our environment has the right one.
  package func childBusAddress() async throws -> String? {
    let isElsewhere = try options.simulate || options.bus != nil || !options.wantedHosts().isEmpty
    return isElsewhere ? try await busAddress().text : nil
  }

  package func bus() async throws -> Bus {
    if let simulated = opened.withLock({ $0.simulated }) { return .address(simulated.address) }
    if options.simulate {
      try readWorld()
      return .address(try await simulate(world.withLock(\.self) ?? World.builtIn).address)
    }
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

  /// Reads the file of the simulation, once; call before anything begins, such as a log, that a mistake in it would leave.
  package func readWorld() throws(CommandError) {
    guard options.simulate, let file = options.world, world.withLock({ $0 == nil }) else { return }
    world.exchange(try World(given: file, to: "simulate"))
  }

  /// Starts a simulated BlueZ for the life of the command; without a file, it has the built-in world.
  package func simulate(
    _ file: String? = nil, adapters: Int? = nil, bluez: BlueZRelease? = nil
  ) async throws -> SimulatedBus {
    var world = try file.map { try World(given: $0, to: "simulate") } ?? World.builtIn
    if let adapters { world.setAdapterCount(adapters) }
    if let bluez { world.bluez = bluez }
    return try await simulate(world)
  }

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

  /// Prepares for the end of a command that was interrupted: nothing waits for a bus that does not answer.
  package func beginToLeave() { opened.withLock { $0.central }?.beginToLeave() }

  /// Answers open pairing questions because the process ends at once; call on the loop's thread.
  package func abandonPairing() { opened.withLock { $0.central }?.abandonPairing() }

  /// Closes the manager and stops the simulation: takes milliseconds, but up to 2 s if writes without
  /// response are pending or bluetoothd does not answer, and up to 1 s if the host of the bus does not.
  package func close() async {
    let (central, simulated) = opened.withLock { opened in
      defer { opened = (nil, nil) }
      return opened
    }
    await central?.close()
    await simulated?.stop()
  }
}

extension World {
  /// Reads a world file, or takes a built-in world by its name.
  ///
  /// Errors say "cannot `verb`", have status usage, and list the file's mistakes.
  package init(given file: String, to verb: String) throws(CommandError) {
    // A file comes before a built-in world of its name.
    if let known = World.named(file), access(file, F_OK) != 0 {
      self = known
      return
    }
    do throws(WorldFileError) {
      try self.init(file: file) { name, kind in
        let uuids = Vocabulary.known.ownUUIDs(named: name, kind)
        return uuids.count == 1 ? uuids[0] : nil
      }
    } catch {
      var usage = CommandError.usage("cannot \(verb): \(error)")
      usage.details = error.mistakes
      throw usage
    }
  }
}
