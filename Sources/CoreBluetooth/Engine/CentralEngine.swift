// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import Foundation

/// What an engine reports to, on the loop's thread: the part of a manager that the program does not see.
protocol CentralEngineClient: AnyObject, Sendable {
  func radioChanged(to state: CBManagerState)
  /// A device was found or has changed; `event` says whether a link was made or has ended.
  func deviceChanged(_ device: KnownDevice, event: CBConnectionEvent?)
  /// Services of a connected device have come or gone.
  func servicesChanged(of id: BLECentral.Peripheral.ID)
}

/// The one central below all managers of a process that use the same BlueZ.
///
/// It lives as long as one of them, connects to the bus again when that was lost, and closes its links at the end.
final class CentralEngine: BusRole, Sendable {
  private struct WeakEngine {
    weak var engine: CentralEngine?
  }

  private struct WeakClient {
    weak var client: (any CentralEngineClient)?
  }

  private struct State {
    var central: CentralManager?
    var radio = CBManagerState.unknown
    var clients: [WeakClient] = []
    /// Who uses the link to a device.
    var users: [UUID: Set<ObjectIdentifier>] = [:]
  }

  private static let engines = Lock<[EngineKey: WeakEngine]>([:])

  let loop = EventLoop.shared
  let devices = DeviceDirectory()
  private let key: EngineKey
  private let state = Lock(State())
  private let following = Lock<Task<Void, Never>?>(nil)

  /// The engine of a bus and an adapter.
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

  private func start() { following.exchange(BusSupervisor.start(self, at: key, on: loop)) }

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
    // The bus of the one before was lost.
    if let before = state.exchange(\.central, central) { ExitCleanup.close(before) }
  }

  func failed(_ error: BLEError) {
    // A bus that was lost stays so until it is back.
    guard central == nil else { return }
    setRadio(error.code == .accessDenied ? .unauthorized : .unsupported)
  }

  func take(_ state: BluetoothState) {
    let wasUnknown = self.state.withLock { $0.radio == .unknown }
    setRadio(CBManagerState(state, isFirst: wasUnknown))
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

  /// Reports to a client from now on, first the state.
  func add(_ client: any CentralEngineClient) {
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

  /// Notes that somebody uses, or tries to make, the link to a device.
  func enter(_ identifier: UUID, as user: AnyObject) {
    state.withLock { _ = $0.users[identifier, default: []].insert(ObjectIdentifier(user)) }
  }

  /// Notes that somebody does not use it any more.
  ///
  /// - Returns: whether nobody in this process does.
  func leave(_ identifier: UUID, as user: AnyObject) -> Bool {
    state.withLock { state in
      state.users[identifier]?.remove(ObjectIdentifier(user))
      guard state.users[identifier]?.isEmpty != false else { return false }
      state.users[identifier] = nil
      return true
    }
  }
}
