// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// A published characteristic, and its updates on their way to bluetoothd; confined to the loop's thread.
final class NotifyingAttribute: ServedAttribute {
  enum Phase {
    case waiting
    case registered
    /// The program removed it.
    case removed
  }

  private static let valuesPerTurn = 256
  /// The time limit for a central to confirm an indication.
  ///
  /// bluetoothd gives up after the same time.
  private static let confirmationTime = Duration.seconds(30)
  /// The pause before checking again whether bluetoothd has read everything from a socket.
  private static let drainInterval = Duration.milliseconds(1)
  /// The first version of bluetoothd whose sockets reach only the central that each was acquired for.
  private static let firstWithOwnSockets = BlueZVersion(major: 5, minor: 76)

  var phase = Phase.waiting
  private let transport: UpdateTransport
  private let client: BlueZClient
  private let centrals: Centrals
  private let events: EventHub
  private let subscriptions: Subscriptions
  private let window: UpdateWindow
  private var signals: UpdateSignals
  /// True if the sockets are polled until bluetoothd has read everything.
  private var isDraining = false
  /// The number of values sent since the loop last served others.
  private var valuesInTurn = 0

  init(
    _ characteristic: LocalCharacteristic, of service: BluetoothUUID, path: String, _ client: BlueZClient,
    _ centrals: Centrals, _ events: EventHub
  ) {
    (self.client, self.centrals, self.events) = (client, centrals, events)
    transport = characteristic.updateTransport
    subscriptions = Subscriptions(client, centrals, over: transport)
    let isIndicated =
      characteristic.properties.contains(.indicate) && !characteristic.properties.contains(.notify)
    window = UpdateWindow(isConfirmed: isIndicated)
    signals = UpdateSignals(path)
    super.init(
      characteristic.uuid, of: nil, in: service, path: path, value: characteristic.value,
      reading: characteristic.reading, writing: characteristic.writing)
    handle = characteristic.handle
    subscriptions.report = { [weak self] in self?.changed($0) }
  }

  // MARK: Subscriptions

  var isSubscribed: Bool { phase != .removed && !subscriptions.isEmpty }

  override func answer(_ method: String, _ call: Message) -> LocalAnswer? {
    switch (method, call.signature) {
    case ("StartNotify", ""): subscriptions.setSignalled(true)
    case ("StopNotify", ""): subscriptions.setSignalled(false)
    case ("AcquireNotify", "a{sv}"): return subscriptions.acquireSocket(call)
    case ("Confirm", ""): confirmed()
    default: return nil
    }
    return .now(Message(replyTo: call))
  }

  private func changed(_ change: Subscriptions.Change) {
    guard phase != .removed else { return }
    switch change {
    case .subscribed: events.report(PeripheralEvent.Kind.subscribed, of: self)
    case .unsubscribed: events.report(PeripheralEvent.Kind.unsubscribed, of: self)
    case .room: reportRoom(if: subscriptions.isEmpty ? window.reset() : window.room())
    }
  }

  private func reportRoom(if isThere: Bool) {
    if isThere, phase != .removed { events.report(PeripheralEvent.Kind.isReady, of: self) }
  }

  func follow(_ central: String, isBonded: Bool, isConnected: Bool) {
    subscriptions.follow(central, isBonded: isBonded, isConnected: isConnected)
  }

  func addressChanged(of central: String) { subscriptions.addressChanged(of: central) }

  /// Handles the loss of its subscriptions: BlueZ dropped them, and will not answer what was sent.
  func unregistered() {
    let wasSubscribed = isSubscribed
    if phase != .removed { phase = .waiting }
    subscriptions.reset()
    window.reset()
    if wasSubscribed { events.report(PeripheralEvent.Kind.unsubscribed, of: self) }
  }

  // MARK: Turns

  func beginTurn() { valuesInTurn = 0 }

  /// Returns whether another value may be sent in this turn, and counts it.
  func takeTurn() -> Bool {
    guard valuesInTurn < Self.valuesPerTurn else { return false }
    valuesInTurn += 1
    return true
  }

  // MARK: Updates

  /// Sends a value over the socket that reaches all subscribers; returns false if ``update(to:)`` must do it.
  func sendAtOnce(_ value: [UInt8]) -> Bool {
    guard value.count <= LocalCharacteristic.maximumLength, !value.isEmpty,
      let socket = subscriptions.soleSocket, window.inFlight == 0, socket.send(value) == .sent
    else { return false }
    memory.set(value)
    return true
  }

  func update(to value: [UInt8]) throws(BLEError) -> Bool {
    try check(value, for: .update(uuid, for: nil))
    if sendAtOnce(value) { return true }
    guard isSubscribed else {
      memory.set(value)
      return true
    }
    if !value.isEmpty, let socket = subscriptions.soleSocket {
      guard let isSent = send(value, over: socket) else {
        // bluetoothd has closed it; the loop reports that later.
        window.refuse()
        return false
      }
      if isSent { memory.set(value) }
      return isSent
    }
    guard isDrained(), window.take() else { return false }
    memory.set(value)
    signal(value)
    return true
  }

  private func check(_ value: [UInt8], for action: BLEError.Action) throws(BLEError) {
    guard value.count <= LocalCharacteristic.maximumLength else {
      throw BLEError(
        .invalidLength, during: action,
        "\(value.count) bytes are too many: \(LocalCharacteristic.maximumLength) at most")
    }
    guard phase != .removed else {
      throw BLEError(.notFound, during: action, "its service is not published any more")
    }
  }

  /// Waits for room; returns false if there was none before the deadline, throws `cancelled`.
  func waitForRoom(_ operation: Operation) async throws(BLEError) -> Bool {
    // An update says that the service is no longer published.
    if phase == .removed { return true }
    let room = window.wait()
    defer { window.forget(room) }
    return try await room.value(for: operation, on: client.loop) != nil
  }

  // MARK: Signals

  private func signal(_ value: [UInt8]) {
    let message = signals.signal(of: value)
    client.connection.assumeIsolated { _ = try? $0.send(message) }
    if window.isConfirmed {
      let (generation, deadline) = (window.generation, LoopClock.now + Self.confirmationTime)
      window.confirmationTimer = client.loop.schedule(at: deadline) { [weak self] in
        self?.arrived(1, of: generation)
      }
    } else if let count = window.sent() {
      cover(count)
    }
  }

  private func cover(_ count: Int) {
    let generation = window.generation
    // Without a timeout: while bluetoothd hangs, there is no room.
    let answered = client.loop.confined { [weak self] (_: Result<Message, DBusError>) -> Void in
      self?.arrived(count, of: generation)
    }
    client.begin(BlueZ.ping, timeout: nil, observer: answered)
  }

  private func arrived(_ count: Int, of generation: Int) {
    reportRoom(if: window.arrived(count, of: generation))
  }

  private func confirmed() {
    guard window.isConfirmed else { return }
    if let timer = window.confirmationTimer { client.loop.cancel(timer) }
    window.confirmationTimer = nil
    arrived(1, of: window.generation)
  }

  // MARK: Sockets

  /// Sends a value over a socket, after earlier signals; returns nil if bluetoothd closed it, false if it is
  /// full.
  private func send(_ value: [UInt8], over socket: UpdateSocket) -> Bool? {
    guard window.inFlight == 0 else {
      window.refuse()
      if let count = window.uncovered() { cover(count) }
      return false
    }
    switch socket.send(value) {
    case .sent: return true
    case .full:
      window.refuse()
      socket.waitForRoom()
      return false
    case .ended: return nil
    }
  }

  /// Returns whether bluetoothd has read everything from the sockets, which signals would overtake.
  ///
  /// The kernel does not report it, so this is polled every millisecond.
  private func isDrained() -> Bool {
    if subscriptions.areDrained { return true }
    window.refuse()
    waitUntilDrained()
    return false
  }

  private func waitUntilDrained() {
    guard !isDraining else { return }
    isDraining = true
    _ = client.loop.schedule(at: LoopClock.now + Self.drainInterval) { [weak self] in self?.checkDrained() }
  }

  private func checkDrained() {
    isDraining = false
    guard phase != .removed else { return }
    guard subscriptions.areDrained else { return waitUntilDrained() }
    reportRoom(if: window.room())
  }

  // MARK: One central

  func individualCentrals(_ version: BlueZVersion?) -> [Central] {
    guard phase != .removed, whyNotIndividual(version) == nil else { return [] }
    return subscriptions.sockets.keys.filter { !subscriptions.hasLost($0) }.sorted().compactMap {
      centrals[$0]
    }
  }

  func update(to value: [UInt8], for central: Central, _ version: BlueZVersion?) throws(BLEError) -> Bool {
    let action = BLEError.Action.update(uuid, for: central.address)
    try check(value, for: action)
    if let reason = whyNotIndividual(version) {
      throw BLEError(.notSupported, during: action, reason)
    }
    if value.isEmpty {
      throw BLEError(
        .invalidLength, during: action, "an empty value would end the socket of the central")
    }
    if subscriptions.hasLost(central.path) {
      throw BLEError(
        .notFound, during: action,
        "it has paired with a private address, so BlueZ has lost its subscription; let it connect and subscribe again"
      )
    }
    guard let socket = subscriptions.sockets[central.path] else {
      throw BLEError(
        .notFound, during: action,
        "it has not subscribed, or bluetoothd has not asked for a socket since it has returned")
    }
    if let isSent = send(value, over: socket) { return isSent }
    window.refuse()
    return false
  }

  /// Returns why a value cannot be sent to a single central; nil if it can.
  private func whyNotIndividual(_ version: BlueZVersion?) -> String? {
    guard transport == .acquireNotify else {
      return "signals reach every central; give the characteristic the update transport acquireNotify"
    }
    guard client.connection.isDirect else { return "no socket comes over a bus that a program leads to" }
    guard let version else { return "the version of BlueZ is unknown: DeviceID in main.conf hides it" }
    guard version >= Self.firstWithOwnSockets else {
      return
        "BlueZ \(version) sends what comes over a socket to every central; \(Self.firstWithOwnSockets) does not"
    }
    return nil
  }
}
