// SPDX-License-Identifier: MIT
internal import DBus

/// Pairing: by a client's call, or because an attribute asks for it.
///
/// The peripherals have neither display nor keys: "Just Works" is all that there is.
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
      attempt?.withdraw(daemon.agenda)
      attempt = nil
      adapter.remove(self)
    }
    call.reply()
    pairing.fail(.authenticationCanceled)
  }

  /// Asks for a key over a link that is there; services that are not known are then looked for.
  func pair(over link: Link) {
    guard let call = pairing else { return }
    guard daemon.agents.agent(for: call.sender) != nil else {
      pairing = nil
      isTemporary = true
      call.fail(.authenticationFailed)
      if !areServicesResolved { discoverServices(link) }
      return
    }
    daemon.agenda.schedule(after: daemon.timing.connect) { [weak self] in
      guard let self, self.link === link, pairing === call else { return }
      encrypted(link)
      if areServicesResolved { pairingSucceeded(over: link)?.reply() } else { discoverServices(link) }
    }
  }

  private func encrypted(_ link: Link) {
    link.isEncrypted = true
    isBonded = adapter.isPairable
    if isBonded { changed("Bonded") }
  }

  /// Tells that the device is paired, if that was asked for and has worked; gives the call to be answered.
  func pairingSucceeded(over link: Link) -> MethodCall? {
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

  /// An attribute has asked for a key: the agent that answers for the whole system is asked.
  func raiseSecurity(of link: Link, then finish: @escaping (_ isEncrypted: Bool) -> Void) {
    guard pairing == nil, !isPaired, let agent = daemon.agents.defaultAgent else { return finish(false) }
    let question = Message(call: "RequestAuthorization", of: BlueZ.agent, at: agent.path, to: agent.client) {
      $0.objectPath(path)
    }
    daemon.call(question) { [weak self] reply in
      guard let self, self.link === link, reply != nil, !isPaired else { return finish(false) }
      encrypted(link)
      paired()
      finish(true)
    }
  }

  /// The link has ended: a key that was not kept is gone, and so is a pairing that was under way.
  func pairingEndedWithLink() {
    let call = pairing
    pairing = nil
    call?.fail(.authenticationCanceled)
    if isPaired, !isBonded {
      isPaired = false
      changed("Paired")
    }
  }

  /// A client has left the bus: the pairing that it began ends, and the link with it.
  func clientThatPairsLeft(_ name: String) {
    guard pairing?.sender == name else { return }
    pairing = nil
    isTemporary = true
    cancelAttempt()
    if let link { linkLost { link.close() } }
  }
}
