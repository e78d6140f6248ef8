// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEPeripheral
internal import BlueZSimulator
internal import TerminalOutput
internal import ValueStreams

/// A peripheral of a world on a real adapter: what centrals do goes to the played peripheral, its values go to them.
///
/// Only tasks on the loop use it.
final class PeripheralServer: @unchecked Sendable {
  let played: PlayedPeripheral
  let manager: PeripheralManager
  private let outputs: StreamOutputs
  private let hook: HookQueue?
  private let isControlled: Bool
  let session: Session
  private let updates: UpdateQueue
  private let advertising: AdvertisingSwitch
  /// The characteristics, in order.
  private(set) var characteristics: [ServedCharacteristic] = []
  private var centrals: Set<Central> = []
  /// Whether bluetoothd or the adapter is away.
  private var isOut = false
  /// Everything that happens from before the first service is published.
  private var events: PeripheralEvents?

  init(
    _ played: PlayedPeripheral, _ manager: PeripheralManager, outputs: StreamOutputs, hook: EventHook?,
    isControlled: Bool, session: Session
  ) {
    self.played = played
    self.manager = manager
    self.outputs = outputs
    self.hook = hook.map { HookQueue($0) }
    self.isControlled = isControlled
    self.session = session
    updates = UpdateQueue(manager)
    let fitted = FittedAdvertisement(played.spec.advertisement)
    advertising = AdvertisingSwitch(fitted.advertisement, manager, session: session)
    for remark in fitted.remarks
      + played.limits(
        answersWithin: PeripheralManager.answerTime, isCarried: { ATTError(code: $0).isCarried(ofRead: $1) })
    {
      session.remark("blectl: \(remark)")
    }
  }

  /// What the peripheral is called.
  var name: String { played.spec.advertisement.name ?? played.spec.address }

  // MARK: Publishing

  /// Publishes the services, and starts to advertise.
  func publish() async throws {
    events = await manager.events()
    if played.spec.advertisement.isConnectable {
      var tree = ServiceTree(played, isControlled: isControlled)
      for root in tree.roots() {
        let published = try await manager.add(root.service, timeout: session.timeout)
        let handles = root.includedCharacteristics + root.characteristics
        for (characteristic, handle) in zip(
          published.includedCharacteristics + published.characteristics, handles)
        {
          characteristics.append(ServedCharacteristic(characteristic, handle: handle))
        }
      }
    }
    updates.onDrop = { [session] characteristic in
      session.console.warn(
        "the centrals take the values of \(characteristic.uuid) too slowly: some are dropped")
    }
    played.onAdvertising = { [advertising] in advertising.set($0) }
    try await advertising.start(if: played.isHeard)
    played.start(
      PlayedPeripheral.Outlet(
        send: { [weak self] handle, value in self?.send(value, of: handle) },
        isCongested: { [updates] in updates.isCongested }))
  }

  /// Takes the peripheral off the air.
  func close() async {
    played.stop()
    await manager.close()
  }

  private func send(_ value: [UInt8], of handle: UInt16) {
    guard let target = characteristics.first(where: { $0.handle == handle }) else { return }
    updates.send(value, of: target.published)
  }

  // MARK: What happens

  /// Passes on what happens, and runs the command of `--exec`, until it is cancelled.
  ///
  /// - Parameter takesInput: whether lines on standard input set values.
  /// - Throws: ``BLEError`` when the bus is lost; `CancellationError`.
  func run(takesInput: Bool) async throws {
    let (loop, hook) = (session.loop, hook)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await self.follow() }
      if takesInput { group.addTask(executorPreference: loop) { await ServedInput(self).run() } }
      if let hook { group.addTask(executorPreference: loop) { try await hook.run() } }
      defer { group.cancelAll() }
      // The end of the input is not the end; that of the bus is.
      while try await group.next() != nil {}
    }
  }

  private func follow() async throws {
    guard var events = events?.makeAsyncIterator() else { return }
    while let batch = try await events.nextBatch() {
      for event in batch.elements { take(event) }
    }
    try Task.checkCancellation()
  }

  private func take(_ event: PeripheralEvent) {
    switch event.kind {
    case .connected(let central):
      centrals.insert(central)
      played.setConnected(true)
    case .disconnected(let central):
      centrals.remove(central)
      if centrals.isEmpty { played.setConnected(false) }
    case .subscribed(let characteristic):
      if let handle = served(characteristic)?.handle { played.setSubscribed(true, handle) }
    case .unsubscribed(let characteristic):
      updates.forget(characteristic)
      if let handle = served(characteristic)?.handle { played.setSubscribed(false, handle) }
    case .isReady(let characteristic): updates.drain(characteristic)
    case .state(let state): report(state)
    case .failed(let error): session.console.warn("\(error)")
    case .missed(let count):
      session.console.warn("\(count) events were missed")
      updates.drain()
    case .advertisingStarted:
      if isOut { session.remark("blectl: \(name) is published and advertised again") }
      isOut = false
    case .advertisingEnded, .read, .wrote, .refused: break
    }
    guard let record = record(of: event) else { return }
    outputs.send(.served(record))
    if record.event == .written { hook?.add(record) }
  }

  func served(_ characteristic: PublishedCharacteristic) -> ServedCharacteristic? {
    characteristics.first { $0.published == characteristic }
  }

  private func report(_ state: BluetoothState) {
    let reason: String
    switch state {
    case .poweredOn, .busUnavailable: return
    case .serviceUnavailable: reason = "the Bluetooth service (bluetoothd) has ended"
    case .unsupported: reason = "the adapter has gone"
    case .poweredOff: reason = "the adapter is off"
    case .blocked: reason = "the adapter is blocked (rfkill)"
    }
    isOut = true
    session.remark("blectl: \(reason); \(name) is published again when it is back")
  }
}

/// A characteristic of the served peripheral.
struct ServedCharacteristic: Sendable {
  let published: PublishedCharacteristic
  /// The handle of its value in the played peripheral.
  let handle: UInt16

  init(_ published: PublishedCharacteristic, handle: UInt16) {
    self.published = published
    self.handle = handle
  }
}
