// SPDX-License-Identifier: MIT

/// Links that the other side has begun: it is a central.
extension DeviceObject {
  var central: AdapterPeer { adapter.peer }

  /// Takes over a link that the device has made to our adapter.
  ///
  /// The daemon is a client of the central, too: it discovers its services over the same link.
  func accept() {
    guard link == nil else { return }
    let link = CentralLink(to: peripheral, daemon: daemon, delegate: self)
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
    link.lost()
  }

  /// Follows a change of the services of a peripheral.
  func servicesChanged() {
    guard link != nil, areServicesResolved else { return }
    gatt.refresh()
    updateServiceList()
  }
}
