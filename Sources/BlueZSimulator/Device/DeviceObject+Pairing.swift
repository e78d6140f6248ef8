// SPDX-License-Identifier: MIT
internal import DBus

/// Pairing: by a client's call, or because an attribute requires it.
///
/// The peripherals have neither display nor keys, so the method is always "Just Works".
extension DeviceObject {
  func pair(_ call: MethodCall) {
    guard pairing == nil, attempt == nil else { return call.fail(.inProgress) }
    guard !isPaired else { return call.fail(.alreadyExists) }
    guard adapter.isPowered else { return call.fail(.authenticationFailed) }
    pairing = call
    if let link {
      pair(over: link)
    } else {
      begin(ConnectionAttempt(call, isPairing: true))
    }
  }

  func cancelPairing(_ call: MethodCall) {
    guard let pairing else { return call.fail(.doesNotExist) }
    self.pairing = nil
    isTemporary = true
    if !isConnected {
      attempt?.withdraw(daemon.timers)
      attempt = nil
      adapter.remove(self)
    }
    call.reply()
    pairing.fail(.authenticationCanceled)
  }

  /// Pairs over an existing link, then discovers the services if necessary.
  func pair(over link: CentralLink) {
    guard let call = pairing else { return }
    guard daemon.agents.agent(for: call.sender) != nil else {
      pairing = nil
      isTemporary = true
      call.fail(.authenticationFailed)
      if !areServicesResolved { discoverServices(link) }
      return
    }
    daemon.timers.schedule(after: daemon.timing.connect) { [weak self] in
      guard let self, self.link === link, pairing === call else { return }
      encrypted(link)
      if areServicesResolved { pairingSucceeded(over: link)?.reply() } else { discoverServices(link) }
    }
  }

  private func encrypted(_ link: CentralLink) {
    link.isEncrypted = true
    isBonded = adapter.isPairable
    if isBonded { changed("Bonded") }
  }

  /// Signals successful pairing and returns the call to answer; nil when the link is not encrypted or no call waits.
  func pairingSucceeded(over link: CentralLink) -> MethodCall? {
    guard link.isEncrypted, let call = pairing else { return nil }
    pairing = nil
    paired()
    return call
  }

  private func paired() {
    isPaired = true
    changed("Paired")
    makePermanent()
  }

  /// Asks the default agent for permission to pair because an attribute requires encryption.
  func raiseSecurity(of link: CentralLink, then finish: @escaping (_ isEncrypted: Bool) -> Void) {
    guard pairing == nil, !isPaired, let agent = daemon.agents.defaultAgent else { return finish(false) }
    let question = Message(
      call: "RequestAuthorization", of: BlueZName.agent, at: agent.path, to: agent.client
    ) {
      $0.objectPath(path)
    }
    daemon.call(question) { [weak self] reply in
      guard let self, self.link === link, reply != nil, !isPaired else { return finish(false) }
      encrypted(link)
      paired()
      finish(true)
    }
  }

  /// Ends a pending pairing with the link, and discards a key that was not stored.
  func pairingEndedWithLink() {
    let call = pairing
    pairing = nil
    call?.fail(.authenticationCanceled)
    if isPaired, !isBonded {
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
    if let link { linkLost { link.close() } }
  }
}
