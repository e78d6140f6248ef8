// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import PeripheralEmulator

/// Pairing with a device, by a client's call, because an attribute requires it, or because the other side asks for it.
final class DeviceBond {
  private unowned let device: DeviceObject
  var state = PairingState()
  /// The pending call of Pair.
  private var request: MethodCall? {
    didSet { if request == nil, let oldValue { device.daemon.kernel.end(oldValue) } }
  }
  private var process: PairingProcess?
  /// Resume the requests that wait for a more secure link.
  private var suspendedRequests: [() -> Void] = []

  init(_ device: DeviceObject) { self.device = device }

  private var daemon: DaemonContext { device.daemon }
  private var link: DeviceLink { device.link }
  private var peer: PairingPeer { device.peripheral.pairing }
  private var ownAddress: String { device.adapter.spec.address }
  /// True if a call of Pair is pending.
  var isRequested: Bool { request != nil }

  // MARK: Calls

  func pair(_ call: MethodCall) {
    guard request == nil, !link.isConnecting, process == nil else { return call.fail(.inProgress) }
    guard !state.isPaired else { return call.fail(.alreadyExists) }
    guard device.adapter.isPowered else { return call.fail(.authenticationFailed) }
    request = call
    daemon.kernel.pair(call) { [weak self] in
      guard let self, request === call else { return }
      if let current = link.current { return pair(over: current) }
      link.begin(ConnectionAttempt(call, isPairing: true))
    }
  }

  func cancel(_ call: MethodCall) {
    guard let pending = request else {
      call.fail(.doesNotExist)
      if state.dropKey() { link.closeSoon() }
      return
    }
    abandonRequest()
    if !link.phase.isConnected {
      link.withdrawAttempt()
      device.adapter.remove(device)
    }
    process?.cancel()
    call.reply()
    pending.fail(.authenticationCanceled)
    endLinkForPairing()
  }

  /// A client disconnects, and so cancels a pending pairing.
  func disconnecting() {
    guard isRequested else { return }
    process?.cancel()
    endLinkForPairing()
  }

  /// The kernel ends a link that exists only because of the pairing.
  private func endLinkForPairing() { if link.phase.isForPairing { link.closeSoon() } }

  /// A client left the bus: ends the pairing that it started, and the link.
  func clientLeft(_ name: String) {
    guard request?.sender == name else { return }
    abandonRequest()
    link.cancelAttempt()
    process?.cancel()
    link.close()
  }

  /// Drops the call of Pair, which is answered elsewhere or never.
  func abandonRequest() {
    request = nil
    device.presence.release()
  }

  func removed() {
    request = nil
    process?.cancel()
  }

  // MARK: Pairing

  /// Pairs over a link for the pending call.
  func pair(over link: CentralLink) {
    guard let request else { return }
    start(
      .init(agent: daemon.agents.agent(for: request.sender), isCalled: true, level: .encrypted), over: link)
  }

  func raiseSecurity(of link: CentralLink, to level: LinkSecurity, then resume: @escaping () -> Void) {
    suspendedRequests.append(resume)
    securityRequested(level, on: link)
  }

  func securityRequested(_ level: LinkSecurity, on link: CentralLink) {
    guard process == nil, link.security < level else { return }
    start(.init(agent: daemon.agents.defaultAgent, isCalled: false, level: level), over: link)
  }

  private func start(_ request: PairingProcess.Request, over link: CentralLink) {
    let process = PairingProcess(request, with: device) { [weak self] in self?.ended($0, over: link) }
    self.process = process
    process.start()
  }

  private func ended(_ outcome: PairingProcess.Outcome, over link: CentralLink) {
    process = nil
    let isCurrent = self.link.current === link
    switch outcome {
    case .paired(let key):
      peer.agreed(on: key, with: ownAddress)
      agreed(on: key, over: link)
    case .refused:
      failed()
      if daemon.behaviour.disconnectsAfterRefusal, isCurrent { self.link.disconnect() }
    case .failed:
      failed()
      // The kernel ends a link on which the other side has failed to pair.
      if isCurrent { self.link.close() }
    case .canceled: answer(.authenticationCanceled)
    case .timedOut: if isCurrent { self.link.close() }
    }
  }

  /// The device is then removed after a while.
  private func failed() {
    let isForgotten = daemon.behaviour.forgetsConnectedDevice || !link.phase.isConnected
    if !state.isPaired, !device.isTrusted, isForgotten {
      device.presence.pairingFailed()
      device.wasSeen()
    }
    answer(.authenticationFailed)
  }

  private func answer(_ error: BlueZError) {
    let call = request
    request = nil
    call?.fail(error)
  }

  private func agreed(on key: BondKey, over link: CentralLink) {
    let device = device  // which the end of the link may remove
    let isNews = state.agreed(on: key, isKept: device.adapter.isPairable)
    link.security = key.security
    if state.isBonded {
      peer.keep(key, for: ownAddress)
      device.addressResolved()
    }
    if isNews { device.changed("Bonded") }
    if request == nil {
      paired()
    } else if device.services.phase == .resolved {
      succeeded(over: link)?.reply()
    }
    let waiting = suspendedRequests
    suspendedRequests = []
    for resume in waiting { resume() }
    if device.services.phase.release() { device.services.discover(over: link) }
  }

  /// Signals successful pairing and returns the call to answer; nil when no call waits, or the pairing continues.
  func succeeded(over link: CentralLink) -> MethodCall? {
    guard link.security > .plain, process == nil, let call = request else { return nil }
    request = nil
    paired()
    return call
  }

  private func paired() {
    if state.paired() { device.changed("Paired") }
    device.presence.paired()
    device.makePermanent()
  }

  /// Ends a pending pairing with the link, and discards a key that was not stored.
  func linkEnded() {
    suspendedRequests = []
    process?.cancel()
    answer(.authenticationCanceled)
    if state.linkEnded() { device.changed("Paired") }
  }

  // MARK: The other side

  /// Encrypts a new link with the key of the bond.
  ///
  /// - Returns: whether that succeeds, or no bond exists.
  func encrypt(_ link: CentralLink) -> Bool {
    guard let key = state.knownKey else { return true }
    guard peer.key(for: ownAddress) == key else { return false }
    link.security = key.security
    return true
  }

  /// The device asks to pair: the default agent decides, even on "Just Works".
  ///
  /// A device that has lost its bond is refused (JustWorksRepairing of main.conf).
  func decide(then answer: @escaping (Bool) -> Void) {
    guard device.adapter.isPairable, !state.isBonded, let agent = daemon.agents.defaultAgent else {
      return answer(false)
    }
    agent.ask("RequestAuthorization", about: device.path, nil, isVital: false, in: daemon) {
      if case .refused = $0 { answer(false) } else { answer(true) }
    }
  }

  /// The device paired.
  func agreed(on key: BondKey) { if let current = link.current { agreed(on: key, over: current) } }
}
