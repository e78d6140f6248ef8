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
    var tracker = SubscriberTracker()
    var centrals: [Central: CBCentral] = [:]
    var services: [ObjectIdentifier: PublishedService] = [:]
    var characteristics: [PublishedCharacteristic: CBMutableCharacteristic] = [:]
    var advertising: Advertising?

    /// Removes a service, or all of them.
    mutating func takePublished(_ service: ObjectIdentifier? = nil) -> Former {
      var former = Former()
      for key in service.map({ [$0] }) ?? Array(services.keys) {
        guard let published = services.removeValue(forKey: key) else { continue }
        former.services.append(published)
        for characteristic in published.characteristics {
          _ = tracker.unsubscribed(characteristic)
          if let object = characteristics.removeValue(forKey: characteristic) {
            former.characteristics.append(object)
          }
        }
      }
      return former
    }
  }

  /// The published services until now.
  struct Former {
    var services: [PublishedService] = []
    var characteristics: [CBMutableCharacteristic] = []
  }

  let loop = EventLoop.shared
  let callbacks: CallbackQueue
  /// Services and advertisements, in the order of the calls.
  let commands: CommandPipe
  /// Values, in the order of the calls.
  let updates: CommandPipe
  let offers = ChannelOffers()
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

  func begin(for manager: CBPeripheralManager) {
    let task = BusSupervisor.start(self, at: key)
    state.withLock { ($0.manager, $0.task) = (manager, task) }
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
    state.withLock { state in
      for central in centrals { _ = state.tracker.connected(central) }
    }
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
    let (former, advertising) = state.withLock { state in
      (state.takePublished(), state.advertising.take())
    }
    reportNoSubscribers(of: former)
    guard let serving else { return }
    commands.add { [offers] in
      await offers.endAll()
      if let advertising { try? await serving.stopAdvertising(advertising) }
      for service in former.services { try? await serving.remove(service) }
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
    state.withLock { $0.tracker.active(central) }
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

  private func take(_ event: PeripheralEvent.Kind) {
    switch event {
    case .state(let radio): setRadio(CBManagerState(radio, isFirst: false))
    case .connected(let central):
      for characteristic in state.withLock({ $0.tracker.connected(central) }) {
        report(true, self.central(central), characteristic)
      }
    case .disconnected(let central):
      let object = self.central(central)
      let ended = state.withLock { state in
        state.centrals[central] = nil
        return state.tracker.disconnected(central)
      }
      for characteristic in ended { report(false, object, characteristic) }
    case .subscribed(let characteristic):
      if let central = state.withLock({ $0.tracker.subscribed(characteristic) }) {
        report(true, self.central(central), characteristic)
      }
    case .unsubscribed(let characteristic):
      for central in state.withLock({ $0.tracker.unsubscribed(characteristic) }) {
        report(false, self.central(central), characteristic)
      }
    default: break
    }
  }

  private func report(_ isOn: Bool, _ central: CBCentral, _ published: PublishedCharacteristic) {
    report { [weak self] manager, delegate in
      guard let characteristic = self?.characteristic(published) else { return }
      guard characteristic.setSubscribed(isOn, central) else { return }
      if isOn {
        delegate?.peripheralManager(manager, central: central, didSubscribeTo: characteristic)
      } else {
        delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
      }
    }
  }

  // MARK: What is published

  func note(_ service: CBMutableService, as published: PublishedService) {
    let pairs = zip(published.characteristics, service.characteristics ?? []).compactMap { theirs, ours in
      (ours as? CBMutableCharacteristic).map { (theirs, $0) }
    }
    _ = state.withLock { state in
      let former = state.takePublished(ObjectIdentifier(service))
      state.services[ObjectIdentifier(service)] = published
      state.characteristics.merge(pairs) { _, new in new }
      return former
    }
  }

  /// Removes a service, or all, and with it the subscribers.
  func forget(_ service: CBMutableService?) -> [PublishedService] {
    let former = state.withLock { $0.takePublished(service.map { ObjectIdentifier($0) }) }
    reportNoSubscribers(of: former)
    return former.services
  }

  /// Reports the end of the subscriptions: BlueZ does not do so for removed services.
  private func reportNoSubscribers(of former: Former) {
    for characteristic in former.characteristics {
      report { manager, delegate in
        for central in characteristic.removeSubscribers() {
          delegate?.peripheralManager(manager, central: central, didUnsubscribeFrom: characteristic)
        }
      }
    }
  }

  func isPublished(_ service: CBMutableService) -> Bool {
    state.withLock { $0.services[ObjectIdentifier(service)] != nil }
  }

  func published(_ characteristic: CBMutableCharacteristic) -> PublishedCharacteristic? {
    state.withLock { state in state.characteristics.first { $0.value === characteristic }?.key }
  }

  private func characteristic(_ published: PublishedCharacteristic) -> CBMutableCharacteristic? {
    state.withLock { $0.characteristics[published] }
  }

  func setAdvertising(_ advertising: Advertising?) { state.exchange(\.advertising, advertising) }

  func takeAdvertising() -> Advertising? { state.exchange(\.advertising, nil) }
}

extension CBManagerState {
  /// Whether services and advertisements survive this state: as Apple documents, not below `poweredOff`.
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
