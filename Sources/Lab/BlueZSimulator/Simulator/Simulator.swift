// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// An imitation of bluetoothd on a bus: simulated peripherals behind the D-Bus interface of BlueZ.
///
/// It shares DBus and BLEFormats with the library under test, but nothing of BLECentral: it has its own copy
/// of BlueZ's rules, errors and names, so that a mistake in either fails a test.
package actor Simulator {
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    EventLoop.simulation.actorExecutor
  }

  /// The address of the bus on which it owns `org.bluez`.
  package nonisolated let address: String
  private(set) var timing: SimulatorTiming
  private let usualClosingTime: Duration
  let version: BlueZRelease
  /// True if the daemon runs with `--experimental`.
  let isExperimental: Bool
  let timers = TimerQueue(loop: .simulation)
  let medium: RadioMedium
  let storage = Storage()
  let faults = DaemonFaults()
  /// Times events and the ends of faults, which continue while the daemon is frozen.
  let events = TimerQueue(loop: .simulation)
  /// The bus, if the simulator owns it.
  private let bus: PrivateBus?
  /// Another program on the bus, from the first command that needs one.
  var otherClient: OtherClient?
  /// The centrals that are not adapters, by their addresses.
  var centrals: [String: SimulatedCentral] = [:]
  /// Unplugged adapters, which return in the same state.
  var unpluggedAdapters: [AdapterSpec] = []
  /// The plugged-in adapters, as the next daemon will find them.
  var adapters: [AdapterSpec]
  var daemon: Daemon?
  /// True if a stopped daemon left the adapters off.
  private var areAdaptersOff = false
  private var connection: Connection?
  private enum Traffic {
    case call(Message)
    /// The end of a client.
    case departure(String)
  }

  /// The calls, and the ends of clients, that came while the daemon was frozen, in order.
  private var held: [Traffic] = []
  private var isFrozen = false
  /// True if the daemon has its name but not yet all objects: like bluetoothd, it answers no call until then.
  private var isStarting = false

  private init(
    world: World, address: String, bus: PrivateBus?, timing: SimulatorTiming, isExperimental: Bool
  ) {
    self.address = address
    self.bus = bus
    self.timing = timing
    usualClosingTime = timing.disconnect
    self.isExperimental = isExperimental
    version = world.bluez
    adapters = world.adapters
    medium = RadioMedium(world.peripherals, timers: timers, timing: timing)
  }

  var isDaemonFrozen: Bool { isFrozen }

  /// Simulates a world as `org.bluez` on the bus at an address; `bus` is that bus, if commands may kill it.
  ///
  /// - Throws: ``SimulatorError`` if the bus is unusable or already has an `org.bluez`.
  package static func start(
    world: World, on address: String, bus: PrivateBus? = nil, timing: SimulatorTiming = SimulatorTiming(),
    isExperimental: Bool = false
  ) async throws(SimulatorError) -> Simulator {
    let simulator = Simulator(
      world: world, address: address, bus: bus, timing: timing, isExperimental: isExperimental)
    try await simulator.startDaemon()
    await simulator.schedule(world.events)
    return simulator
  }

  /// Ends the simulation without signals to clients.
  package func stop() async {
    events.cancelAll()
    killDaemon()
    await otherClient?.leave()
    otherClient = nil
  }

  // MARK: The daemon

  /// Starts the daemon with its stored devices, unless it runs.
  package func startDaemon() async throws(SimulatorError) {
    guard daemon == nil else { return }
    let connection: Connection
    do {
      connection = try await Connection.open(BusAddress(address), on: .simulation)
    } catch {
      throw .busUnusable(error)
    }
    let context = DaemonContext(
      timers: timers, medium: medium, timing: timing, storage: storage, connection: connection,
      faults: faults, version: version, isExperimental: isExperimental)
    let daemon = Daemon(context)
    context.onCrash = { [weak self] in self?.assumeIsolated { $0.killDaemon() } }
    self.daemon = daemon
    self.connection = connection
    isStarting = true
    serve(connection)
    let isOurs: Bool
    do {
      isOurs = try await connection.requestName(BlueZName.service)
    } catch {
      killDaemon()
      throw .busUnusable(error)
    }
    guard isOurs else {
      killDaemon()
      throw .nameTaken
    }
    guard self.daemon === daemon else { return }  // stopped meanwhile
    // Not earlier: clients that follow org.bluez miss signals sent before the name has an owner.
    daemon.start(adapters: adapters, areOff: areAdaptersOff)
    areAdaptersOff = false
    medium.schedulePresenceChanges()
    isStarting = false
    answerHeldCalls()
  }

  /// Kills the daemon, which removes no object and answers no call.
  package func killDaemon() {
    daemon?.vanish()
    endDaemon()
  }

  /// Stops the daemon as a service manager does: it closes its links and removes all objects first.
  package func stopDaemon() {
    daemon?.shutDown()
    areAdaptersOff = daemon != nil
    endDaemon()
  }

  private func endDaemon() {
    daemon = nil
    timers.cancelAll()
    held = []
    (isFrozen, isStarting) = (false, false)
    timers.isPaused = false
    connection?.assumeIsolated { $0.close() }
    connection = nil
  }

  // MARK: The bus

  /// Kills the bus, and with it the daemon and the other program.
  package func killBus() async throws(ControlError) {
    guard let bus else { throw ControlError("", "the bus is not the simulator's own") }
    killDaemon()
    await otherClient?.leave()
    otherClient = nil
    bus.kill()
  }

  /// Starts the bus again, and the daemon, unless they run.
  package func startBus() async throws(SimulatorError) {
    try await bus?.resume()
    try await startDaemon()
  }

  // MARK: Traffic

  private nonisolated func serve(_ connection: Connection) {
    connection.assumeIsolated { connection in
      connection.handleCalls { [weak self] message in
        self?.assumeIsolated { $0.take(message) } ?? false
      }
      _ = connection.subscribe(
        MatchRule(
          sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
          path: BusDriver.path)
      ) { [weak self] message in
        let arguments = message.values.map { $0.text ?? "" }
        guard arguments.count == 3, arguments[0].hasPrefix(":"), arguments[2].isEmpty else { return }
        self?.assumeIsolated { $0.left(arguments[0]) }
      }
      connection.onLoss { [weak self] in self?.assumeIsolated { $0.killDaemon() } }
    }
  }

  /// Executes a call, now or when the daemon resumes.
  ///
  /// - Returns: false if the connection must answer it, as bluetoothd's D-Bus library does.
  @discardableResult
  private func take(_ message: Message) -> Bool {
    guard !isFrozen, !isStarting else {
      held.append(.call(message))
      return true
    }
    guard message.interface != StandardInterface.peer else { return false }
    guard let daemon else { return true }
    answer(message, daemon)
    return true
  }

  /// Handles the end of a client, after the calls that it has made.
  private func left(_ client: String) {
    if isFrozen || isStarting { held.append(.departure(client)) } else { daemon?.clientLeft(client) }
  }

  private func answer(_ message: Message, _ daemon: Daemon) {
    let call = MethodCall(message, on: daemon.tree)
    if let refusal = faults.refusal(of: message.member, at: message.path ?? "") { return call.fail(refusal) }
    daemon.tree.answer(call)
  }

  /// The number of calls that a frozen daemon has not yet answered.
  package var heldCallCount: Int { held.count { if case .call = $0 { true } else { false } } }

  // MARK: Freezing

  /// Sets the time from `Disconnect` to the controller's request to end the link; nil sets the usual one again.
  package func setClosingTime(_ time: Duration?) {
    timing.disconnect = time ?? usualClosingTime
    daemon?.context.timing = timing
  }

  /// Freezes the daemon: it hangs and answers no call.
  package func freeze() {
    isFrozen = true
    timers.isPaused = true
    daemon?.setFrozen(true)
  }

  /// Resumes the daemon, which answers the waiting calls.
  package func thaw() {
    isFrozen = false
    answerHeldCalls()
    timers.isPaused = false
    daemon?.setFrozen(false)
  }

  private func answerHeldCalls() {
    let waiting = held
    held = []
    for traffic in waiting {
      switch traffic {
      case .departure(let client): left(client)
      case .call(let message):
        if !take(message) { _ = connection?.assumeIsolated { $0.answerPeer(message) } }
      }
    }
  }
}

/// A private bus with a simulated BlueZ.
package struct SimulatedBus: Sendable {
  package let bus: PrivateBus
  package let simulator: Simulator

  package var address: String { bus.address }

  package static func start(
    world: World, timing: SimulatorTiming = SimulatorTiming(), isExperimental: Bool = false
  ) async throws(SimulatorError) -> SimulatedBus {
    let bus = try await PrivateBus.start()
    do throws(SimulatorError) {
      let simulator = try await Simulator.start(
        world: world, on: bus.address, bus: bus, timing: timing, isExperimental: isExperimental)
      return SimulatedBus(bus: bus, simulator: simulator)
    } catch {
      await bus.stop()
      throw error
    }
  }

  /// Ends both; idempotent.
  package func stop() async {
    await simulator.stop()
    await bus.stop()
  }
}
