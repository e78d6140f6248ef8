// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// An imitation of bluetoothd 5.66 on a bus: peripherals that exist only as data, behind the D-Bus interface of BlueZ.
///
/// It shares nothing with the library that is tested against it, not even the spelling of a name.
package actor Simulator {
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    EventLoop.simulation.actorExecutor
  }

  /// The bus on which it is `org.bluez`.
  package nonisolated let address: String
  let timing: SimulatorTiming
  /// Whether the daemon was started with `--experimental`.
  let isExperimental: Bool
  let agenda = Agenda(loop: .simulation)
  let air: Air
  let storage = Storage()
  let faults = DaemonFaults()
  /// What happens by itself, and is undone by itself: it is not paused where the daemon is frozen.
  let events = Agenda(loop: .simulation)
  /// Another program on the bus, once there is one.
  var otherClient: OtherClient?
  /// Adapters that were unplugged: they come back as they were.
  var unpluggedAdapters: [AdapterSpec] = []
  /// The adapters that are plugged in, as the next daemon will find them.
  var adapters: [AdapterSpec]
  var daemon: Daemon?
  /// Whether a daemon that ended in order has left the adapters off.
  private var areAdaptersOff = false
  private var connection: Connection?
  /// Calls that came while the simulation was frozen.
  private var held: [Message] = []
  private var isFrozen = false

  private init(world: World, address: String, timing: SimulatorTiming, isExperimental: Bool) {
    self.address = address
    self.timing = timing
    self.isExperimental = isExperimental
    adapters = world.adapters
    air = Air(world.peripherals, agenda: agenda, timing: timing)
  }

  /// Whether the daemon hangs.
  var isDaemonFrozen: Bool { isFrozen }

  /// Puts a world on a bus, as `org.bluez`.
  package static func start(
    world: World, on address: String, timing: SimulatorTiming = SimulatorTiming(),
    isExperimental: Bool = false
  ) async throws(SimulatorError) -> Simulator {
    let simulator = Simulator(
      world: world, address: address, timing: timing, isExperimental: isExperimental)
    try await simulator.startDaemon()
    await simulator.expect(world.events)
    return simulator
  }

  /// Ends the simulation without a word to its clients.
  package func stop() async {
    events.cancelAll()
    killDaemon()
    await otherClient?.leave()
    otherClient = nil
  }

  // MARK: The daemon

  /// Starts the daemon, if it does not run: it comes back with what it had stored.
  package func startDaemon() async throws(SimulatorError) {
    guard daemon == nil else { return }
    let connection: Connection
    do {
      connection = try await Connection.open(BusAddress(address), on: .simulation)
    } catch {
      throw .busUnusable(error)
    }
    let daemon = Daemon(
      agenda: agenda, air: air, timing: timing, storage: storage, connection: connection,
      faults: faults, isExperimental: isExperimental)
    daemon.onCrash = { [weak self] in self?.assumeIsolated { $0.killDaemon() } }
    self.daemon = daemon
    self.connection = connection
    serve(connection)
    let isOurs: Bool
    do {
      isOurs = try await connection.requestName(BlueZ.service)
    } catch {
      killDaemon()
      throw .busUnusable(error)
    }
    guard isOurs else {
      killDaemon()
      throw .nameTaken
    }
    guard self.daemon === daemon else { return }  // stopped meanwhile
    // Only now: who follows org.bluez would not see what is told before it has an owner.
    daemon.start(adapters: adapters, areOff: areAdaptersOff)
    areAdaptersOff = false
    air.followTimetable()
  }

  /// Kills the daemon: no object is taken back, no call is answered.
  package func killDaemon() {
    daemon?.vanish()
    endDaemon()
  }

  /// Stops the daemon as a service manager does: links are closed and every object is taken back first.
  package func stopDaemon() {
    daemon?.shutDown()
    areAdaptersOff = daemon != nil
    endDaemon()
  }

  private func endDaemon() {
    daemon = nil
    agenda.cancelAll()
    held = []
    isFrozen = false
    agenda.isPaused = false
    connection?.assumeIsolated { $0.close() }
    connection = nil
  }

  // MARK: Traffic

  private func serve(_ connection: Connection) {
    connection.assumeIsolated { connection in
      connection.handleCalls { [weak self] message in
        self?.assumeIsolated { $0.take(message) }
        return true
      }
      _ = connection.subscribe(
        MatchRule(
          sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
          path: BusDriver.path)
      ) { [weak self] message in
        let arguments = message.values.map { $0.text ?? "" }
        guard arguments.count == 3, arguments[0].hasPrefix(":"), arguments[2].isEmpty else { return }
        self?.assumeIsolated { $0.daemon?.clientLeft(arguments[0]) }
      }
      connection.onLoss { [weak self] in self?.assumeIsolated { $0.killDaemon() } }
    }
  }

  private func take(_ message: Message) {
    guard !isFrozen else { return held.append(message) }
    guard let daemon else { return }
    let call = MethodCall(message, on: daemon.tree)
    if let refusal = faults.refusal(of: message.member, at: message.path ?? "") { return call.fail(refusal) }
    daemon.tree.answer(call)
  }

  // MARK: Freezing

  /// Stops answering and doing anything, as a daemon that hangs.
  package func freeze() {
    isFrozen = true
    agenda.isPaused = true
  }

  /// Goes on where it was frozen: what waited is answered now.
  package func thaw() {
    isFrozen = false
    let waiting = held
    held = []
    for message in waiting { take(message) }
    agenda.isPaused = false
  }
}
