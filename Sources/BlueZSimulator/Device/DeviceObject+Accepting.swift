// SPDX-License-Identifier: MIT
internal import PeripheralEmulator

/// Links that the other side has begun: it is a central.
extension DeviceObject {
  var central: AdapterPeer { adapter.peer }

  /// Takes over a link that the device has made to our adapter.
  ///
  /// The daemon is a client of the central, too: it discovers its services over the same link.
  func accept(_ incoming: any PeripheralLink) {
    guard link == nil else { return }
    let link = CentralLink(to: peripheral, daemon: daemon, delegate: self)
    link.twin = incoming
    self.link = link
    isConnected = true
    wasSeen()
    changed("Connected")
    if let attempt {
      attempt.withdraw(daemon.timers)
      self.attempt = nil
      attempt.call.reply()
    }
    daemon.timers.schedule(after: .zero) { [weak self] in
      guard let self, self.link === link else { return }
      discoverServices(link)
    }
  }

  /// The device has closed the link that it had made.
  func linkEndedByCentral() {
    guard let link else { return }
    peripheral.disconnect(link)
    link.lost(.remote)
  }

  // MARK: Pairing

  /// The device asks to pair: the default agent decides, even on "Just Works".
  ///
  /// A device that has lost its bond is refused (JustWorksRepairing of main.conf).
  func decideOnPairing(then answer: @escaping (Bool) -> Void) {
    guard adapter.isPairable, !isBonded, let agent = daemon.agents.defaultAgent else { return answer(false) }
    agent.ask("RequestAuthorization", about: path, nil, isVital: false, in: daemon) {
      if case .refused = $0 { answer(false) } else { answer(true) }
    }
  }

  /// The device has paired.
  func hasPaired(with key: BondKey) { if let link { agreed(on: key, over: link) } }

  /// Follows a change of the services of a peripheral.
  func servicesChanged() {
    guard link != nil, areServicesResolved else { return }
    gatt.refresh()
    updateServiceList()
  }
}
