// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Registers services and advertisements, and again after BlueZ lost them; confined to the loop's thread.
final class Registrar {
  /// The pause before a refused registration is retried.
  private static let retryPause = Duration.seconds(5)

  private let client: BlueZClient
  private let events: EventHub
  private var items: [Int: Registrable] = [:]
  /// True if anything was off the air since ``PeripheralEvent/Kind/restored`` was last reported.
  private var isIncomplete = false
  private var ending: BLEError?
  private var retryTimer: TimerID?

  init(_ client: BlueZClient, _ events: EventHub) { (self.client, self.events) = (client, events) }

  /// A number that is unique among the client's objects.
  func nextNumber() -> Int { client.assumeIsolated { $0.nextNumber() } }

  subscript(number: Int) -> Registrable? { items[number] }

  /// Those of one type, in the order of their addition.
  func items<Item: Registrable>(_ type: Item.Type) -> [Item] { sorted.compactMap { $0 as? Item } }

  /// Services, then advertisements, in the order of their addition.
  var sorted: [Registrable] {
    items.values.sorted { ($0.kind.rawValue, $0.number) < ($1.kind.rawValue, $1.number) }
  }

  /// The adapter that has the registrations, even while it is off, or else the one to register with.
  func adapter(in model: ObjectModel) -> AdapterState? {
    sorted.lazy.compactMap(\.registration).first.flatMap { model.adapters[$0.adapterPath] }
      ?? client.adapterChoice.first(of: model.adapters.values)
  }

  var state: BluetoothState { BluetoothState(outage, adapter(in: client.model)) }

  var outage: BLEError? { ending ?? client.assumeIsolated { $0.outage } }

  // MARK: Adding and removing

  /// Registers an item, and keeps it registered from then on.
  func add(_ item: Registrable, _ operation: Operation) async throws(BLEError) {
    items[item.number] = item
    do throws(BLEError) {
      try await register(item, operation)
    } catch {
      items[item.number] = nil
      reportIfRestored()
      throw error
    }
    if let ending { throw ending.during(operation.action) }
    item.isWanted = true
    // bluetoothd may have ended behind its reply.
    restore(item)
    reportIfRestored()
  }

  /// Registers an item as soon as BlueZ can.
  func keep(_ item: Registrable) {
    item.isWanted = true
    items[item.number] = item
    restore()
  }

  /// Removes an item, unless that was done before; if this throws, the item is removed anyway.
  ///
  /// A call that is registering it at this moment unregisters it behind the reply, even if the wait for that ends early.
  func remove(_ number: Int, _ operation: Operation) async throws(BLEError) {
    guard let item = items.removeValue(forKey: number) else { return }
    item.isWanted = false
    item.removed()
    try await takeTurn(of: item, operation)
    defer { item.turns.release() }
    guard let registration = item.registration else { return }
    item.registration = nil
    item.unregistered()
    defer { client.withdraw(item.root) }
    try await client.call(item.call("Unregister", at: registration.adapterPath), for: operation)
  }

  private func register(_ item: Registrable, _ operation: Operation) async throws(BLEError) {
    try await takeTurn(of: item, operation)
    defer { item.turns.release() }
    guard item.registration == nil, items[item.number] != nil else { return }
    let (adapter, owner) = try place(for: item, operation)
    client.export(LocalObjects(root: item.root, for: owner, item.objects))
    do throws(BLEError) {
      let answered = client.loop.confined { [weak self] (outcome: Result<Message, DBusError>) in
        // In order with the signals: when the task resumes, bluetoothd may already have ended, or lost the adapter.
        guard case .success = outcome else { return }
        self?.registered(item, Registration(adapterPath: adapter.path))
      }
      try await client.call(
        item.call("Register", at: adapter.path, []), for: operation, observer: answered)
    } catch {
      // After the call: if bluetoothd still registers the item after the deadline, this removes it.
      postEnd(of: item, at: adapter.path)
      throw error
    }
  }

  private func registered(_ item: Registrable, _ registration: Registration) {
    // Removed meanwhile: nobody else knows that it is registered.
    guard items[item.number] != nil else { return postEnd(of: item, at: registration.adapterPath) }
    item.registration = registration
    item.registered()
  }

  private func place(
    for item: Registrable, _ operation: Operation
  ) throws(BLEError) -> (adapter: AdapterState, owner: String) {
    if let ending { throw ending.during(operation.action) }
    let adapter = try client.assumeIsolated { $0.adapterInUse(for: operation.action) }.get()
    if item.kind == .advertisement { try adapter.requirePower(for: operation.action) }
    guard adapter.managers.contains(item.kind.needed), let owner = client.assumeIsolated({ $0.owner }) else {
      throw operation.error(.notSupported, "the adapter \(adapter.identifier) cannot \(item.kind.ability)")
    }
    return (adapter, owner)
  }

  private func takeTurn(of item: Registrable, _ operation: Operation) async throws(BLEError) {
    try await item.turns.take(
      for: operation, on: client.loop, orFailWith: "BlueZ does not complete the previous call")
  }

  // MARK: Losses

  func lose(where isLost: (Registration) -> Bool) {
    for item in sorted where item.registration.map(isLost) ?? false { lose(item) }
  }

  /// Handles the loss of an item that must be registered again.
  private func lose(_ item: Registrable) {
    isIncomplete = true
    item.registration = nil
    client.withdraw(item.root)
    item.unregistered()
  }

  /// Handles the release of an item by BlueZ.
  ///
  /// If its time is over, it is not registered again.
  func released(_ item: Registrable, isOver: Bool) {
    guard isOver else { return lose(item) }
    items[item.number] = nil
    item.registration = nil
    client.withdraw(item.root)
  }

  /// Records that Bluetooth cannot be used: everything registered is off the air.
  func interrupted() { isIncomplete = true }

  // MARK: Restoring

  func restore() { for item in sorted { restore(item) } }

  /// Registers an item again if BlueZ lost it, and can register it now.
  private func restore(_ item: Registrable) {
    guard item.registration == nil, item.isWanted, outage == nil,
      let adapter = adapter(in: client.model), item.canBeRegistered(on: adapter)
    else { return }
    // A second attempt would wait for the first, and fail with it: once more for the same reason.
    item.mustRestoreAgain = item.isRestoring
    guard !item.isRestoring else { return }
    item.isRestoring = true
    client.loop.spawn {
      await self.tryToRestore(item)
      item.isRestoring = false
      if item.mustRestoreAgain { self.restore(item) }
    }
  }

  private func tryToRestore(_ item: Registrable) async {
    do throws(BLEError) {
      try await register(item, Operation(item.action, timeout: .seconds(20)))
      item.lastFailure = nil
      reportIfRestored()
    } catch {
      guard item.isWanted else { return }
      failed(error, again: item.lastFailure == error)
      item.lastFailure = error
    }
  }

  /// Reports that everything is registered, once after each outage.
  func reportIfRestored() {
    guard isIncomplete, state == .poweredOn else { return }
    // Also what is being added: bluetoothd may have ended behind its reply, and be back before the task resumes.
    guard items.values.allSatisfy({ $0.registration != nil }) else { return }
    isIncomplete = false
    if !items.isEmpty { events.report(.restored) }
  }

  /// Reports why an item could not be restored, and retries after a pause, unless a change must come first.
  private func failed(_ error: BLEError, again isRepeated: Bool) {
    client.logger.debug("\(error)")
    guard !error.isOutage else { return }
    if !isRepeated { events.report(.failed(error)) }
    guard error.isRecoverable, retryTimer == nil else { return }
    retryTimer = client.loop.schedule(at: LoopClock.now + Self.retryPause) { [weak self] in
      self?.retryTimer = nil
      self?.restore()
    }
  }

  // MARK: The end

  /// Removes all items without waiting.
  func close() {
    if let retryTimer { client.loop.cancel(retryTimer) }
    retryTimer = nil
    let adapter = adapter(in: client.model)
    for item in sorted.reversed() {
      if let path = item.registration?.adapterPath ?? adapter?.path { postEnd(of: item, at: path) }
      item.removed()
      item.unregistered()
    }
    items = [:]
    ending = BLEError.managerClosed.closing(after: outage)
  }

  private func postEnd(of item: Registrable, at adapterPath: String) {
    if outage == nil {
      client.connection.post(item.call("Unregister", at: adapterPath))
    }
    client.withdraw(item.root)
  }
}
