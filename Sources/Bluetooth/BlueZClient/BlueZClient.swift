// SPDX-License-Identifier: MIT
public import AsyncIO
internal import BLEFormats
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
public actor BlueZClient: LoopActor {
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
  /// The host of the bus, if ssh leads to it.
  nonisolated let host: BusHost?
  package nonisolated let adapterChoice: AdapterChoice

  /// BlueZ's objects, empty during an outage; for code on the loop's thread only.
  ///
  /// If it were isolated to the client, each access from a manager would copy it.
  package nonisolated(unsafe) var model: ObjectModel
  /// Reads a device in place, for code on the loop's thread; returns nil if there is none.
  ///
  /// A copy takes long for one that is heard a thousand times a second. `body` must not use the model.
  package nonisolated func withDevice<Value>(_ path: String, _ body: (DeviceState) -> Value) -> Value? {
    model.devices.change(path) { body($0) }
  }
  /// The reason for an outage: the service or the bus is away, or the client is closed.
  package private(set) var outage: BLEError?
  /// The reason for leaving the bus; nil while the client stays on it.
  var ending: BLEError?
  /// The unique name of bluetoothd: signals of other senders are ignored.
  package private(set) var owner: String?
  private var followers: [(number: Int, isCentral: Bool, take: @Sendable (Change) -> Void)] = []
  /// The followers of values, by characteristic.
  private var valueFollowers: [String: @Sendable ([UInt8]) -> Void] = [:]
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
    bus: Bus, of host: BusHost? = nil, adapter: String?, keepsAdvertisements: Bool = true,
    timeout: Duration?, logger: Logger, loop: EventLoop
  ) async throws(BLEError) {
    let deadline = Deadline(after: timeout)
    self.loop = loop
    self.logger = logger
    (self.bus, self.host) = (bus, host)
    adapterChoice = AdapterChoice(adapter)
    model = ObjectModel(keepsAdvertisements: keepsAdvertisements)
    do {
      connection = try await Connection.open(
        bus.busAddress, on: loop, timeout: timeout, gathersMessages: true, logger: logger)
    } catch {
      throw BLEError(reaching: bus, error)
    }
    try await start(deadline)
  }

  // MARK: BlueZ's objects

  private func start(_ deadline: Deadline) async throws(BLEError) {
    let rules = [
      MatchRule(sender: BlueZ.service, interface: StandardInterface.objectManager, path: "/"),
      MatchRule(
        sender: BlueZ.service, interface: StandardInterface.properties, member: "PropertiesChanged",
        pathNamespace: BlueZ.rootPath),
      MatchRule(
        sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
        firstArgument: BlueZ.service),
    ]
    await connection.onLoss { [weak self] in self?.assumeIsolated { $0.lose($0.busLoss) } }
    for rule in rules {
      _ = await connection.subscribe(rule, handler: handler { $0.receive($1) })
    }
    try await learn(deadline)
  }

  /// Reads all objects, at the start and after bluetoothd came back.
  private func learn(_ deadline: Deadline) async throws(BLEError) {
    do {
      try await connection.call(BlueZ.getManagedObjects, timeout: deadline.remaining) { [weak self] outcome in
        // In order with the signals.
        self?.assumeIsolated { client in
          switch outcome {
          case .success(let reply): client.apply(snapshot: reply)
          case .failure(let error): client.serviceIsMissing(BLEError(error, during: .queryService))
          }
        }
      }
    } catch {
      let failure = BLEError(error, during: .queryService)
      guard failure.code == .serviceUnavailable else { throw await explained(failure) }
    }
  }

  private func serviceIsMissing(_ failure: BLEError) {
    guard failure.code == .serviceUnavailable else { return }
    outage = failure
    everythingChanged()
  }

  private func apply(snapshot: Message) {
    // Two calls were under way: since the first reply, the model has followed the signals.
    if outage == nil, let owner, snapshot.isSent(by: owner) { return }
    if model.replace(byAnswer: snapshot) {
      outage = nil
      owner = snapshot.sender
    } else {
      // This is not BlueZ: ignore it until it ends and its successor is asked.
      outage = BLEError(
        .serviceUnavailable, during: .queryService,
        "org.bluez is not BlueZ: it replies to GetManagedObjects with '\(snapshot.signature)'")
      owner = nil
    }
    everythingChanged()
  }

  private func everythingChanged() {
    logMismatches()
    stateMayHaveChanged()
    report(.everything)
  }

  // MARK: Signals

  private func receive(_ message: Message) {
    guard let owner, message.isSent(by: owner) else {
      if let change = ServiceChange(message) { follow(change) }
      return
    }
    guard let path = message.path else { return }
    if message.hasMember("PropertiesChanged") {
      guard message.hasSignature("sa{sv}as") else { return skip(message) }
      follow(message.withBody { model.propertiesChanged(path, &$0) })
    } else if message.hasMember("InterfacesAdded") {
      guard message.hasSignature("oa{sa{sv}}") else { return skip(message) }
      follow(message.withBody { model.interfacesAdded(&$0) })
    } else if message.hasMember("InterfacesRemoved") {
      guard message.hasSignature("oas") else { return skip(message) }
      follow(message.withBody { model.interfacesRemoved(&$0) })
    }
  }

  func follow(_ changes: [ObjectModel.Change]) {
    logMismatches()
    guard !changes.isEmpty else { return }
    if changes.contains(where: \.isOfAdapter) { stateMayHaveChanged() }
    for case .value(let path, let bytes) in changes { valueFollowers[path]?(bytes) }
    report(.objects(changes))
  }

  private func skip(_ message: Message) {
    logger.debug("skipped \(message.member ?? "a signal"): its type is \(message.signature)")
  }

  package func logMismatches() {
    for mismatch in model.takeMismatches() {
      logger.debug(
        """
        skipped \(mismatch.interface).\(mismatch.property) of \(mismatch.path): \
        its type is \(mismatch.signature)
        """)
    }
  }

  /// Calls `handler` on the loop for each signal of bluetoothd with this name, from any of its objects.
  package func follow(
    _ member: String, of interface: String, handler: @escaping @Sendable (Message) -> Void
  ) async {
    let rule = MatchRule(
      sender: BlueZ.service, interface: interface, member: member, pathNamespace: BlueZ.rootPath)
    _ = await connection.subscribe(rule) { [weak self] message in
      guard let owner = self?.assumeIsolated({ $0.owner }), message.isSent(by: owner) else { return }
      handler(message)
    }
  }

  // MARK: Outages

  private func follow(_ change: ServiceChange) {
    switch change {
    case .ended:
      if outage == nil { lose(.serviceEnded) }
    case .began(let successor):
      guard successor != owner else { return }
      // Handed over without a gap: what the former one had is gone.
      if owner != nil { lose(.serviceEnded) }
      Task(executorPreference: loop) { [weak self, loop] in
        await BlueZ.eachSecond(on: loop) { await self?.learnAgain() ?? true }
      }
    }
  }

  /// Reads the objects of a restarted bluetoothd; returns whether that succeeded, or the bus is lost.
  private func learnAgain() async -> Bool {
    do throws(BLEError) {
      try await learn(Deadline(after: .seconds(20)))
      return true
    } catch {
      logger.debug("asking the Bluetooth service again: \(error)")
      return [.busUnavailable, .cancelled].contains(error.code)
    }
  }

  private func lose(_ error: BLEError) {
    let last = model
    outage = error
    owner = nil
    model.removeAll()
    report(.lost(error, last))
    abandonCalls(under: BlueZ.rootPath, error.message)
    everythingChanged()
    if error.isFinal { finishStateUpdates() }
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

  /// Calls `handler` on the loop for each signalled value of a characteristic from now on, before the followers of
  /// all changes; nil ends that.
  ///
  /// For what comes a thousand times a second. A characteristic has one such follower.
  package nonisolated func follow(valuesOf path: String, _ handler: (@Sendable ([UInt8]) -> Void)?) {
    assumeIsolated { $0.valueFollowers[path] = handler }
  }

  package var hasCentral: Bool { followers.contains(where: \.isCentral) }

  private func report(_ change: Change) {
    for follower in followers { follower.take(change) }
  }

  /// Does not let what follows, before ``leave(_:because:)``, wait for a bus that answers nothing.
  package nonisolated func beginToLeave() { connection.assumeIsolated { $0.loseIfSilent() } }

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
    } else if ending == nil {
      ending = reason
      await connection.closeBehindAll()
      lose(reason.closing(after: outage))
    }
  }

  /// Removes a follower that is being released; the client stays on the bus.
  package nonisolated func forget(_ number: Int) {
    loop.submit {
      self.assumeIsolated { client in
        client.followers.removeAll { $0.number == number }
        client.finishStateUpdates { $0 == number }
      }
    }
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

  private func stateMayHaveChanged() {
    guard !stateObservers.isEmpty, state != lastState else { return }
    lastState = state
    for observer in stateObservers.values { observer.continuation.yield(state) }
  }

  private func finishStateUpdates(of isMeant: (_ follower: Int) -> Bool = { _ in true }) {
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

/// The meaning of a `NameOwnerChanged` signal for bluetoothd.
enum ServiceChange {
  case ended
  /// It runs, under this unique name.
  case began(String)

  /// Fails for all other messages.
  init?(_ message: Message) {
    guard message.isSent(by: BusDriver.name) else { return nil }
    let arguments = message.values.compactMap(\.text)
    guard arguments.count == 3, arguments[0] == BlueZ.service else { return nil }
    self = arguments[2].isEmpty ? .ended : .began(arguments[2])
  }
}
