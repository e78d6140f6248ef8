// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlueZClient
internal import Foundation

/// The central that all managers of a process share for the same bus and adapter.
///
/// It exists as long as one of them, reconnects to a lost bus, and closes its links at the end.
final class CentralEngine: BusRole, Sendable {
  private struct WeakEngine {
    weak var engine: CentralEngine?
  }

  /// The internal part of a manager, which gets the reports of the engine on the loop's thread.
  private struct WeakClient {
    weak var client: CentralSession?
  }

  private struct State {
    var central: CentralManager?
    var radio = CBManagerState.unknown
    var clients: [WeakClient] = []
    /// The users of the link to a device.
    var users: [UUID: Set<ObjectIdentifier>] = [:]
  }

  private static let engines = Lock<[EngineKey: WeakEngine]>([:])

  let loop = EventLoop.shared
  let devices = DeviceDirectory()
  private let key: EngineKey
  private let state = Lock(State())
  private let following = Lock<Task<Void, Never>?>(nil)

  static func shared(at key: EngineKey) -> CentralEngine {
    let (engine, isNew) = engines.withLock { engines in
      if let engine = engines[key]?.engine { return (engine, false) }
      let engine = CentralEngine(key)
      engines[key] = WeakEngine(engine: engine)
      return (engine, true)
    }
    if isNew { engine.start() }
    return engine
  }

  private init(_ key: EngineKey) { self.key = key }

  deinit {
    following.withLock { $0 }?.cancel()
    if let central = state.withLock({ $0.central }) { ExitCleanup.close(central) }
  }

  // MARK: The bus

  private func start() { following.exchange(BusSupervisor.start(self, at: key)) }

  static func open(_ key: EngineKey) async throws(BLEError) -> CentralManager {
    await CentralManager(sharing: try await SharedClient.open(key, forCentral: true))
  }

  static func events(of central: CentralManager) async -> AsyncStream<BluetoothState> {
    await central.stateUpdates()
  }

  static func close(_ central: CentralManager) async { await central.close() }

  func use(_ central: CentralManager) async {
    ExitCleanup.note(central)
    await central.followDevices { [weak self] change in self?.follow(change) }
    for info in (try? await central.knownPeripherals()) ?? [] { devices.note(info) }
    // The bus of the previous one was lost.
    if let before = state.exchange(\.central, central) {
      await central.takeLinks(of: before)
      ExitCleanup.close(before)
    }
  }

  func failed(_ error: BLEError) {
    // A lost bus remains the state until it is back.
    guard central == nil else { return }
    setRadio(error.code == .accessDenied ? .unauthorized : .unsupported)
  }

  func take(_ state: BluetoothState) {
    let wasUnknown = self.state.withLock { $0.radio == .unknown }
    setRadio(CBManagerState(state, isFirst: wasUnknown))
  }

  /// Returns whether a state reports an error: that Bluetooth is unavailable, unless another adapter has
  /// taken over.
  func reportsAsState(_ error: BLEError) async -> Bool {
    guard error.isOutage else { return false }
    return await central?.state != .poweredOn
  }

  private func setRadio(_ radio: CBManagerState) {
    let clients = state.withLock { state in
      guard state.radio != radio else { return [WeakClient]() }
      state.radio = radio
      return state.clients
    }
    if radio != .poweredOn { devices.disconnectAll() }
    for client in clients { client.client?.radioChanged(to: radio) }
  }

  private func follow(_ change: CentralManager.DeviceChange) {
    let clients = state.withLock { $0.clients }
    switch change {
    case .changed(let info, let isKnown):
      let wasConnected = devices.isConnected(info.peripheral.id)
      let device = devices.note(info, isKnown: isKnown)
      let event: CBConnectionEvent? =
        device.isConnected == wasConnected ? nil : wasConnected ? .peerDisconnected : .peerConnected
      for client in clients { client.client?.deviceChanged(device, event: event) }
    case .services(let id):
      for client in clients { client.client?.servicesChanged(of: id) }
    }
  }

  // MARK: Clients

  /// The central; nil before BlueZ was reached.
  var central: CentralManager? { state.withLock { $0.central } }

  /// Reports to a client from now on; starts with the state.
  func add(_ client: CentralSession) {
    loop.submit { [weak client, weak self] in
      guard let self, let client else { return }
      let (radio, _) = state.withLock { state in
        let others = state.clients.compactMap(\.client)
        state.clients = (others + [client]).map { WeakClient(client: $0) }
        return (state.radio, others)
      }
      if radio != .unknown { client.radioChanged(to: radio) }
    }
  }

  /// Registers a user of the link to a device, or of an attempt to connect.
  func enter(_ identifier: UUID, as user: AnyObject) {
    state.withLock { _ = $0.users[identifier, default: []].insert(ObjectIdentifier(user)) }
  }

  /// Returns whether a central of this process uses a device as a peripheral, or connects to it.
  static func isInUse(_ identifier: UUID) -> Bool {
    let engines = engines.withLock { $0.values.compactMap(\.engine) }
    return engines.contains { engine in engine.state.withLock { $0.users[identifier] != nil } }
  }

  /// Removes a user; returns whether no user in this process is left.
  func leave(_ identifier: UUID, as user: AnyObject) -> Bool {
    state.withLock { state in
      state.users[identifier]?.remove(ObjectIdentifier(user))
      guard state.users[identifier]?.isEmpty != false else { return false }
      state.users[identifier] = nil
      return true
    }
  }
}

/// The bus and the adapter that a manager uses.
///
/// `DBUS_SYSTEM_BUS_ADDRESS` and `BLECTL_ADAPTER` set them for a program, two options for one manager.
struct EngineKey: Hashable {
  let bus: Bus
  let adapter: String?

  init(_ options: [String: Any]?) {
    bus = (options?["blectl.bus"] as? String).map { .address($0) } ?? Bus.system.resolved
    let variable = ProcessInfo.processInfo.environment["BLECTL_ADAPTER"]
    adapter = options?["blectl.adapter"] as? String ?? (variable?.isEmpty == false ? variable : nil)
  }
}
