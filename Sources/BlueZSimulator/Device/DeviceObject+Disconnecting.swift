// SPDX-License-Identifier: MIT

/// The ways in which a link ends.
extension DeviceObject {
  // MARK: By a client

  func disconnect(_ call: MethodCall) {
    cancelAttempt()
    guard isConnected, let link else { return call.reply() }
    disconnecting.append(call)
    guard !isDisconnecting else { return }
    isDisconnecting = true
    setBattery(nil)
    daemon.agenda.schedule(after: daemon.timing.disconnect) { [weak self] in
      guard let self, self.link === link, isDisconnecting else { return }
      endServices()
      answerDisconnects()
      daemon.agenda.schedule(after: daemon.timing.linkTeardown) { [weak self] in
        guard let self, self.link === link else { return }
        endLink { link.close() }
      }
    }
  }

  private func endServices() {
    guard areServicesResolved else { return }
    areServicesResolved = false
    changed("ServicesResolved")
  }

  private func answerDisconnects() {
    let calls = disconnecting
    disconnecting = []
    isDisconnecting = false
    for call in calls { call.reply() }
  }

  // MARK: By the peripheral, by the radio

  /// The link is gone.
  ///
  /// `failRequests` ends the calls that waited on it.
  func linkLost(failRequests: () -> Void) {
    guard link != nil else { return }
    endLink(failRequests)
  }

  /// The ATT channel is useless, the link still stands.
  func attChannelLost() { gatt.detach() }

  /// The adapter is switched off.
  func radioEnded() {
    cancelAttempt()
    guard let link else { return }
    endLink { link.close() }
  }

  /// The device goes at once; its link with it.
  func dropLinkNow() {
    guard let link else { return }
    self.link = nil
    isConnected = false
    areServicesResolved = false
    changed("Connected")
    changed("ServicesResolved")
    gatt.detach()
    link.close()
    daemon.tree.flush()
  }

  /// The daemon is gone: the kernel closes its sockets, which ends the link.
  func abandon() {
    attempt?.withdraw(daemon.agenda)
    attempt = nil
    gatt.detach()
    link?.close()
    link = nil
  }

  /// Tells of the end, then ends what waited, then what else the daemon keeps of a connection.
  private func endLink(_ failRequests: () -> Void) {
    isConnected = false
    changed("Connected")
    endServices()
    link = nil
    wasSeen()
    gatt.detach()
    failRequests()
    pairingEndedWithLink()
    // Only who is paired or trusted is remembered for good.
    if !isPaired, !isTrusted { isTemporary = true }
    if let attempt {
      attempt.withdraw(daemon.agenda)
      self.attempt = nil
      attempt.call.fail(.failed("br-connection-canceled"))
    }
    setBattery(nil)
    answerDisconnects()
    if isForgotten {
      daemon.tree.flush()
      adapter.remove(self)
    }
    daemon.air.arrived()
  }
}
