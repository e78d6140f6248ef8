// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// From the call of Connect to resolved services.
extension DeviceObject {
  func connect(_ call: MethodCall) {
    if daemon.behaviour.refusesParallelConnect, pairing != nil || attempt != nil {
      return call.fail(.inProgress)
    }
    if isConnected { return call.reply() }
    guard attempt == nil else { return call.fail(.failed("Operation already in progress")) }
    guard adapter.isPowered else { return call.fail(.failed("Input/output error")) }
    begin(ConnectionAttempt(call))
  }

  /// Waits for the peripheral, up to the timeout.
  func begin(_ attempt: ConnectionAttempt) {
    makePermanent()
    self.attempt = attempt
    attempt.timeout = daemon.timers.schedule(after: daemon.timing.connectTimeout) { [weak self] in
      self?.attemptFailed(attempt, .failed("le-connection-abort-by-local"))
    }
    reachOut(attempt)
  }

  /// Waits for an advertisement of the peripheral, then for the link.
  private func reachOut(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    guard peripheral.isReachable, !isBlocked else {
      daemon.medium.onArrival { [weak self] in self?.reachOut(attempt) }
      return
    }
    adapter.connectionSlot.take(attempt) { [weak self] in self?.createLink(attempt) }
  }

  /// Connects to the peripheral, which advertises, while this attempt holds the slot.
  private func createLink(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    attempt.step = daemon.timers.schedule(after: daemon.timing.connect) { [weak self] in
      self?.establish(attempt)
    }
  }

  private func establish(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    guard peripheral.isReachable else {
      adapter.connectionSlot.release(attempt)
      return reachOut(attempt)
    }
    if let fault = peripheral.faults.take(RefuseConnect.self) { return attemptFailed(attempt, fault.error) }
    if peripheral.faults.take(HangConnect.self) != nil { return hang(attempt) }
    attempt.withdraw(daemon.timers)
    let link = CentralLink(to: peripheral, daemon: daemon, delegate: self)
    self.link = link
    isLinkForPairing = attempt.isPairing
    isConnected = true
    wasSeen()
    changed("Connected")
    daemon.timers.schedule(after: .zero) { [weak self] in
      guard let self, self.attempt === attempt else { return }
      guard encryptWithBond(link) else { return bondIsLost(attempt, over: link) }
      self.attempt = nil
      isDiscoveryHeld = daemon.behaviour.encryptsBeforeDiscovery && (attempt.isPairing || isKeyDropped)
      if attempt.isPairing { pair(over: link) } else { attempt.call.reply() }
      guard self.link === link else { return }
      if isDiscoveryHeld, !attempt.isPairing { securityRequested(.encrypted, on: link) }
      if !isDiscoveryHeld { discoverServices(link) }
    }
  }

  /// Lets the attempt hang: after a while the kernel releases the slot; the daemon waits until its timeout.
  private func hang(_ attempt: ConnectionAttempt) {
    attempt.step = daemon.timers.schedule(after: daemon.timing.controllerAttempt) { [weak self] in
      self?.adapter.connectionSlot.release(attempt)
    }
  }

  private func attemptFailed(_ attempt: ConnectionAttempt, _ error: BlueZError) {
    guard self.attempt === attempt else { return }
    attempt.withdraw(daemon.timers)
    self.attempt = nil
    wasSeen()
    if attempt.isPairing {
      pairing = nil
      isTemporary = true
      attempt.call.fail(.failed("Software caused connection abort"))
    } else {
      attempt.call.fail(error)
    }
  }

  func cancelAttempt() {
    if let attempt { attemptFailed(attempt, .failed("br-connection-canceled")) }
  }

  // MARK: Services

  func discoverServices(_ link: CentralLink) {
    let delay = daemon.timing.serviceDiscovery + (peripheral.faults[DelayServices.self]?.delay ?? .zero)
    let areKnown = gatt.hasServices
    if areKnown { useKnownServices(link) }
    daemon.timers.schedule(after: delay) { [weak self] in
      guard let self, self.link === link, link.isUsable else { return }
      link.exchange(peripheral.attributes.layout.requestCount(areServicesKnown: areKnown)) { [weak self] in
        self?.servicesDiscovered(link, wereKnown: areKnown)
      }
    }
  }

  private func servicesDiscovered(_ link: CentralLink, wereKnown: Bool) {
    guard self.link === link, link.isUsable else { return }
    let pairing = pairingSucceeded(over: link)
    if wereKnown { confirmKnownServices(link) } else { servicesFound(link) }
    pairing?.reply()
  }

  private func servicesFound(_ link: CentralLink) {
    gatt.attach(link)
    switch peripheral.faults[OrderServices.self]?.order ?? .objectsFirst {
    case .objectsFirst: gatt.build()
    case .resolvedFirst:
      resolved()
      daemon.tree.flush()
      gatt.build()
    case .objectsLate(let delay):
      daemon.timers.schedule(after: delay) { [weak self] in
        guard let self, self.link === link else { return }
        gatt.build()
        store()
      }
    }
    resolved()
    makePermanent()
    gatt.readForDaemon()
  }

  /// Uses the cached attributes at once and renews subscriptions before the services are resolved.
  private func useKnownServices(_ link: CentralLink) {
    gatt.attach(link)
    gatt.restoreSessions()
    gatt.readForDaemon()
  }

  private func confirmKnownServices(_ link: CentralLink) {
    link.afterRequests { [weak self] in
      guard let self, self.link === link else { return }
      gatt.refresh()
      resolved()
    }
  }

  private func resolved() {
    guard !areServicesResolved else { return }
    areServicesResolved = true
    changed("ServicesResolved")
    updateServiceList()
  }

  /// Lists the services that were found.
  func updateServiceList() {
    let services = peripheral.attributes.layout.services.filter(\.spec.isPrimary).map(\.uuid).sorted()
    guard services != foundServices else { return }
    foundServices = services
    changed("UUIDs")
  }
}

/// A pending call of Connect, or of Pair on a device without a link.
final class ConnectionAttempt {
  let call: MethodCall
  let isPairing: Bool
  /// The timers of the next step and of the timeout.
  var step: TimerQueue.Token?
  var timeout: TimerQueue.Token?
  /// The slot that it holds or waits for.
  weak var slot: ConnectionSlot?

  init(_ call: MethodCall, isPairing: Bool = false) {
    self.call = call
    self.isPairing = isPairing
  }

  func withdraw(_ timers: TimerQueue) {
    timers.cancel(step)
    timers.cancel(timeout)
    slot?.release(self)
  }
}

/// Serializes the attempts to connect of a controller, as the kernel does.
///
/// A device that is out of range does not hold the slot: for it the kernel only listens.
final class ConnectionSlot {
  private var holder: ConnectionAttempt?
  private var waiting: [(attempt: ConnectionAttempt, begin: () -> Void)] = []

  /// Calls `begin` at this attempt's turn, at once when no other attempt is active.
  func take(_ attempt: ConnectionAttempt, _ begin: @escaping () -> Void) {
    attempt.slot = self
    waiting.removeAll { $0.attempt === attempt }
    if holder == nil || holder === attempt {
      holder = attempt
      begin()
    } else {
      waiting.append((attempt, begin))
    }
  }

  /// Starts the next attempt after this one has succeeded, failed or been cancelled.
  func release(_ attempt: ConnectionAttempt) {
    waiting.removeAll { $0.attempt === attempt }
    guard holder === attempt else { return }
    holder = nil
    guard !waiting.isEmpty else { return }
    let next = waiting.removeFirst()
    holder = next.attempt
    next.begin()
  }
}
