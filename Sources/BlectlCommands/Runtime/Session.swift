// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
internal import BlectlArguments
internal import BlueZSimulator
internal import DBus
internal import Logging
internal import TerminalOutput

/// One run of a command: its console, its options, and the resources to release at its end.
final class Session: Sendable {
  let console: Console
  let options: CommonOptions
  let loop: EventLoop
  private let showsProgress = Lock(false)
  let isPrompting = Lock(false)
  /// The bus of another host, if that is used.
  private let remote = Lock<RemoteBus?>(nil)
  private let onResize = Lock<(@Sendable () -> Void)?>(nil)
  private let onInterrupt = Lock<(@Sendable () -> Bool)?>(nil)
  /// The manager being opened, shared by all callers that wait for one.
  private let opening = Lock<Task<CentralManager, any Error>?>(nil)
  private let opened = Lock<(central: CentralManager?, simulated: SimulatedBus?)>((nil, nil))
  /// The session that has opened the bus and owns the manager; nil for the session of a process.
  private let owner: Session?
  /// The open link that commands use instead of opening one: that of a script.
  let link: Link?
  /// Whether remarks are left out: a script would repeat them at every step.
  private let isTerse: Bool
  /// Learns what is sent and received.
  let observer: (any SessionObserver)?

  init(options: CommonOptions, loop: EventLoop, console: Console) {
    self.options = options
    self.loop = loop
    self.console = console
    (owner, link, observer, isTerse) = (nil, nil, nil, false)
  }

  /// A session for one line of a script, over an open link.
  ///
  /// - Parameters:
  ///   - owner: the session that opened the link.
  ///   - link: the link; nil while there is none.
  ///   - options: the options of the line.
  ///   - console: what the line prints to.
  ///   - isTerse: whether remarks are left out.
  ///   - observer: learns what is sent and received.
  init(
    of owner: Session, over link: Link?, options: CommonOptions, console: Console, isTerse: Bool,
    observer: (any SessionObserver)?
  ) {
    self.owner = owner
    self.link = link
    self.isTerse = isTerse
    self.options = options
    self.console = console
    self.observer = observer
    loop = owner.loop
  }

  /// The sessions that a command needs to use several hosts: one for each; else only this one.
  func sessionsOfHosts() throws -> [(host: String?, session: Session)] {
    let hosts = try options.wantedHosts()
    guard hosts.count > 1 else { return [(nil, self)] }
    return hosts.map { host in
      var options = options
      options.host = [host]
      return (host.description, Session(options: options, loop: loop, console: console))
    }
  }

  /// The limit of every wait; nil is none.
  var timeout: Duration? { options.timeout.limit }

  /// Prints what has happened to a device, unless `-q` was given, or the session is that of a script.
  func remark(_ event: String, of info: PeripheralInfo) {
    remark("\(event): \(info.name ?? "no name") (\(info.address))")
  }

  /// Prints a remark on stderr, unless `-q` was given, or the session is that of a script.
  func remark(_ text: String) {
    if !options.quiet, !isTerse { console.note(TerminalSafe.escaped(text)) }
  }

  /// Sets the action for changes of the terminal size.
  func onResize(_ action: @escaping @Sendable () -> Void) { onResize.exchange(action) }

  /// Reports a change of the terminal size.
  func terminalResized() { onResize.withLock { $0 }?() }

  /// Sets an action for Ctrl-C that returns whether the process goes on; nil ends it.
  func onInterrupt(_ action: (@Sendable () -> Bool)?) { onInterrupt.exchange(action) }

  /// Reports Ctrl-C; returns whether the process goes on.
  func interrupted() -> Bool { onInterrupt.withLock { $0 }?() ?? false }

  /// Claims the progress line; false if it is taken.
  func beginProgress() -> Bool {
    if let owner { return owner.beginProgress() }
    return showsProgress.withLock { isTaken in
      defer { isTaken = true }
      return !isTaken
    }
  }

  /// Releases the progress line.
  func endProgress() {
    if let owner { return owner.endProgress() }
    showsProgress.withLock { $0 = false }
  }

  /// Gives the terminal to a question: progress and live views pause.
  func beginPrompt() {
    isPrompting.withLock { $0 = true }
    TerminalRestorer.beginQuestion()
    console.clearProgress()
  }

  /// Lets progress and views be shown again.
  func endPrompt() {
    isPrompting.withLock { $0 = false }
    TerminalRestorer.endQuestion()
    (owner ?? self).terminalResized()
  }

  // MARK: Bluetooth

  /// The manager, opened at the first use.
  func central() async throws -> CentralManager {
    if let owner { return try await owner.central() }
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
        bus: bus, adapter: wantedAdapter, timeout: timeout, logger: logger, loop: loop)
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
  func peripheralManager(adapter: String? = nil) async throws -> PeripheralManager {
    let bus = try await bus()
    do throws(BLEError) {
      return try await PeripheralManager(
        bus: bus, adapter: adapter ?? wantedAdapter, timeout: timeout, logger: logger, loop: loop)
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
  func central(insteadOf lost: CentralManager) async throws -> CentralManager? {
    if let owner { return try await owner.central(insteadOf: lost) }
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

  /// The selected adapter: that of `--adapter`, else of `BLECTL_ADAPTER`.
  var wantedAdapter: String? {
    options.adapter ?? Console.environment("BLECTL_ADAPTER").flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The address of the bus, for use without the library.
  func busAddress() async throws -> BusAddress {
    switch try await bus() {
    case .system: .system
    case .address(let text): BusAddress(text)
    }
  }

  /// The address of the bus for the environment of a command; nil where that of ours is right.
  func childBusAddress() async throws -> String? {
    let isElsewhere = try options.simulate || options.bus != nil || !options.wantedHosts().isEmpty
    return isElsewhere ? try await busAddress().text : nil
  }

  /// The bus that BlueZ is on.
  func bus() async throws -> Bus {
    if let owner { return try await owner.bus() }
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
  func simulate(
    _ file: String? = nil, adapters: Int? = nil, bluez: BlueZRelease? = nil
  ) async throws -> SimulatedBus {
    var world = try file.map { try World(given: $0, to: "simulate") } ?? World.builtIn
    if let adapters { world.setAdapterCount(adapters) }
    if let bluez { world.bluez = bluez }
    return try await simulate(world)
  }

  /// Starts a simulated BlueZ with a world for the life of the command.
  func simulate(_ world: World) async throws -> SimulatedBus {
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

  /// The logger of the library: `-v` prints remarks on stderr, `-vv` also the D-Bus traffic and skipped data.
  var logger: Logger {
    let console = console
    var logger = Logger(label: "blectl") { _ in ConsoleLogHandler(console: console) }
    logger.logLevel = options.verbose > 1 ? .trace : options.verbose == 1 ? .info : .critical
    return logger
  }

  /// Answers open questions of pairings, because the process ends at once.
  ///
  /// Call on the loop's thread.
  func abandonPairing() { opened.withLock { $0.central }?.abandonPairing() }

  /// Closes the manager and stops the simulation.
  ///
  /// Takes milliseconds; up to 2 s if writes without response are pending or bluetoothd does not answer.
  func close() async {
    let (central, simulated) = opened.withLock { opened in
      defer { opened = (nil, nil) }
      return opened
    }
    await central?.close()
    await simulated?.stop()
  }

  // MARK: Time

  /// Runs `body` with a time limit; reaching the limit is not an error.
  func limited(to duration: Duration?, _ body: @escaping @Sendable () async throws -> Void) async throws {
    guard let duration else { return try await body() }
    let loop = loop
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await body() }
      group.addTask(executorPreference: loop) { try await loop.sleep(for: duration) }
      defer { group.cancelAll() }
      try await group.next()
    }
  }
}

extension World {
  /// The world of a file on the command line.
  ///
  /// - Parameters:
  ///   - file: the file.
  ///   - verb: what it is for, in errors.
  /// - Throws: ``CommandError`` with status usage and the mistakes of the file.
  init(given file: String, to verb: String) throws(CommandError) {
    do throws(WorldFileError) {
      try self.init(file: file)
    } catch {
      var usage = CommandError.usage("cannot \(verb): \(error)")
      usage.details = error.mistakes
      throw usage
    }
  }
}
