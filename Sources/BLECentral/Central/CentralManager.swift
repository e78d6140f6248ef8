// SPDX-License-Identifier: MIT
package import AsyncIO
internal import DBus
public import Logging

/// The way into Bluetooth Low Energy: scans for peripherals and connects to them.
///
/// ```swift
/// let central = try await CentralManager()
/// for try await event in central.scan(ScanFilter(services: [.heartRate])) {
///   print(event.info.name ?? "?", event.info.rssi ?? 0)
/// }
/// ```
///
/// It holds one connection to the bus, one model of BlueZ's objects and three match rules, however much is asked of it.
/// Its work runs on the thread that reads the bus. What CoreBluetooth calls `CBCentralManager`.
public actor CentralManager {
  /// The executor that runs the manager: the thread that reads the bus.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// Where tasks run that take little time for much that comes: the thread that reads the bus.
  ///
  /// A task elsewhere costs a wake-up of its thread for each notification that comes alone, as much as receiving it.
  /// While such a task works, nothing is read: it must not block, nor reckon for long.
  ///
  /// ```swift
  /// let counting = Task(executorPreference: central.taskExecutor) {
  ///   for try await notification in notifications { count += notification.value.count }
  /// }
  /// ```
  public nonisolated var taskExecutor: any TaskExecutor { loop }

  nonisolated let loop: EventLoop
  nonisolated let connection: Connection
  nonisolated let logger: Logger
  let bus: Bus
  let wantedAdapter: String?

  var model = ObjectModel()
  var conditions = Conditions()
  var scans: [Int: ScanTracker] = [:]
  var lastScan = 0
  var discoveries: [String: DiscoverySession] = [:]
  var monitors: [String: MonitorSession] = [:]
  var connectQueues: [String: SerialQueue] = [:]
  var requestQueues: [String: SerialQueue] = [:]
  var notifySessions: [String: NotifySession] = [:]
  var notifyQueues: [String: SerialQueue] = [:]
  var lastSubscription = 0
  /// How many reads of characteristics BlueZ has not answered yet, whether or not somebody still waits for them.
  var readsUnderWay: [String: Int] = [:]
  /// The links to devices that were ever connected, by the path of the device.
  var links: [String: DeviceLink] = [:]
  /// Why nothing works: the service, or the bus, is away.
  private(set) var outage: BLEError?
  /// The unique name of bluetoothd: signals of anybody else are not believed.
  private(set) var owner: String?
  /// Who is told everything that happens.
  var watchers: [EventWatcher] = []
  /// What they were told.
  var tracker: EventTracker?
  private var stateObservers: [Int: AsyncStream<CentralState>.Continuation] = [:]
  private var lastObserver = 0
  private var lastState: CentralState?

  /// Connects to the bus and learns what BlueZ knows.
  ///
  /// BlueZ: AddMatch rules, then ObjectManager.GetManagedObjects. A missing bluetoothd or adapter is not an error yet:
  /// see ``state``.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an adapter's address; nil takes the first that is on.
  ///   - timeout: how long the bus and BlueZ may take to answer; nil is without limit.
  ///   - logger: where the library says what it does: at `debug` what it skips, at `trace` each message.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  public init(
    bus: Bus = .system, adapter: String? = nil, timeout: Duration? = .seconds(20),
    logger: Logger = Logger(label: "BLECentral") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(BLEError) {
    try await self.init(bus: bus, adapter: adapter, timeout: timeout, logger: logger, loop: .shared)
  }

  /// The same on a loop that the caller runs: a command-line tool gives its main thread.
  package init(
    bus: Bus, adapter: String?, timeout: Duration?, logger: Logger, loop: EventLoop
  ) async throws(BLEError) {
    let deadline = Deadline(after: timeout)
    self.loop = loop
    self.logger = logger
    self.bus = bus
    wantedAdapter = adapter
    do {
      connection = try await Connection.open(
        bus.busAddress, on: loop, timeout: timeout, gathersMessages: true, logger: logger)
    } catch {
      throw CentralManager.busError(error, bus)
    }
    try await start(deadline)
  }

  private static func busError(_ error: DBusError, _ bus: Bus) -> BLEError {
    let code: BLEError.Code =
      switch (error.origin, error.name) {
      case (.timedOut, _): .timedOut
      case (.cancelled, _): .cancelled
      case (_, ErrorName.accessDenied): .accessDenied
      default: .busUnavailable
      }
    let message = error.message.isEmpty ? error.name : error.message
    let name = bus == .system ? "the system bus" : "the bus \(bus.busAddress)"
    return BLEError(code, operation: "reach \(name)", message: message, dbusName: error.name)
  }

  // MARK: Start, and start again

  private func start(_ deadline: Deadline) async throws(BLEError) {
    await connection.onLoss { [weak self] in self?.assumeIsolated { $0.loseBus() } }
    await subscribe()
    try await learn(deadline)
  }

  private func subscribe() async {
    let rules = [
      MatchRule(
        sender: BlueZ.service, interface: StandardInterface.objectManager, path: "/"),
      MatchRule(
        sender: BlueZ.service, interface: StandardInterface.properties, member: "PropertiesChanged",
        pathNamespace: BlueZ.rootPath),
      MatchRule(
        sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
        firstArgument: BlueZ.service),
    ]
    for rule in rules {
      _ = await connection.subscribe(rule) { [weak self] message in
        self?.assumeIsolated { $0.receive(message) }
      }
    }
  }

  /// Takes the whole object tree: at the start, and when bluetoothd has come back.
  private func learn(_ deadline: Deadline) async throws(BLEError) {
    let call = Message(
      call: "GetManagedObjects", of: StandardInterface.objectManager, at: "/", to: BlueZ.service)
    do {
      // Applied where it arrives in the message stream: a signal behind it must find the snapshot below it.
      try await connection.call(call, timeout: deadline.remaining) { [weak self] outcome in
        guard let self, case .success(let reply) = outcome else { return }
        assumeIsolated { $0.apply(snapshot: reply) }
      }
    } catch {
      let failure = BLEError(error, operation: "talk to the Bluetooth service")
      guard failure.code == .serviceUnavailable else { throw failure }
      outage = failure
    }
    modelChanged()
  }

  private func apply(snapshot: Message) {
    guard snapshot.hasSignature("a{oa{sa{sv}}}") else {
      // Whoever that is, nothing of it is believed; when it ends and comes back it is asked again.
      (owner, model) = (nil, ObjectModel())
      outage = BLEError(
        .serviceUnavailable, operation: "talk to the Bluetooth service",
        message: "org.bluez answers GetManagedObjects with '\(snapshot.signature)', as no BlueZ does")
      return
    }
    outage = nil
    owner = snapshot.sender
    model.replace(with: snapshot.body)
    logComplaints()
  }

  // MARK: Signals

  private func receive(_ message: Message) {
    guard let owner, message.isSent(by: owner) else {
      if message.isSent(by: BusDriver.name) { nameOwnerChanged(message) }
      return
    }
    guard let path = message.path else { return }
    if message.hasMember("PropertiesChanged") {
      guard message.hasSignature("sa{sv}as") else { return complain(message) }
      apply(message.withBody { model.propertiesChanged(path, &$0) })
    } else if message.hasMember("InterfacesAdded") {
      guard message.hasSignature("oa{sa{sv}}") else { return complain(message) }
      apply(message.withBody { model.interfacesAdded(&$0) })
    } else if message.hasMember("InterfacesRemoved") {
      guard message.hasSignature("oas") else { return complain(message) }
      apply(message.withBody { model.interfacesRemoved(&$0) })
    }
  }

  private func complain(_ message: Message) {
    logger.debug("skipped \(message.member ?? "a signal"): its type is \(message.signature)")
  }

  func logComplaints() {
    for complaint in model.takeComplaints() {
      logger.debug(
        """
        skipped \(complaint.interface).\(complaint.property) of \(complaint.path): \
        its type is \(complaint.signature)
        """)
    }
  }

  private func apply(_ changes: [ObjectModel.Change]) {
    logComplaints()
    for change in changes {
      if case .value(let path, let bytes) = change {
        notifySessions[path]?.signalled(bytes)
      } else {
        follow(change)
        conditions.look(at: model, outage: outage)
      }
      tellWatchers(change)
    }
  }

  /// Lets everybody who waits for the model, or for the state, look at it.
  func modelChanged() {
    conditions.look(at: model, outage: outage)
    stateMayHaveChanged()
    tellWatchersEverything()
  }

  func stateMayHaveChanged() {
    let state = state
    guard state != lastState else { return }
    lastState = state
    for observer in stateObservers.values { observer.yield(state) }
    failScans()
  }

  // MARK: The service comes and goes

  private func nameOwnerChanged(_ message: Message) {
    let arguments = message.values.compactMap(\.text)
    guard arguments.count == 3, arguments[0] == BlueZ.service else { return }
    if arguments[2].isEmpty {
      guard outage == nil else { return }
      loseEverything(
        BLEError(
          .serviceUnavailable, operation: "go on", message: "the Bluetooth service (bluetoothd) ended"))
    } else if arguments[2] != owner {
      Task(executorPreference: loop) { [weak self] in try? await self?.learn(Deadline(after: .seconds(20))) }
    }
  }

  private func loseBus() {
    let error = BLEError(.busUnavailable, operation: "go on", message: "the connection to the bus is lost")
    loseEverything(error)
    failWatchers(error)
    for observer in stateObservers.values { observer.finish() }
    stateObservers = [:]
  }

  func loseEverything(_ error: BLEError) {
    outage = error
    owner = nil
    model = ObjectModel()
    links = [:]
    discoveries = [:]
    forgetMonitors()
    // A socket may still hold values, unless we have closed it ourselves.
    let sessions = Array(notifySessions.values)
    notifySessions = [:]
    endLater(sessions.filter(\.hasSocket), because: error)
    for session in sessions where !session.hasSocket { session.end(error) }
    abandonCalls(under: BlueZ.rootPath, error.message)
    modelChanged()
  }

  // MARK: State and adapters

  /// Whether Bluetooth can be used now.
  public var state: CentralState {
    if let outage { return outage.code == .busUnavailable ? .busUnavailable : .serviceUnavailable }
    guard let adapter = adapterRecord else { return .unsupported }
    if adapter.isPowered { return .poweredOn }
    return adapter.powerState == "off-blocked" ? .blocked : .poweredOff
  }

  /// The state now, and each change of it, until the bus is lost or the task cancelled.
  public func stateUpdates() -> AsyncStream<CentralState> {
    let (stream, continuation) = AsyncStream.makeStream(of: CentralState.self)
    lastObserver += 1
    let number = lastObserver
    stateObservers[number] = continuation
    continuation.onTermination = { [weak self, loop] _ in
      loop.submit { [weak self] in self?.assumeIsolated { $0.stateObservers[number] = nil } }
    }
    lastState = state
    continuation.yield(state)
    return stream
  }

  /// Every adapter that BlueZ knows, by name.
  public var adapters: [Adapter] {
    model.adapters.values.sorted { $0.path < $1.path }.map { Adapter($0) }
  }

  /// The adapter that is used: the one asked for, else the first that is on, else the first.
  ///
  /// - Throws: ``BLEError`` with code `serviceUnavailable`, `busUnavailable` or `noAdapter`.
  public func currentAdapter() throws(BLEError) -> Adapter {
    Adapter(try knownAdapter(for: "use Bluetooth"))
  }

  private var adapterRecord: AdapterRecord? {
    let sorted = model.adapters.values.sorted { $0.path < $1.path }
    guard let wantedAdapter else { return sorted.first { $0.isPowered } ?? sorted.first }
    let address = BluetoothAddress(wantedAdapter)
    return sorted.first { record in
      record.identifier == wantedAdapter || (address != nil && BluetoothAddress(record.address) == address)
    }
  }

  func knownAdapter(for operation: String) throws(BLEError) -> AdapterRecord {
    if var outage {
      outage.operation = operation
      throw outage
    }
    if let adapterRecord { return adapterRecord }
    let message =
      wantedAdapter.map { "there is no Bluetooth adapter \($0)" } ?? "there is no Bluetooth adapter"
    throw BLEError(.noAdapter, operation: operation, message: message)
  }

  /// The adapter, when it is on.
  func poweredAdapter(for operation: String) throws(BLEError) -> AdapterRecord {
    let adapter = try knownAdapter(for: operation)
    try requirePower(of: adapter, for: operation)
    return adapter
  }

  func requirePower(of adapter: AdapterRecord, for operation: String) throws(BLEError) {
    if adapter.isPowered { return }
    if adapter.powerState == "off-blocked" {
      throw BLEError(
        .blocked, operation: operation,
        message: "the adapter \(adapter.identifier) is blocked (rfkill)")
    }
    throw BLEError(.poweredOff, operation: operation, message: "the adapter \(adapter.identifier) is off")
  }
}
