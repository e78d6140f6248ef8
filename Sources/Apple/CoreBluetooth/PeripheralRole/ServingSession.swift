// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import Foundation

/// The internal part of a peripheral manager: its connection to BlueZ, its queue, its services.
final class ServingSession: BusRole, Sendable {
  private struct State {
    weak var manager: CBPeripheralManager?
    var serving: PeripheralManager?
    var radio = CBManagerState.unknown
    var task: Task<Void, Never>?
    var centrals: [Central: CBCentral] = [:]
    /// The advertisements on the air, by the number of the program's request.
    var advertisements: [Int: (manager: PeripheralManager, advertising: Advertising)] = [:]
  }

  /// The longest interval between the end of a link and that of its subscriptions, in either order.
  private static let settlingTime = Duration.milliseconds(300)

  let loop = EventLoop.shared
  let callbacks: CallbackQueue
  /// Services and advertisements, in the order of the calls.
  let commands: CommandPipe
  /// Values, in the order of the calls.
  let updates: CommandPipe
  let offers = ChannelOffers()
  let services = PublishedServices()
  private let key: EngineKey
  private let state = Lock(State())

  init(_ key: EngineKey, queue: DispatchQueue?) {
    self.key = key
    callbacks = CallbackQueue(target: queue)
    commands = CommandPipe(on: loop)
    updates = CommandPipe(on: loop)
  }

  var serving: PeripheralManager? { state.withLock { $0.serving } }
  var manager: CBPeripheralManager? { state.withLock { $0.manager } }

  /// Calls the delegate, if the manager still exists, in one block with the preceding changes.
  func report(
    _ body: @escaping @Sendable (CBPeripheralManager, (any CBPeripheralManagerDelegate)?) -> Void
  ) {
    callbacks.post { [weak self] in
      guard let manager = self?.manager else { return }
      body(manager, manager.delegate)
    }
  }

  // MARK: Life

  func begin(
    for manager: CBPeripheralManager,
    supervise: (ServingSession, EngineKey) -> Task<Void, Never> = { BusSupervisor.start($0, at: $1) }
  ) {
    // Before the role begins: with an open client, its first report may come at once.
    state.withLock { $0.manager = manager }
    state.exchange(\.task, supervise(self, key))
  }

  /// Ends the session: the program released the manager.
  func end() {
    let (task, serving) = state.withLock { ($0.task, $0.serving) }
    task?.cancel()
    if let serving { Task { await serving.close() } }
    Task { [commands, updates, offers] in
      await commands.cancel()
      await updates.cancel()
      // No command begins another one now.
      await offers.endAll()
    }
  }

  static func open(_ key: EngineKey) async throws(BLEError) -> PeripheralManager {
    await PeripheralManager(sharing: try await SharedClient.open(key, forCentral: false))
  }

  static func events(of serving: PeripheralManager) async -> PeripheralEvents { await serving.events() }

  static func close(_ serving: PeripheralManager) async { await serving.close() }

  func use(_ serving: PeripheralManager) async {
    let centrals = await serving.connectedCentrals
    let radio = await serving.state
    state.exchange(\.serving, serving)
    for central in centrals { connected(central) }
    setRadio(CBManagerState(radio, isFirst: state.withLock { $0.radio == .unknown }))
  }

  func failed(_ error: BLEError) {
    let isFirst = state.withLock { $0.serving == nil }
    setRadio(error.code == .accessDenied ? .unauthorized : isFirst ? .unsupported : .resetting)
  }

  private func setRadio(_ radio: CBManagerState) {
    let hasChanged = state.withLock { state in
      defer { state.radio = radio }
      return state.radio != radio
    }
    guard hasChanged else { return }
    if !radio.keepsServices { clear() }
    report { manager, delegate in
      manager.radioChanged(to: radio)
      delegate?.peripheralManagerDidUpdateState(manager)
    }
  }

  /// Forgets services and advertisements: as Apple documents, the program offers them again later.
  private func clear() {
    let removed = services.removeAll()
    let advertisements = state.exchange(\.advertisements, [:])
    reportNoSubscribers(of: removed)
    commands.add { [offers] in
      await offers.endAll()
      for (manager, advertising) in advertisements.values { try? await manager.stopAdvertising(advertising) }
      await removed.end()
    }
  }

  // MARK: Centrals

  func central(_ central: Central, mtu: Int? = nil) -> CBCentral {
    let object = state.withLock { state in
      if let known = state.centrals[central] { return known }
      let new = CBCentral(identifier: PeerIdentifier.identifier(of: central.address))
      state.centrals[central] = new
      return new
    }
    if let mtu { object.setMTU(mtu) }
    return object
  }

  func heard(_ central: Central, mtu: Int) -> CBCentral {
    services.track { $0.active(central) }
    return self.central(central, mtu: mtu)
  }

  /// Returns the central at the other end of a channel.
  func central(of channel: L2CAPChannel) async -> CBCentral {
    let connected = await serving?.connectedCentrals ?? []
    // The kernel always knows the address.
    guard let address = channel.peer else { return CBCentral(identifier: UUID()) }
    if let central = connected.first(where: { $0.address == address }) { return self.central(central) }
    return CBCentral(identifier: PeerIdentifier.identifier(of: address))
  }

  func take(_ event: PeripheralEvent) { take(event.kind) }

  func take(_ event: PeripheralEvent.Kind) {
    switch event {
    case .state(let radio): setRadio(CBManagerState(radio, isFirst: false))
    case .connected(let central): connected(central)
    case .disconnected(let central): disconnected(central)
    case .subscribed(let characteristic):
      guard services.accepts(event, of: characteristic) else { return }
      if let central = services.track({ $0.subscribed(characteristic) }) {
        report(true, self.central(central), characteristic)
      }
    case .unsubscribed(let characteristic):
      guard services.accepts(event, of: characteristic) else { return }
      for central in services.track({ $0.unsubscribed(characteristic) }) {
        report(false, self.central(central), characteristic)
      }
    case .failed(let error): Misuse.notice("\(error)")
    default: break
    }
  }

  private func connected(_ central: Central) {
    let identifier = PeerIdentifier.identifier(of: central.address)
    let isPeripheral = CentralEngine.isInUse(identifier)
    for characteristic in services.track({ $0.connected(central, isPeripheral: isPeripheral) }) {
      report(true, self.central(central), characteristic)
    }
  }

  private func disconnected(_ central: Central) {
    let object = self.central(central)
    _ = state.withLock { $0.centrals.removeValue(forKey: central) }
    let ended = services.track { $0.disconnected(central) }
    guard !ended.isEmpty else { return }
    for characteristic in ended { report(false, object, characteristic) }
    _ = loop.schedule(at: LoopClock.now + Self.settlingTime) { [weak self] in self?.handOver() }
  }

  /// Names the subscribers of what BlueZ still notifies, after the assumed ones have left.
  private func handOver() {
    for (characteristic, central) in services.track({ $0.handOver() }) {
      report(true, self.central(central), characteristic)
    }
  }

  private func report(_ isOn: Bool, _ central: CBCentral, _ published: PublishedCharacteristic) {
    report { [weak self] manager, delegate in
      guard let characteristic = self?.services.object(published) else { return }
      guard characteristic.setSubscribed(isOn, central) else { return }
      if isOn {
        delegate?.peripheralManager(manager, central: central, didSubscribeTo: characteristic)
      } else {
        delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
      }
    }
  }

  // MARK: What is published

  /// Reports the end of the subscriptions: BlueZ does not do so for removed services.
  func reportNoSubscribers(of removed: PublishedServices.Removed) {
    for characteristic in removed.characteristics {
      report { manager, delegate in
        for central in characteristic.removeSubscribers() {
          delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
        }
      }
    }
  }

  /// Records the advertisement that a request of the program started.
  func started(_ request: Int, _ advertising: Advertising, by manager: PeripheralManager) {
    _ = state.withLock { $0.advertisements.updateValue((manager, advertising), forKey: request) }
  }

  /// Stops the advertisement of a request, after the request.
  func stopAdvertising(_ request: Int) {
    commands.add { [weak self] in
      guard let (manager, advertising) = self?.takeAdvertisement(request) else { return }
      try? await manager.stopAdvertising(advertising)
    }
  }

  private func takeAdvertisement(_ request: Int) -> (PeripheralManager, Advertising)? {
    state.withLock { $0.advertisements.removeValue(forKey: request) }
  }
}

extension CBManagerState {
  /// True if services and advertisements survive this state: as Apple documents, not below `poweredOff`.
  var keepsServices: Bool { self == .poweredOn || self == .poweredOff }
}

/// Requests of centrals, which the delegate answers.
extension ServingSession {
  func read(_ characteristic: CBCharacteristic, _ request: ReadRequest, _ answer: PendingAnswer<ReadAnswer>) {
    let central = heard(request.central, mtu: request.mtu)
    let object = CBATTRequest(central, characteristic, offset: request.offset, value: nil) { outcome in
      answer.give(outcome.map { .rest(Array($0)) })
    }
    answer.onExpiry { object.noticeExpiry() }
    deliver(object) { $1.peripheralManager($0, didReceiveRead: object) }
  }

  func write(_ characteristic: CBCharacteristic, _ request: WriteRequest, _ answer: PendingAnswer<Void>) {
    let object = self.object(characteristic, request, answer)
    answer.onExpiry { object.noticeExpiry() }
    deliver(object) { $1.peripheralManager($0, didReceiveWrite: [object]) }
  }

  /// Handles a write that needs no answer.
  func take(_ characteristic: CBCharacteristic, _ request: WriteRequest) {
    let object = self.object(characteristic, request, PendingAnswer(on: loop) { _ in })
    deliver(object) { $1.peripheralManager($0, didReceiveWrite: [object]) }
  }

  private func object(
    _ characteristic: CBCharacteristic, _ request: WriteRequest, _ answer: PendingAnswer<Void>
  ) -> CBATTRequest {
    let central = heard(request.central, mtu: request.mtu)
    return CBATTRequest(
      central, characteristic, offset: request.offset, value: Data(request.value)
    ) { outcome in
      answer.give(outcome.map { _ in })
    }
  }

  /// Passes a request to the delegate; without one, refuses it.
  private func deliver(
    _ request: CBATTRequest,
    _ call: @escaping @Sendable (CBPeripheralManager, any CBPeripheralManagerDelegate) -> Void
  ) {
    report { manager, delegate in
      if let delegate { call(manager, delegate) } else { _ = request.respond(.unlikelyError) }
    }
  }
}
