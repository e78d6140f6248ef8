// SPDX-License-Identifier: MIT
package import AsyncIO
package import BLECore
package import DBus
package import Logging

/// A client of BlueZ, whatever its role: one connection to the bus, one model of BlueZ's objects, and what happens to them.
///
/// It follows the owner of `org.bluez` through its end and its return. The managers of the roles hold a client and run on
/// its loop: each change reaches them at its place among the signals, before anything that comes behind it.
package actor BlueZClient {
  /// What a client reports to those who follow it.
  package enum Change: Sendable {
    /// A signal has changed objects.
    case objects([ObjectModel.Change])
    /// Nothing is known any more: the service has ended, the bus is lost, or the client is closed. The model is the last
    /// one.
    case lost(BLEError, ObjectModel)
    /// The objects and the outage may all have changed: bluetoothd has been asked for its objects, or is away.
    case everything
  }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }

  package nonisolated let loop: EventLoop
  package nonisolated let connection: Connection
  package nonisolated let logger: Logger
  package nonisolated let bus: Bus
  package nonisolated let adapterChoice: AdapterChoice

  /// BlueZ's objects; empty during an outage.
  ///
  /// Only for code on the loop's thread, where the client and its managers run. Isolated to the client, each look of a
  /// manager would copy it.
  package nonisolated(unsafe) var model: ObjectModel
  /// Why nothing works: the service, or the bus, is away, or the client is closed.
  package internal(set) var outage: BLEError?
  /// The unique name of bluetoothd: signals of other senders are ignored.
  package internal(set) var owner: String?
  private var followers: [@Sendable (Change) -> Void] = []
  private var stateObservers: [Int: AsyncStream<BluetoothState>.Continuation] = [:]
  private var lastObserver = 0
  private var lastState: BluetoothState?

  /// Connects to the bus and reads BlueZ's objects.
  ///
  /// BlueZ: AddMatch rules, then ObjectManager.GetManagedObjects. A missing bluetoothd or adapter is not an error here:
  /// see ``outage`` and ``state``.
  ///
  /// - Parameters:
  ///   - bus: the bus that BlueZ is on.
  ///   - adapter: `hci0`, or an adapter's address; nil takes the first that is on, else the first.
  ///   - keepsAdvertisements: whether what advertisements bring is kept in the model.
  ///   - timeout: how long the bus and BlueZ may take to answer; nil is without limit.
  ///   - logger: the log: at `debug` what is skipped or tried again, at `trace` each message.
  ///   - loop: the loop that reads the bus.
  /// - Throws: ``BLEError`` with code `busUnavailable`, `accessDenied` or `timedOut`.
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

  /// Calls `follower` on the loop for each change from now on.
  package func follow(_ follower: @escaping @Sendable (Change) -> Void) { followers.append(follower) }

  func report(_ change: Change) {
    for follower in followers { follower(change) }
  }

  // MARK: State

  /// Whether Bluetooth can be used now.
  package var state: BluetoothState { BluetoothState(outage, usedAdapter) }

  /// The current state, then each change of it, until the bus is lost, the client is closed, or the task is cancelled.
  package func stateUpdates() -> AsyncStream<BluetoothState> {
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
    guard !stateObservers.isEmpty, state != lastState else { return }
    lastState = state
    for observer in stateObservers.values { observer.yield(state) }
  }

  func finishStateUpdates() {
    for observer in stateObservers.values { observer.finish() }
    stateObservers = [:]
  }

  // MARK: Adapters

  /// The adapter in use: the one that was asked for, else the first that is on, else the first.
  package var usedAdapter: AdapterState? { adapterChoice.first(of: model.adapters.values) }

  /// The adapter in use; fails with the outage, or with `noAdapter`.
  package func adapterInUse(for action: BLEError.Action) -> Result<AdapterState, BLEError> {
    if let outage { return .failure(outage.during(action)) }
    return Result { () throws(BLEError) in
      try adapterChoice.adapter(of: model.adapters.values, for: action)
    }
  }
}
