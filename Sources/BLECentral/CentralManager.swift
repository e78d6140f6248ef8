// SPDX-License-Identifier: MIT
package import AsyncIO
internal import DBus
public import Logging

/// The entry point to Bluetooth Low Energy: scans for peripherals and connects to them.
///
/// ```swift
/// let central = try await CentralManager()
/// for try await event in central.scan(ScanFilter(services: [.heartRate])) {
///   print(event.info.name ?? "?", event.info.rssi ?? 0)
/// }
/// ```
///
/// A manager holds one connection to the bus, one model of BlueZ's objects and three match rules, however many scans,
/// links and subscriptions share it. Its work runs on the thread that reads the bus. CoreBluetooth calls it
/// `CBCentralManager`.
public actor CentralManager {
  /// The executor that runs the manager: the thread that reads the bus.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// An executor for short tasks that handle many values: the thread that reads the bus.
  ///
  /// Elsewhere, a notification that comes alone costs a wake-up of the task's thread, as much as receiving it. While a
  /// task runs here, nothing is read: it must not block or compute for long.
  ///
  /// ```swift
  /// let counting = Task(executorPreference: central.taskExecutor) {
  ///   for try await notification in notifications { count += notification.value.count }
  /// }
  /// ```
  public nonisolated var taskExecutor: any TaskExecutor { loop }

  /// Whether sockets can come over the bus: for ``NotificationTransport/socket``, and for many writes without response.
  ///
  /// Not if a program such as ssh leads to the bus: those writes then go through `WriteValue`.
  public nonisolated var carriesSockets: Bool { connection.isDirect }

  nonisolated let loop: EventLoop
  nonisolated let connection: Connection
  nonisolated let logger: Logger
  let bus: Bus
  let adapterChoice: AdapterChoice

  var model = ObjectModel()
  var conditions = Conditions()
  /// What the manager does with each adapter, device and attribute, by its path.
  var adapterSessions: [String: AdapterSession] = [:]
  var deviceSessions: [String: DeviceSession] = [:]
  var attributeSessions: [String: AttributeSession] = [:]
  /// The paths of devices whose services bluetoothd was looking for when it ended.
  var endedWithCache: Set<String> = []
  /// Whether the manager listens to why links end.
  var followsLinkEnds = false
  /// The pairing agent.
  let agent = AgentSession()
  /// Why nothing works: the service, or the bus, is away.
  var outage: BLEError?
  /// The unique name of bluetoothd: signals of other senders are ignored.
  var owner: String?
  /// Reports what happens to the readers of events.
  let reporter = EventReporter()
  private var stateObservers: [Int: AsyncStream<BluetoothState>.Continuation] = [:]
  private var lastObserver = 0
  private var lastState: BluetoothState?

  /// Connects to the bus and reads BlueZ's objects.
  ///
  /// BlueZ: AddMatch rules, then ObjectManager.GetManagedObjects. A missing bluetoothd or adapter is not an error here:
  /// see ``state``.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an adapter's address; nil takes the first that is on.
  ///   - timeout: how long the bus and BlueZ may take to answer; nil is without limit.
  ///   - logger: the log: at `debug` what the manager skips or tries again, at `trace` each message.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  public init(
    bus: Bus = .system, adapter: String? = nil, timeout: Duration? = .seconds(20),
    logger: Logger = Logger(label: "BLECentral") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(BLEError) {
    try await self.init(
      bus: bus.resolved, adapter: adapter, timeout: timeout, logger: logger, loop: .shared)
  }

  /// Does the same on a loop that the caller runs, such as the main thread of a command-line tool.
  package init(
    bus: Bus, adapter: String?, timeout: Duration?, logger: Logger, loop: EventLoop
  ) async throws(BLEError) {
    let deadline = Deadline(after: timeout)
    self.loop = loop
    self.logger = logger
    self.bus = bus
    adapterChoice = AdapterChoice(adapter)
    connection = try await Connection.open(to: bus, on: loop, timeout: timeout, logger: logger)
    try await start(deadline)
  }

  // MARK: State

  /// Whether Bluetooth can be used now.
  public var state: BluetoothState { BluetoothState(outage, usedAdapter) }

  /// The current state, then each change of it, until the bus is lost, the manager is closed, or the task
  /// is cancelled.
  public func stateUpdates() -> AsyncStream<BluetoothState> {
    let (stream, continuation) = AsyncStream.makeStream(of: BluetoothState.self)
    lastObserver += 1
    let number = lastObserver
    stateObservers[number] = continuation
    continuation.onTermination = { [weak self, loop] _ in
      loop.submit { [weak self] in self?.assumeIsolated { $0.stateObservers[number] = nil } }
    }
    lastState = state
    continuation.yield(state)
    if let outage, outage.isFinal { continuation.finish() }
    return stream
  }

  /// Reports a change of the state, if it has changed.
  func stateMayHaveChanged() {
    let state = state
    guard state != lastState else { return }
    lastState = state
    for observer in stateObservers.values { observer.yield(state) }
    failScans()
  }

  func finishStateUpdates() {
    for observer in stateObservers.values { observer.finish() }
    stateObservers = [:]
  }

  // MARK: Adapters

  /// Every adapter that BlueZ knows, by name.
  public var adapters: [Adapter] {
    model.adapters.values.sorted { $0.path < $1.path }.map { Adapter($0) }
  }

  /// The adapter in use: the one that was asked for, else the first that is on, else the first.
  ///
  /// - Throws: ``BLEError`` with code `serviceUnavailable`, `busUnavailable` or `noAdapter`.
  public func currentAdapter() throws(BLEError) -> Adapter {
    Adapter(try knownAdapter(for: .useAdapter))
  }

  private var usedAdapter: AdapterState? { adapterChoice.first(of: model.adapters.values) }

  func knownAdapter(for action: BLEError.Action) throws(BLEError) -> AdapterState {
    if let outage { throw outage.during(action) }
    return try adapterChoice.adapter(of: model.adapters.values, for: action)
  }

  /// The adapter in use.
  ///
  /// - Throws: ``BLEError`` when there is none, or it is off.
  func poweredAdapter(for action: BLEError.Action) throws(BLEError) -> AdapterState {
    let adapter = try knownAdapter(for: action)
    try adapter.requirePower(for: action)
    return adapter
  }
}
