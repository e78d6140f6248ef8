// SPDX-License-Identifier: MIT

/// From the call of Connect to resolved services.
extension DeviceObject {
  func connect(_ call: MethodCall) {
    if isConnected { return call.reply() }
    guard attempt == nil else { return call.fail(.failed("Operation already in progress")) }
    guard adapter.isPowered else { return call.fail(.failed("Input/output error")) }
    begin(ConnectionAttempt(call))
  }

  /// Looks for the peripheral until it is there, or too long.
  func begin(_ attempt: ConnectionAttempt) {
    makePermanent()
    self.attempt = attempt
    attempt.timeout = daemon.agenda.schedule(after: daemon.timing.connectTimeout) { [weak self] in
      self?.attemptFailed(attempt, .failed("le-connection-abort-by-local"))
    }
    reachOut(attempt)
  }

  /// Waits for an advertisement of the peripheral, then for the link.
  private func reachOut(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    guard peripheral.isReachable else {
      daemon.air.onArrival { [weak self] in self?.reachOut(attempt) }
      return
    }
    adapter.connectionSlot.take(attempt) { [weak self] in self?.createLink(attempt) }
  }

  /// It was heard, and no other attempt is made at this moment.
  private func createLink(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    attempt.step = daemon.agenda.schedule(after: daemon.timing.connect) { [weak self] in
      self?.establish(attempt)
    }
  }

  private func establish(_ attempt: ConnectionAttempt) {
    guard self.attempt === attempt else { return }
    guard peripheral.isReachable else {
      adapter.connectionSlot.release(attempt)
      return reachOut(attempt)
    }
    if let refusal = peripheral.faults.takeRefusal() { return attemptFailed(attempt, refusal) }
    if peripheral.faults.takeHang() { return hang(attempt) }
    attempt.withdraw(daemon.agenda)
    let link = Link(self)
    link.isEncrypted = isPaired
    self.link = link
    isConnected = true
    wasSeen()
    changed("Connected")
    daemon.agenda.schedule(after: .zero) { [weak self] in
      guard let self, self.attempt === attempt else { return }
      self.attempt = nil
      if attempt.isPairing {
        return pair(over: link)
      }
      attempt.call.reply()
      guard self.link === link else { return }
      discoverServices(link)
    }
  }

  /// The controller hears nothing more of the peripheral: the kernel stops that after a while, and lets others have their
  /// turn; the daemon waits on, until it gives up.
  private func hang(_ attempt: ConnectionAttempt) {
    attempt.step = daemon.agenda.schedule(after: daemon.timing.controllerAttempt) { [weak self] in
      self?.adapter.connectionSlot.release(attempt)
    }
  }

  private func attemptFailed(_ attempt: ConnectionAttempt, _ error: BlueZError) {
    guard self.attempt === attempt else { return }
    attempt.withdraw(daemon.agenda)
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

  func discoverServices(_ link: Link) {
    let delay = daemon.timing.serviceDiscovery + peripheral.faults.discoveryDelay
    let areKnown = gatt.hasServices
    if areKnown { useKnownServices(link) }
    daemon.agenda.schedule(after: delay) { [weak self] in
      guard let self, self.link === link, link.isUsable else { return }
      link.exchange(peripheral.server.layout.questionCount(areServicesKnown: areKnown)) { [weak self] in
        self?.servicesDiscovered(link, wereKnown: areKnown)
      }
    }
  }

  private func servicesDiscovered(_ link: Link, wereKnown: Bool) {
    guard self.link === link, link.isUsable else { return }
    let pairing = pairingSucceeded(over: link)
    if wereKnown { confirmKnownServices(link) } else { servicesFound(link) }
    pairing?.reply()
  }

  private func servicesFound(_ link: Link) {
    gatt.attach(link)
    switch peripheral.faults.serviceOrder {
    case .objectsFirst: gatt.build()
    case .resolvedFirst:
      resolved()
      daemon.tree.flush()
      gatt.build()
    case .objectsLate(let delay):
      daemon.agenda.schedule(after: delay) { [weak self] in
        guard let self, self.link === link else { return }
        gatt.build()
        store()
      }
    }
    resolved()
    makePermanent()
    gatt.readForDaemon()
  }

  /// Uses the attributes of an earlier connection at once: subscriptions are renewed before the services count as
  /// resolved.
  private func useKnownServices(_ link: Link) {
    gatt.attach(link)
    gatt.restoreSessions()
    gatt.readForDaemon()
  }

  private func confirmKnownServices(_ link: Link) {
    link.afterRequests { [weak self] in
      guard let self, self.link === link else { return }
      resolved()
    }
  }

  private func resolved() {
    guard !areServicesResolved else { return }
    areServicesResolved = true
    changed("ServicesResolved")
    let services = peripheral.server.layout.services.filter(\.spec.isPrimary).map(\.uuid.text).sorted()
    guard services != foundServices else { return }
    foundServices = services
    changed("UUIDs")
  }
}
