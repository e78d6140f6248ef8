// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
package import BLEPeripheral
internal import BLEWorld
package import BlectlSession
package import PeripheralEmulator
internal import TerminalOutput
package import ValueStreams

/// Connects centrals of a real adapter with the emulated peripheral of a world; used only on the loop.
package final class PeripheralServer {
  package let emulated: EmulatedPeripheral
  package let manager: PeripheralManager
  private let outputs: StreamOutputs
  private let hook: ExecQueue?
  private let isControlled: Bool
  package let context: CommandContext
  private let updates: UpdateQueue
  private let advertising: AdvertisingSwitch
  private let contents: ChangingAdvertisement
  /// The characteristics, in the order of the services.
  private(set) var characteristics: [ServedCharacteristic] = []
  private var centrals: Set<Central> = []
  /// Those of them that have used the peripheral: others may be devices of this machine.
  private var users: Set<Central> = []
  /// True if stderr says that bluetoothd or the adapter is away.
  private var isOut = false
  /// The adapter that last published the peripheral.
  private var adapterName: String?
  /// All events from before the first service is published.
  private var events: PeripheralEvents?
  /// Links from before the start: their devices may read and subscribe, and their end is reported.
  private var earlier: [PeripheralEvent] = []

  package init(
    _ emulated: EmulatedPeripheral, _ manager: PeripheralManager, outputs: StreamOutputs, hook: ExecHook?,
    isControlled: Bool, context: CommandContext
  ) {
    self.emulated = emulated
    self.manager = manager
    self.outputs = outputs
    self.hook = hook.map { ExecQueue($0, for: "written value") }
    self.isControlled = isControlled
    self.context = context
    updates = UpdateQueue(manager)
    let (version, address) = manager.assumeIsolated { ($0.blueZVersion, $0.adapterAddress) }
    contents = ChangingAdvertisement(emulated.spec, from: address, on: context.loop)
    let fitted = TruncatedAdvertisement(contents.current, isChanging: emulated.spec.advertisement.isChanging)
    advertising = AdvertisingSwitch(fitted.advertisement, manager, context: context)
    for remark in fitted.remarks
      + emulated.limits(
        answersWithin: PeripheralManager.answerTime,
        isCarried: { ATTError(code: $0).isCarried(ofRead: $1, by: version) })
    {
      context.remark("blectl: \(remark)")
    }
  }

  package var name: String { emulated.spec.advertisement.name ?? emulated.spec.address }

  // MARK: Publishing

  package func publish() async throws {
    events = await manager.events()
    earlier = await manager.connectedCentrals.map { PeripheralEvent(kind: .connected($0), time: .now) }
    if emulated.spec.advertisement.isConnectable {
      let tree = ServiceTree(emulated, isControlled: isControlled, on: context.loop)
      for remark in tree.remarks { context.remark("blectl: \(remark)") }
      let published = try await manager.add(tree.entries.map(\.service), timeout: context.timeout)
      for (service, entry) in zip(published, tree.entries) {
        characteristics += zip(service.characteristics, entry.handles).map {
          ServedCharacteristic(published: $0, handle: $1)
        }
      }
    }
    updates.whenDropped { [context] characteristic in
      context.console.warn(
        "the centrals take the values of \(Vocabulary.known.title(ofCharacteristic: characteristic.uuid)) too slowly: "
          + "some are dropped")
    }
    emulated.onAdvertising = { [advertising] in advertising.set($0) }
    emulated.onRestart = { [weak self] in self?.endLinks() }
    try await advertising.start(if: emulated.isHeard)
    contents.start { [advertising] contents in
      advertising.change(to: TruncatedAdvertisement(contents, isChanging: true).advertisement)
    }
    adapterName = await manager.adapterInUse?.name
    if emulated.requiresPairing { remarkOnAgent() }
    emulated.start(
      EmulatorOutput(
        send: { [weak self] handle, value in self?.send(value, of: handle) },
        isCongested: { [weak self] in self?.isCongested($0) ?? false },
        isSubscribed: { [weak self] in self?.isSubscribed($0) ?? false }))
  }

  /// BlueZ refuses every pairing that a central begins while no program answers.
  private func remarkOnAgent() {
    let adapter = adapterName.map { " -i \($0)" } ?? ""
    context.remark(
      "blectl: centrals can pair, as its security requires, while an agent answers: blectl agent\(adapter) --yes"
    )
  }

  /// Unpublishes the peripheral, passes on earlier events, and waits for the command of `--exec`.
  ///
  /// - Throws: `CancellationError` when the command was ended; why it cannot be run.
  package func close() async throws {
    emulated.stop()
    contents.stop()
    await takeWaiting { _ in true }
    await manager.close()
    // The links outlive the manager.
    await takeWaiting(where: \.isRequest)
    try await hook?.finish()
  }

  private func takeWaiting(where isWanted: (PeripheralEvent.Kind) -> Bool) async {
    guard var events = events?.makeAsyncIterator() else { return }
    while let batch = try? await events.nextBatch(until: LoopClock.now), !batch.elements.isEmpty {
      for event in batch.elements where isWanted(event.kind) { take(event) }
    }
  }

  /// Ends the links of its centrals, as a restart of the device does.
  private func endLinks() {
    let users = users
    manager.assumeIsolated { manager in
      for central in users { manager.disconnect(central) }
    }
  }

  private func published(_ handle: UInt16) -> PublishedCharacteristic? {
    characteristics.first { $0.handle == handle }?.published
  }

  private func send(_ value: [UInt8], of handle: UInt16) {
    if let target = published(handle) { updates.send(value, of: target) }
  }

  private func isCongested(_ handle: UInt16) -> Bool {
    published(handle).map { updates.isCongested($0) } ?? false
  }

  private func isSubscribed(_ handle: UInt16) -> Bool {
    published(handle).map { target in manager.assumeIsolated { $0.isSubscribed(target) } } ?? false
  }

  /// Waits until the values of the characteristic with this handle are on their way to the centrals.
  func waitUntilSent(_ handle: UInt16) async {
    if let target = published(handle) { await updates.waitUntilSent(target) }
  }

  // MARK: Events

  /// Passes on events, and runs the command of `--exec`, until cancelled; `takesInput` lets stdin set values.
  package func run(takesInput: Bool) async throws {
    let (loop, hook) = (context.loop, hook)
    let following = loop.confinedWork { [self] in try await follow() }
    let input = takesInput ? loop.confinedWork { [self] in await ServedInput(self).run() } : nil
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await following() }
      if let input { group.addTask(executorPreference: loop) { try await input() } }
      if let hook { group.addTask(executorPreference: loop) { try await hook.run() } }
      defer { group.cancelAll() }
      // The command continues after the end of the input, but not after that of the bus.
      while try await group.next() != nil {}
    }
  }

  private func follow() async throws {
    guard var events = events?.makeAsyncIterator() else { return }
    for event in earlier { take(event) }
    while let batch = try await events.nextBatch() {
      for event in batch.elements { take(event) }
    }
    try Task.checkCancellation()
  }

  private func take(_ event: PeripheralEvent) {
    switch event.kind {
    case .connected(let central):
      guard centrals.insert(central).inserted else { return }
      emulated.setConnected(true)
    case .disconnected(let central):
      users.remove(central)
      guard centrals.remove(central) != nil else { return }
      if centrals.isEmpty { emulated.setConnected(false) }
    case .subscribed(let characteristic):
      if let handle = served(characteristic)?.handle { emulated.setSubscribed(true, handle) }
    case .unsubscribed(let characteristic):
      updates.forget(characteristic)
      if let handle = served(characteristic)?.handle { emulated.setSubscribed(false, handle) }
    case .isReady(let characteristic): updates.drain(characteristic)
    case .state(let state): report(state)
    case .failed(let error): context.console.warn("\(error)")
    case .missed(let count):
      context.console.warn("\(count) events were missed")
      updates.drain()
    case .restored: reportReturn()
    case .read(let access), .wrote(let access): users.insert(access.central)
    case .advertisingStarted, .advertisingEnded, .refused: break
    }
    guard let record = record(of: event) else { return }
    outputs.send(.served(record))
    if record.event == .written { hook?.add(record) }
  }

  package func served(_ characteristic: PublishedCharacteristic) -> ServedCharacteristic? {
    characteristics.first { $0.published == characteristic }
  }

  private func report(_ state: BluetoothState) {
    guard let outage = state.outage else { return }
    isOut = true
    context.remark("blectl: \(outage); \(name) is published again when it is back")
  }

  /// Reports that the peripheral is published again, and the adapter if it changed.
  private func reportReturn() {
    let former = adapterName
    adapterName = manager.assumeIsolated { $0.adapterInUse?.name }
    let state = emulated.isHeard ? "published and advertised" : "published"
    if let former, let adapterName, former != adapterName {
      context.remark("blectl: the adapter \(former) has gone; \(name) is \(state) on \(adapterName)")
    } else if isOut {
      context.remark("blectl: \(name) is \(state) again")
    }
    isOut = false
  }
}

package struct ServedCharacteristic: Sendable {
  package let published: PublishedCharacteristic
  /// The handle of its value in the emulated peripheral.
  package let handle: UInt16
}

extension PeripheralServer {
  /// The record to print about an event, if any.
  package func record(of event: PeripheralEvent) -> ServedRecord? {
    let adapter = manager.assumeIsolated { $0.adapterInUse }
    func record(_ name: ServedRecord.Event, _ central: Central? = nil) -> ServedRecord {
      var record = ServedRecord(name, time: event.time)
      record.adapter = adapter?.name
      record.address = central?.address
      record.name = central.flatMap { context.names.label(of: $0.address, nil)?.name ?? $0.name }
      return record
    }
    switch event.kind {
    case .advertisingStarted(let advertising):
      var record = record(.advertising)
      (record.address, record.name) = (adapter?.address, advertising.advertisement.name)
      return record
    case .connected(let central): return record(.connected, central)
    case .disconnected(let central): return record(.disconnected, central)
    case .subscribed(let characteristic):
      var record = record(.subscribed)
      record.attribute = attribute(characteristic)
      return record
    case .unsubscribed(let characteristic):
      var record = record(.unsubscribed)
      record.attribute = attribute(characteristic)
      return record
    case .read(let access), .wrote(let access), .refused(let access, _):
      var record = record(event.kind.word, access.central)
      record.attribute = ServedRecord.Attribute(access, hasTwin: hasTwin(access.characteristic), of: identity)
      record.offset = access.offset
      if case .refused(_, let error) = event.kind {
        record.error = error
      } else {
        record.value = access.value
      }
      return record
    case .state, .advertisingEnded, .isReady, .restored, .failed, .missed: return nil
    }
  }

  private func attribute(_ characteristic: PublishedCharacteristic) -> ServedRecord.Attribute? {
    candidates.first { $0.emulatedHandle == served(characteristic)?.handle }.map {
      ServedRecord.Attribute(
        service: $0.service, characteristic: $0.uuid, handle: $0.handle == 0 ? nil : $0.handle,
        hasTwin: hasTwin($0.uuid), device: identity)
    }
  }

  /// The peripheral, whose characteristics may have a meaning of their own.
  var identity: ProfileSubject {
    ProfileSubject(address: BluetoothAddress(emulated.spec.address), name: emulated.spec.advertisement.name)
  }

  private func hasTwin(_ uuid: BluetoothUUID) -> Bool {
    characteristics.count { $0.published.uuid == uuid } > 1
  }

  /// The characteristics that CHAR may mean, with the handles that centrals see.
  package var candidates: [ServedCandidate] {
    let services = emulated.services
    return characteristics.compactMap { characteristic in
      let service = services.first { service in
        service.characteristics.contains { $0.handle == characteristic.handle }
      }
      let published = characteristic.published
      let value = manager.assumeIsolated { $0.handle(of: published) }
      return service.map {
        ServedCandidate(
          service: $0.spec.uuid, uuid: characteristic.published.uuid, handle: value.map { $0 &- 1 } ?? 0,
          emulatedHandle: characteristic.handle)
      }
    }
  }
}

extension PeripheralEvent.Kind {
  fileprivate var isRequest: Bool {
    switch self {
    case .read, .wrote, .refused: true
    default: false
    }
  }

  fileprivate var word: ServedRecord.Event {
    switch self {
    case .wrote: .written
    case .refused: .refused
    default: .read
    }
  }
}

extension ServedRecord.Attribute {
  /// The attribute of a request; a characteristic has the handle of its declaration, as `services` prints it.
  fileprivate init(_ access: AnsweredRequest, hasTwin: Bool, of device: ProfileSubject) {
    self.init(
      service: access.service, characteristic: access.characteristic, descriptor: access.descriptor,
      handle: access.descriptor == nil ? access.handle.map { $0 &- 1 } : access.handle, hasTwin: hasTwin,
      device: device)
  }
}

// MARK: Control

/// Lets the control channel, which has a loop of its own, reach a server.
struct ServerControl: ControlTarget {
  private let server: Confined<PeripheralServer>
  private let loop: EventLoop

  init(_ server: PeripheralServer) {
    loop = server.context.loop
    self.server = loop.confine(server)
  }

  func perform(_ command: ControlCommand) async throws(ControlError) {
    try await Task(executorPreference: loop) { [server] in
      Result(catching: { () throws(ControlError) in try server.value.emulated.perform(command) })
    }.value.get()
  }

  var state: WorldState {
    get async { await Task(executorPreference: loop) { [server] in server.value.state }.value }
  }
}

extension PeripheralServer {
  fileprivate var state: WorldState {
    let (state, adapter) = manager.assumeIsolated { ($0.state, $0.adapterInUse) }
    return emulated.state(
      adapter: adapter.map {
        ($0.name, $0.address.map { "\($0)" } ?? "", state == .poweredOn, state == .blocked)
      }, isRunning: state != .serviceUnavailable && state != .busUnavailable)
  }
}
