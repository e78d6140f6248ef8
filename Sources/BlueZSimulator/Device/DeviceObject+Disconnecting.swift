// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus
internal import PeripheralEmulator

/// How links end.
extension DeviceObject: CentralLinkDelegate {
  func received(_ value: [UInt8], from valueHandle: UInt16) { gatt.received(value, from: valueHandle) }

  var isCongested: Bool { gatt.isCongested }

  // MARK: By a client

  func disconnect(_ call: MethodCall) {
    cancelAttempt()
    disconnectingCancelsPairing()
    guard isConnected, let link else { return call.reply() }
    disconnecting.append(call)
    disconnect(link)
  }

  /// Ends the link after the delay in which profiles may say goodbye.
  func disconnect(_ link: CentralLink) {
    guard !isDisconnecting else { return }
    isDisconnecting = true
    setBattery(nil)
    daemon.timers.schedule(after: daemon.timing.disconnect) { [weak self] in
      guard let self, self.link === link, isDisconnecting else { return }
      daemon.kernel.send { [weak self] in self?.terminate(link) }
    }
  }

  private func terminate(_ link: CentralLink) {
    guard self.link === link, isDisconnecting else { return }
    isDisconnecting = false
    link.terminate { [weak self] in
      guard let self, self.link === link else { return }
      if daemon.behaviour.endsServicesBeforeLink {
        endServices()
        answerDisconnects()
      }
      daemon.timers.schedule(after: daemon.timing.linkTeardown) { [weak self] in
        guard let self, self.link === link else { return }
        endLink(.local) { link.close() }
      }
    }
  }

  private func endServices() {
    guard areServicesResolved else { return }
    areServicesResolved = false
    changed("ServicesResolved")
  }

  /// Says why the link has ended, after all changes so far.
  private func signal(_ end: LinkEnd) {
    for interface in [BlueZName.bearer, BlueZName.device] {
      daemon.tree.send(
        Message(signal: "Disconnected", of: interface, at: path) {
          $0.string(end.name)
          $0.string(end.message)
        })
    }
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
  /// `failRequests` fails its waiting requests.
  func linkLost(_ end: LinkEnd, failRequests: () -> Void) {
    guard link != nil else { return }
    endLink(end, failRequests)
  }

  /// The ATT channel is closed; the link still stands.
  func attChannelLost() { gatt.detach() }

  /// The adapter is switched off.
  func radioEnded() {
    cancelAttempt()
    guard let link else { return }
    endLink(.local) { link.close() }
  }

  /// Closes the link at once because the device is removed.
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

  /// Ends the link because the daemon was killed and the kernel closed its sockets.
  func abandon() {
    attempt?.withdraw(daemon.timers)
    attempt = nil
    gatt.detach()
    link?.close()
    link = nil
  }

  /// Signals the end of the link, fails waiting requests, then discards the rest of the connection's state.
  private func endLink(_ end: LinkEnd, _ failRequests: () -> Void) {
    isConnected = false
    if daemon.behaviour.signalsDisconnected {
      endServices()
      signal(end)
    }
    changed("Connected")
    endServices()
    link = nil
    wasSeen()
    gatt.detach()
    failRequests()
    pairingEndedWithLink()
    // Only paired or trusted devices are permanent.
    if !isPaired, !isTrusted { isTemporary = true }
    if let attempt {
      attempt.withdraw(daemon.timers)
      self.attempt = nil
      attempt.call.fail(.failed("br-connection-canceled"))
    }
    setBattery(nil)
    answerDisconnects()
    if isForgotten {
      daemon.tree.flush()
      adapter.remove(self)
    }
    daemon.medium.arrived()
  }
}
