// SPDX-License-Identifier: MIT
package import AsyncIO
public import BLECore
package import DBus
public import Logging

/// A client of BlueZ for any role: one connection to the bus, one model of BlueZ's objects, and their
/// changes.
///
/// By default, each manager makes its own client. A program that is both a central and a peripheral can share
/// one, and save a connection and a model:
///
/// ```swift
/// let client = try await BlueZClient()
/// let central = await CentralManager(sharing: client)
/// let peripheral = await PeripheralManager(sharing: client)
/// ```
///
/// A client follows bluetoothd through its end and its return. It leaves the bus when its last manager is
/// closed. A client serves at most one central manager.
public actor BlueZClient {
  /// A change that a client reports to its followers.
  package enum Change: Sendable {
    /// A signal has changed objects.
    case objects([ObjectModel.Change])
    /// The service ended, the bus is lost, or the client is closed; carries the last model.
    case lost(BLEError, ObjectModel)
    /// All objects and the outage may have changed: bluetoothd returned its objects, or is away.
    case everything
  }

  /// The executor of the client and its managers: the thread that reads the bus.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  package nonisolated let loop: EventLoop
  package nonisolated let connection: Connection
  package nonisolated let logger: Logger
  package nonisolated let bus: Bus
  package nonisolated let adapterChoice: AdapterChoice

  /// BlueZ's objects, empty during an outage; for code on the loop's thread only.
  ///
  /// If it were isolated to the client, each access from a manager would copy it.
  package nonisolated(unsafe) var model: ObjectModel
  /// Why nothing works: the service or the bus is away, or the client is closed.
  package internal(set) var outage: BLEError?
  /// The unique name of bluetoothd: signals of other senders are ignored.
  package internal(set) var owner: String?
  private var followers: [(number: Int, isCentral: Bool, take: @Sendable (Change) -> Void)] = []
  private var lastFollower = 0
  private var lastNumber = 0
  private var stateObservers: [Int: (follower: Int, continuation: AsyncStream<BluetoothState>.Continuation)] =
    [:]
  private var lastObserver = 0
  private var lastState: BluetoothState?

  /// Connects to the bus, and reads BlueZ's objects.
  ///
  /// BlueZ: AddMatch rules, then ObjectManager.GetManagedObjects. A missing bluetoothd or adapter does not
  /// throw.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an adapter's address; nil takes the first that is on.
  ///   - timeout: how long the bus and BlueZ may take to answer; nil sets no limit.
  ///   - logger: the log: `debug` for what is skipped or retried, `trace` for each message.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
  public init(
    bus: Bus = .system, adapter: String? = nil, timeout: Duration? = .seconds(20),
    logger: Logger = Logger(label: "BlueZClient") { _ in SwiftLogNoOpLogHandler() }
  ) async throws(BLEError) {
    try await self.init(bus: bus, adapter: adapter, timeout: timeout, logger: logger, loop: .shared)
  }

  /// Connects on a loop that the caller runs; can skip properties that advertisements change.
  package init(
    bus: Bus, adapter: String?, keepsAdvertisements: Bool = true, timeout: Duration?, logger: Logger,
    loop: EventLoop
  ) async throws(BLEError) {
    let deadline = Deadline(after: timeout)
    self.loop = loop
    self.logger = logger
    self.bus = bus
    adapterChoice = AdapterChoice(adapter)
    model = ObjectModel(keepsAdvertisements: keepsAdvertisements)
    connection = try await Connection.open(to: bus, on: loop, timeout: timeout, logger: logger)
    try await start(deadline)
  }

  /// Returns a number that is unique among the objects that the client exports to BlueZ.
  package func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Followers

  /// Calls `follower` on the loop for each change from now on; returns the number for ``leave(_:because:)``.
  package func follow(
    asCentral: Bool = false, _ follower: @escaping @Sendable (Change) -> Void
  ) -> Int {
    lastFollower += 1
    followers.append((lastFollower, asCentral, follower))
    return lastFollower
  }

  package var hasCentral: Bool { followers.contains(where: \.isCentral) }

  func report(_ change: Change) {
    for follower in followers { follower.take(change) }
  }

  /// Ends everything of a follower, with the outage from now on, unless the bus is already lost.
  ///
  /// The last follower ends the client, which leaves the bus after sending all pending messages.
  package func leave(_ number: Int, because reason: BLEError) async {
    guard let index = followers.firstIndex(where: { $0.number == number }) else { return }
    if followers.count > 1 {
      let follower = followers.remove(at: index)
      finishStateUpdates { $0 == number }
      follower.take(.lost(reason, model))
      follower.take(.everything)
    } else {
      await connection.closeBehindAll()
      lose(reason.closing(after: outage))
    }
  }

  package nonisolated func forget(_ number: Int) {
    loop.submit { self.assumeIsolated { $0.followers.removeAll { $0.number == number } } }
  }

  // MARK: State

  package var state: BluetoothState { BluetoothState(outage, usedAdapter) }

  /// Returns the current state and each later one, until the bus is lost or the follower leaves.
  package func stateUpdates(for follower: Int) -> AsyncStream<BluetoothState> {
    let (stream, continuation) = AsyncStream.makeStream(of: BluetoothState.self)
    guard followers.contains(where: { $0.number == follower }), outage.map({ !$0.isFinal }) ?? true else {
      continuation.yield(.busUnavailable)
      continuation.finish()
      return stream
    }
    lastObserver += 1
    let number = lastObserver
    stateObservers[number] = (follower, continuation)
    continuation.onTermination = { [weak self, loop] _ in
      loop.submit { [weak self] in self?.assumeIsolated { $0.stateObservers[number] = nil } }
    }
    lastState = state
    continuation.yield(state)
    return stream
  }

  func stateMayHaveChanged() {
    guard !stateObservers.isEmpty, state != lastState else { return }
    lastState = state
    for observer in stateObservers.values { observer.continuation.yield(state) }
  }

  func finishStateUpdates(of isMeant: (_ follower: Int) -> Bool = { _ in true }) {
    for (number, observer) in stateObservers where isMeant(observer.follower) {
      stateObservers[number] = nil
      observer.continuation.finish()
    }
  }

  // MARK: Adapters

  /// The adapter in use: the requested one, else the first that is on, else the first.
  package var usedAdapter: AdapterState? { adapterChoice.first(of: model.adapters.values) }

  /// The adapter in use; fails with the outage, or with `noAdapter`.
  package func adapterInUse(for action: BLEError.Action) -> Result<AdapterState, BLEError> {
    if let outage { return .failure(outage.during(action)) }
    return Result { () throws(BLEError) in
      try adapterChoice.adapter(of: model.adapters.values, for: action)
    }
  }
}
