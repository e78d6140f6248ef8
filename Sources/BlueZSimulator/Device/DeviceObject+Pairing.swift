// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// Pairing: by a client's call, because an attribute requires it, or because the peripheral asks for it.
extension DeviceObject {
  func pair(_ call: MethodCall) {
    guard pairing == nil, attempt == nil, pairingProcess == nil else { return call.fail(.inProgress) }
    guard !isPaired else { return call.fail(.alreadyExists) }
    guard adapter.isPowered else { return call.fail(.authenticationFailed) }
    pairing = call
    daemon.kernel.pair(call) { [weak self] in
      guard let self, pairing === call else { return }
      if let link { pair(over: link) } else { begin(ConnectionAttempt(call, isPairing: true)) }
    }
  }

  func cancelPairing(_ call: MethodCall) {
    guard let pairing else {
      call.fail(.doesNotExist)
      dropKey()
      return
    }
    self.pairing = nil
    isTemporary = true
    if !isConnected {
      attempt?.withdraw(daemon.timers)
      attempt = nil
      adapter.remove(self)
    }
    pairingProcess?.cancel()
    call.reply()
    pairing.fail(.authenticationCanceled)
    endLinkForPairing()
  }

  /// The kernel forgets the key, and ends the link; the device still counts as paired.
  private func dropKey() {
    guard key != nil else { return }
    key = nil
    isKeyDropped = true
    guard let link else { return }
    daemon.timers.schedule(after: .zero) { [weak self] in
      guard let self, self.link === link else { return }
      linkLost(.local) { link.close() }
    }
  }

  /// Cancels a pending pairing because a client disconnects.
  func disconnectingCancelsPairing() {
    guard pairing != nil else { return }
    pairingProcess?.cancel()
    endLinkForPairing()
  }

  /// The kernel ends a link that exists only because of the pairing.
  private func endLinkForPairing() {
    guard let link, isLinkForPairing else { return }
    daemon.timers.schedule(after: .zero) { [weak self] in
      guard let self, self.link === link else { return }
      linkLost(.local) { link.close() }
    }
  }

  /// Pairs over an existing link for a call.
  func pair(over link: CentralLink) {
    guard let call = pairing else { return }
    let agent = daemon.agents.agent(for: call.sender)
    startPairing(.init(agent: agent, isCalled: true, level: .encrypted), over: link)
  }

  func raiseSecurity(of link: CentralLink, to level: LinkSecurity, then resume: @escaping () -> Void) {
    suspendedRequests.append(resume)
    securityRequested(level, on: link)
  }

  func securityRequested(_ level: LinkSecurity, on link: CentralLink) {
    guard pairingProcess == nil, link.security < level else { return }
    startPairing(.init(agent: daemon.agents.defaultAgent, isCalled: false, level: level), over: link)
  }

  private func startPairing(_ request: PairingProcess.Request, over link: CentralLink) {
    let process = PairingProcess(
      request, of: path, from: adapter.spec.address, with: peripheral.pairing, in: daemon
    ) { [weak self] outcome in
      self?.pairingEnded(outcome, over: link)
    }
    pairingProcess = process
    process.start()
  }

  private func pairingEnded(_ outcome: PairingProcess.Outcome, over link: CentralLink) {
    pairingProcess = nil
    switch outcome {
    case .paired(let key):
      peripheral.pairing.agreed(on: key, with: adapter.spec.address)
      agreed(on: key, over: link)
    case .refused:
      pairingFailed()
      answerPairing(.authenticationFailed)
      if daemon.behaviour.disconnectsAfterRefusal, self.link === link { disconnect(link) }
    case .failed:
      pairingFailed()
      answerPairing(.authenticationFailed)
      // The kernel ends a link on which the other side has failed to pair.
      if self.link === link { linkLost(.local) { link.close() } }
    case .canceled: answerPairing(.authenticationCanceled)
    case .timedOut: if self.link === link { linkLost(.local) { link.close() } }
    }
  }

  /// The device is then forgotten after a while.
  private func pairingFailed() {
    guard !isPaired, !isTrusted, daemon.behaviour.forgetsConnectedDevice || !isConnected else { return }
    isTemporary = true
    isDoomed = true
    wasSeen()
  }

  private func answerPairing(_ error: BlueZError) {
    let call = pairing
    pairing = nil
    call?.fail(error)
  }

  func agreed(on key: BondKey, over link: CentralLink) {
    self.key = key
    isKeyDropped = false
    link.security = key.security
    let wasBonded = isBonded
    isBonded = adapter.isPairable
    if isBonded {
      peripheral.pairing.keep(key, for: adapter.spec.address)
      addressResolved()
    }
    if isBonded != wasBonded { changed("Bonded") }
    if pairing == nil {
      paired()
    } else if areServicesResolved {
      pairingSucceeded(over: link)?.reply()
    }
    let waiting = suspendedRequests
    suspendedRequests = []
    for resume in waiting { resume() }
    guard isDiscoveryHeld else { return }
    isDiscoveryHeld = false
    discoverServices(link)
  }

  /// Signals successful pairing and returns the call to answer; nil when no call waits, or the pairing continues.
  func pairingSucceeded(over link: CentralLink) -> MethodCall? {
    guard link.security > .plain, pairingProcess == nil, let call = pairing else { return nil }
    pairing = nil
    paired()
    return call
  }

  private func paired() {
    if !isPaired {
      isPaired = true
      changed("Paired")
    }
    isDoomed = false
    makePermanent()
  }

  /// Ends a pending pairing with the link, and discards a key that was not stored.
  func pairingEndedWithLink() {
    isLinkForPairing = false
    suspendedRequests = []
    pairingProcess?.cancel()
    answerPairing(.authenticationCanceled)
    guard !isBonded else { return }
    key = nil
    if isPaired {
      isPaired = false
      changed("Paired")
    }
  }

  /// Ends the pairing that a client started, and the link, because the client has left the bus.
  func clientThatPairsLeft(_ name: String) {
    guard pairing?.sender == name else { return }
    pairing = nil
    isTemporary = true
    cancelAttempt()
    pairingProcess?.cancel()
    if let link { linkLost(.local) { link.close() } }
  }

  // MARK: Bonds

  /// Encrypts a new link with the key of the bond.
  ///
  /// - Returns: whether that succeeds, or no bond exists.
  func encryptWithBond(_ link: CentralLink) -> Bool {
    guard let key else { return true }
    guard peripheral.pairing.key(for: adapter.spec.address) == key else { return false }
    link.security = key.security
    return true
  }

  /// Ends the link because the peripheral has no key for it; the daemon keeps its own.
  func bondIsLost(_ attempt: ConnectionAttempt, over link: CentralLink) {
    daemon.timers.schedule(after: daemon.timing.connect) { [weak self] in
      guard let self, self.attempt === attempt, self.link === link else { return }
      linkLost(.authentication) { link.close() }
    }
  }

  /// Keeps the device out, or no longer.
  func setBlocked(_ isOn: Bool) {
    isBlocked = isOn
    guard isOn else { return daemon.medium.arrived() }
    makePermanent()
    if let link { linkLost(.local) { link.close() } }
  }
}
