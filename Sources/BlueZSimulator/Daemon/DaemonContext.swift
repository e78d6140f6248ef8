// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// What every object of a running daemon shares: the objects on the bus, the radio, timers, storage and its connection.
///
/// It knows no adapter: ``Daemon`` owns those. Confined to the simulator's loop.
final class DaemonContext {
  let timers: TimerQueue
  let medium: RadioMedium
  let timing: SimulatorTiming
  let storage: Storage
  let tree: ObjectTree
  let agents = AgentManager()
  let kernel = KernelRequests()
  /// What it imitates.
  let version: BlueZRelease
  /// Whether experimental features are on; of those, the simulator has passive scanning.
  let isExperimental: Bool
  private let connection: Connection
  var loop: EventLoop { .simulation }
  /// The time of the simulation.
  var now: ContinuousClock.Instant { LoopClock.now }
  /// Ends the daemon where bluetoothd would crash on a memory error.
  var onCrash: () -> Void = {}
  /// Called when an adapter has started or stopped to listen.
  var updateListening: () -> Void = {}

  init(
    timers: TimerQueue, medium: RadioMedium, timing: SimulatorTiming, storage: Storage,
    connection: Connection,
    faults: DaemonFaults, version: BlueZRelease, isExperimental: Bool
  ) {
    self.timers = timers
    self.medium = medium
    self.timing = timing
    self.storage = storage
    self.connection = connection
    self.version = version
    self.isExperimental = isExperimental
    tree = ObjectTree(timers: timers) { message in
      let isDoubled = message.kind == .signal && faults.doublesSignal()
      connection.assumeIsolated { connection in
        _ = try? connection.send(message)
        if isDoubled { _ = try? connection.send(message) }
      }
    }
  }

  /// Calls an object of a client; `then` gets the reply, or nil when none arrives.
  func call(_ message: Message, timeout: Duration = .seconds(25), then: @escaping (Message?) -> Void) {
    nonisolated(unsafe) let then = then  // called on the loop, where all of this lives
    connection.assumeIsolated { $0.begin(message, timeout: timeout) { then(try? $0.get()) } }
  }

  /// Calls an object of a client; `then` gets the reply or the error.
  func request(
    _ message: Message, timeout: Duration, then: @escaping (Result<Message, DBusError>) -> Void
  ) {
    nonisolated(unsafe) let then = then  // called on the loop, where all of this lives
    connection.assumeIsolated { $0.begin(message, timeout: timeout) { then($0) } }
  }

  /// Follows signals of a client.
  func subscribe(_ rule: MatchRule, then: @escaping (Message) -> Void) -> SubscriptionID {
    nonisolated(unsafe) let then = then  // called on the loop, where all of this lives
    return connection.assumeIsolated { $0.subscribe(rule) { then($0) } }
  }

  func unsubscribe(_ id: SubscriptionID) { connection.assumeIsolated { $0.unsubscribe(id) } }

  /// How many bytes wait for the bus to read them.
  var outgoingByteCount: Int { connection.assumeIsolated { $0.outgoingByteCount } }
}
