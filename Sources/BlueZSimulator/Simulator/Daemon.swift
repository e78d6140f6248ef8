// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

/// One life of bluetoothd: the objects that it exports and the clients that it remembers.
///
/// Confined to the loop of its simulator, like everything that it owns.
final class Daemon {
  let agenda: Agenda
  let air: Air
  let timing: SimulatorTiming
  let storage: Storage
  let tree: ObjectTree
  /// Whether it offers what is experimental, too: of that, passive scanning.
  let isExperimental: Bool
  private let connection: Connection
  var loop: EventLoop { .simulation }
  private(set) var adapters: [AdapterObject] = []
  let agents = AgentManager()
  private let profiles = ProfileManager()
  /// Whether this life has ended.
  private(set) var isStopped = false
  /// How the daemon ends when a call hits one of its memory errors.
  var onCrash: () -> Void = {}

  init(
    agenda: Agenda, air: Air, timing: SimulatorTiming, storage: Storage, connection: Connection,
    faults: DaemonFaults, isExperimental: Bool
  ) {
    self.agenda = agenda
    self.air = air
    self.timing = timing
    self.storage = storage
    self.connection = connection
    self.isExperimental = isExperimental
    tree = ObjectTree(agenda: agenda) { message in
      let isDoubled = message.kind == .signal && faults.doublesSignal()
      connection.assumeIsolated { connection in
        _ = try? connection.send(message)
        if isDoubled { _ = try? connection.send(message) }
      }
    }
  }

  /// Exports what there is at the beginning.
  ///
  /// - Parameters:
  ///   - specs: the adapters that are plugged in.
  ///   - areOff: whether an earlier daemon has switched them off: this one then switches them on.
  func start(adapters specs: [AdapterSpec], areOff: Bool) {
    tree.register(agents, at: BlueZ.root)
    tree.register(profiles, at: BlueZ.root)
    tree.register(HealthManager(), at: BlueZ.root)
    agents.onChange = { [weak self] hasAgent in self?.adapters.forEach { $0.setPairable(hasAgent) } }
    for spec in specs {
      var present = spec
      present.isPowered = spec.isPowered && !areOff
      addAdapter(present)
      guard spec.isPowered, areOff else { continue }
      agenda.schedule(after: timing.power) { [weak self] in
        self?.adapters.first { $0.spec.name == spec.name }?.switchPower(true)
      }
    }
  }

  func addAdapter(_ spec: AdapterSpec) {
    let adapter = AdapterObject(spec, daemon: self)
    adapters.append(adapter)
    adapter.export()
  }

  func removeAdapter(_ name: String) {
    guard let adapter = adapters.first(where: { $0.spec.name == name }) else { return }
    adapter.remove()
    adapters.removeAll { $0 === adapter }
  }

  /// Tells each adapter's scan, since the air has one listener.
  func updateListening() {
    guard adapters.contains(where: \.isListening) else { return air.stopListening() }
    air.listen { [weak self] peripheral, report in
      self?.adapters.forEach { $0.heard(peripheral, report) }
    }
  }

  /// A client has left the bus: what it had begun ends.
  func clientLeft(_ name: String) {
    agents.clientLeft(name)
    profiles.clientLeft(name)
    for adapter in adapters { adapter.clientLeft(name) }
  }

  /// Calls an object of a client; `then` gets the reply, or nil when there is none.
  func call(_ message: Message, then: @escaping (Message?) -> Void) {
    nonisolated(unsafe) let then = then  // called on the loop, where all of this lives
    connection.assumeIsolated { $0.begin(message, timeout: .seconds(25)) { then(try? $0.get()) } }
  }

  /// Follows signals of a client.
  func subscribe(_ rule: MatchRule, then: @escaping (Message) -> Void) -> SubscriptionID {
    nonisolated(unsafe) let then = then  // called on the loop, where all of this lives
    return connection.assumeIsolated { $0.subscribe(rule) { then($0) } }
  }

  func unsubscribe(_ id: SubscriptionID) { connection.assumeIsolated { $0.unsubscribe(id) } }

  /// How much of what was sent the bus has not taken yet.
  var outgoingByteCount: Int { connection.assumeIsolated { $0.outgoingByteCount } }

  // MARK: The end

  /// Ends as on SIGTERM: links are closed, every object is taken back.
  func shutDown() {
    guard !isStopped else { return }
    isStopped = true
    for adapter in adapters { adapter.switchPower(false) }
    tree.flush()
    for name in [BlueZ.healthManager, BlueZ.profileManager, BlueZ.agentManager] {
      tree.unregister(name, at: BlueZ.root)
    }
    for adapter in adapters { adapter.remove() }
    air.stopListening()
  }

  /// Ends as on SIGKILL: nothing is said; the kernel closes sockets and links.
  func vanish() {
    guard !isStopped else { return }
    isStopped = true
    for adapter in adapters { adapter.abandon() }
    air.stopListening()
  }
}
