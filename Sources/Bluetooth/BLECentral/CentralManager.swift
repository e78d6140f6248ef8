// SPDX-License-Identifier: MIT
public import AsyncIO
public import BlueZClient
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
/// A manager holds one connection to the bus, one model of BlueZ's objects and three match rules; all its
/// scans, links and subscriptions share them. A manager that is released, not closed, ends its scans and subscriptions as
/// ``close()`` does, but leaves its links open. It runs on the thread that reads the bus. The equivalent in
/// CoreBluetooth is `CBCentralManager`.
public actor CentralManager: LoopActor {
  /// The manager's executor: the thread that reads the bus.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  /// An executor for short tasks that handle many values: the thread that reads the bus.
  ///
  /// On another thread, a single notification costs a wake-up, which is as expensive as receiving it. The bus
  /// is not read while a task runs here: the task must not block or compute for long.
  ///
  /// ```swift
  /// let counting = Task(executorPreference: central.taskExecutor) {
  ///   for try await notification in notifications { count += notification.value.count }
  /// }
  /// ```
  public nonisolated var taskExecutor: any TaskExecutor { loop }

  /// True if the bus can pass sockets, for ``NotificationTransport/socket`` and for many writes without
  /// response.
  ///
  /// It cannot if a program such as ssh leads to the bus; those writes then use `WriteValue`.
  public nonisolated var carriesSockets: Bool { client.connection.isDirect }

  nonisolated let client: BlueZClient
  /// Names the devices of every ``PeripheralInfo``; nil for the names of BlueZ.
  nonisolated let naming: (any DeviceNaming)?
  package nonisolated var loop: EventLoop { client.loop }
  private(set) lazy var core = CentralCore(of: self)
  /// Ends everything, for a manager that is being released.
  private var ending: @Sendable () -> Void = {}

  /// Connects to the bus, and reads BlueZ's objects.
  ///
  /// BlueZ: AddMatch rules, then ObjectManager.GetManagedObjects. A missing bluetoothd or adapter does not
  /// throw: see ``state``.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an adapter's address; nil takes the first one that is on.
  ///   - timeout: how long the bus and BlueZ may take to answer; nil sets no limit.
  ///   - logger: the log: `debug` for what the manager skips or retries, `trace` for each message.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  public init(
    bus: Bus = .system, adapter: String? = nil, timeout: Duration? = .seconds(20),
    logger: Logger = Logger(label: "BLECentral") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(BLEError) {
    try await self.init(
      bus: bus.resolved, adapter: adapter, timeout: timeout, logger: logger, loop: .shared)
  }

  /// Connects on a loop that the caller runs, such as the main thread of a command-line tool.
  package init(
    bus: Bus, of host: BusHost? = nil, adapter: String?, timeout: Duration?, logger: Logger, loop: EventLoop,
    naming: (any DeviceNaming)? = nil
  ) async throws(BLEError) {
    await self.init(
      sharing: try await BlueZClient(
        bus: bus, of: host, adapter: adapter, timeout: timeout, logger: logger, loop: loop), naming: naming)
  }

  /// Makes a manager that uses an existing client, which a `PeripheralManager` may share.
  ///
  /// - Parameter client: the client; no other `CentralManager` may use it.
  public init(sharing client: BlueZClient) async { await self.init(sharing: client, naming: nil) }

  private init(sharing client: BlueZClient, naming: (any DeviceNaming)?) async {
    self.client = client
    self.naming = naming
    await core.start()
    ending = loop.confined { [core] in core.end() }
  }

  /// Ends everything without waiting: a shared client stays on the bus.
  ///
  /// Not `isolated`: Swift 6.3 does not compile that in other modules with cross-module optimization ("circular reference").
  deinit { client.loop.submit(ending) }

  // MARK: State

  /// The state of Bluetooth: usable, or the reason for which it is not.
  public var state: BluetoothState { core.state }

  /// Returns the current state and each later one, until the bus is lost, the manager is closed, or the task
  /// is cancelled.
  public func stateUpdates() -> AsyncStream<BluetoothState> {
    client.assumeIsolated { [follower = core.follower] in $0.stateUpdates(for: follower) }
  }

  // MARK: Adapters

  /// Every adapter that BlueZ knows, by name.
  public var adapters: [Adapter] {
    core.client.model.adapters.values.sorted { $0.path < $1.path }.map { Adapter($0) }
  }

  /// Returns the adapter in use: the requested one, else the first that is on, else the first.
  ///
  /// - Throws: ``BLEError`` with code `serviceUnavailable`, `busUnavailable` or `noAdapter`.
  public func currentAdapter() throws(BLEError) -> Adapter {
    Adapter(try core.knownAdapter(for: .useAdapter))
  }

  // MARK: The end

  /// Stops scans and notifications, releases the links in use, and leaves the bus.
  ///
  /// A link is closed when this library opened it and no other program uses it. Pending writes without
  /// response have a second to arrive. The method does not wait for the links to close, which takes BlueZ 2
  /// s. The manager cannot be used afterwards.
  public func close() async {
    await close(because: .managerClosed)
    core.sessions.leaveLinks().abandon()
  }

  /// Closes the manager, and ends every operation that waits for it with an error; another one may replace it.
  package func close(because reason: BLEError) async {
    // Also when the task was cancelled.
    await core.inBackground { [core] in await core.close(because: reason) }.value
  }

  /// Prepares for the end: operations stop to wait for a bus that answers nothing.
  package nonisolated func beginToLeave() { loop.submit { [client] in client.beginToLeave() } }

  // MARK: Operations

  /// Runs an operation on the loop's thread.
  func perform<Result: Sendable>(
    _ body: @Sendable (CentralCore) async -> Result
  ) async -> Result {
    await body(core)
  }

  /// Runs an operation; if its time is over because bluetoothd answers nothing, the error says so.
  func perform<Result: Sendable>(
    _ body: @Sendable (CentralCore) async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    do throws(BLEError) {
      return try await body(core)
    } catch {
      throw await client.explained(error)
    }
  }

  /// Checks that bluetoothd, and the bus, answer a call for which they need nobody else.
  ///
  /// - Parameter action: what the error is about.
  /// - Throws: ``BLEError`` with the one that does not answer.
  package func requireAnswers(during action: BLEError.Action) async throws(BLEError) {
    let silence = BLEError(.timedOut, during: action, "no answer before the timeout")
    let explained = await client.explained(silence)
    if explained != silence { throw explained }
  }

  /// Runs an operation with the session of an attribute; see ``perform(_:)``.
  func perform<Result: Sendable>(
    on target: AttributeTarget,
    _ body: @Sendable (AttributeSession) async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    let device = core.sessions.device(target.devicePath)
    let attribute = core.sessions.attribute(target.path, target.interface, of: device)
    do throws(BLEError) {
      return try await body(attribute)
    } catch {
      throw await client.explained(error)
    }
  }
}
