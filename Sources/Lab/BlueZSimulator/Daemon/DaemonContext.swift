// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// The state that all objects of a running daemon share: object tree, radio, timers, storage and connection.
///
/// It knows no adapter: ``Daemon`` owns those. It is confined to the simulator's loop.
final class DaemonContext {
  let timers: TimerQueue
  let medium: RadioMedium
  var timing: SimulatorTiming
  let storage: Storage
  let tree: ObjectTree
  let agents = AgentManager()
  let kernel = KernelRequests()
  let version: BlueZRelease
  let behaviour: BlueZBehaviour
  /// True if experimental features are on, of which the simulator has passive scanning.
  let isExperimental: Bool
  private let connection: Connection
  var loop: EventLoop { .simulation }
  var now: ContinuousClock.Instant { LoopClock.now }
  /// Ends the daemon where a memory error would crash bluetoothd.
  var onCrash: () -> Void = {}
  /// Called when an adapter has started or stopped listening.
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
    behaviour = BlueZBehaviour(version)
    self.isExperimental = isExperimental
    tree = ObjectTree(timers: timers) { message in
      let isDoubled = message.kind == .signal && faults.doublesSignal()
      connection.assumeIsolated { connection in
        _ = try? connection.send(message)
        if isDoubled { _ = try? connection.send(message) }
      }
    }
  }

  /// Calls an object of a client; `then` receives the reply, or nil if none arrives.
  func call(_ message: Message, timeout: Duration = .seconds(25), then: @escaping (Message?) -> Void) {
    request(message, timeout: timeout) { then(try? $0.get()) }
  }

  func request(
    _ message: Message, timeout: Duration, then: @escaping (Result<Message, DBusError>) -> Void
  ) {
    let then = loop.confined(then)
    connection.assumeIsolated { $0.begin(message, timeout: timeout, observer: then) }
  }

  func subscribe(_ rule: MatchRule, then: @escaping (Message) -> Void) -> SubscriptionID {
    let then = loop.confined(then)
    return connection.assumeIsolated { $0.subscribe(rule, handler: then) }
  }

  func unsubscribe(_ id: SubscriptionID) { connection.assumeIsolated { $0.unsubscribe(id) } }

  /// The number of bytes that the bus has not yet read.
  var outgoingByteCount: Int { connection.assumeIsolated { $0.outgoingByteCount } }
}

/// The current faults of the daemon, which outlive it.
final class DaemonFaults {
  private var calls: [(fault: CallFault, elements: [String]?, left: RemainingCount)] = []
  private var doubledSignals = RemainingCount.none

  /// Adds a fault, which replaces one for the same calls.
  ///
  /// `addresses` are those that the paths of its device may contain; nil stands for all devices.
  func add(_ fault: CallFault, of addresses: [String]?) {
    calls.removeAll { $0.fault.method == fault.method && $0.fault.device == fault.device }
    calls.append((fault, addresses?.map(BlueZName.deviceElement), RemainingCount(fault.times)))
  }

  func doubleSignals(_ times: Int?) { doubledSignals = RemainingCount(times) }

  /// Returns the error of a call, or nil if the daemon must execute it.
  func refusal(of method: String?, at path: String) -> BlueZError? {
    guard !calls.isEmpty else { return nil }
    let index = calls.lastIndex { entry in
      !entry.left.isOver && entry.fault.method == method
        && (entry.elements.map { $0.contains { path.contains($0) } } ?? true)
    }
    guard let index else { return nil }
    _ = calls[index].left.take()
    return calls[index].fault.error
  }

  /// Returns whether to send this signal twice.
  func doublesSignal() -> Bool { doubledSignals.take() }
}

/// The daemon's requests to the kernel, executed one at a time; a pairing is one request from start to end.
final class KernelRequests {
  private struct Request {
    /// The Pair call; nil for a request that the kernel answers at once.
    let call: MethodCall?
    let begin: () -> Void
  }

  private var waiting: [Request] = []

  /// Starts a pairing at its turn; it lasts until ``end(_:)``.
  func pair(_ call: MethodCall, _ begin: @escaping () -> Void) {
    add(Request(call: call, begin: begin))
  }

  /// Runs a short request at its turn.
  func send(_ begin: @escaping () -> Void) {
    add(Request(call: nil, begin: begin))
  }

  private func add(_ request: Request) {
    waiting.append(request)
    if waiting.count == 1 { advance() }
  }

  /// Ends the request of a pairing, even if that still waits for its turn.
  func end(_ call: MethodCall) {
    guard let index = waiting.firstIndex(where: { $0.call === call }) else { return }
    waiting.remove(at: index)
    if index == 0 { advance() }
  }

  private func advance() {
    while let first = waiting.first {
      guard first.call == nil else { return first.begin() }
      first.begin()
      waiting.removeFirst()
    }
  }
}

/// The devices that the daemon stores on disk.
final class Storage {
  struct Record {
    var name: String?
    var services: [BluetoothUUID]
    var isTrusted: Bool
    var isBlocked: Bool
    var key: BondKey?
  }

  /// By adapter, then by device address.
  private var records: [String: [String: Record]] = [:]

  func devices(of adapter: String) -> [(address: String, record: Record)] {
    (records[adapter] ?? [:]).map { (address: $0.key, record: $0.value) }.sorted { $0.address < $1.address }
  }

  func keep(_ record: Record, of device: String, at adapter: String) {
    records[adapter, default: [:]][device] = record
  }

  func forget(_ device: String, at adapter: String) { records[adapter]?[device] = nil }
}
