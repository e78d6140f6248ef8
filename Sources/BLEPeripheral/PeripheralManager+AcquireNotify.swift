// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// The sockets that bluetoothd asks for, in the place of signals.
extension PeripheralManager {
  /// How long to wait before bluetoothd is asked again whether it has taken everything from a socket.
  private static let drainInterval = Duration.milliseconds(1)
  /// How long after the end of a socket the loss of a link may be heard that is its cause, and the other way round.
  private static let settlingTime = Duration.milliseconds(300)

  /// Answers AcquireNotify: a central has subscribed.
  func acquireNotify(_ attribute: ServedAttribute, _ call: Message, _ publication: Publication) -> LocalAnswer
  {
    let options = RequestOptions(call.values.first)
    let (central, path, number) = (options.devicePath, attribute.path, publication.number)
    let socket = UpdateSocket(on: loop) { [weak self] change in
      self?.assumeIsolated { $0.socket(of: central, changed: change, at: path, of: number) }
    }
    guard let socket else {
      // bluetoothd calls StartNotify then.
      return .now(
        Message(errorTo: call, name: BlueZ.errorPrefix + "NotSupported", text: "out of descriptors"))
    }
    for stale in attribute.subscribers.acquired(central) {
      attribute.sockets.removeValue(forKey: stale)?.close()
    }
    attribute.sockets[central] = socket
    report(.subscribed(handle(for: attribute, in: publication)))
    return .now(
      Message(replyTo: call) {
        $0.descriptor(adopting: socket.takeOtherEnd())
        $0.uint16(UInt16(clamping: options.mtu))
      })
  }

  private func socket(
    of central: String, changed change: UpdateSocket.Change, at path: String, of number: Int
  ) {
    guard let publication = publications[number], let attribute = publication.attributes[path] else { return }
    switch change {
    case .hasRoom: if attribute.window.room() { report(.isReady(handle(for: attribute, in: publication))) }
    case .ended:
      attribute.sockets.removeValue(forKey: central)?.close()
      let device = model.devices[central]
      attribute.subscribers.ended(
        central, isBonded: device?.isBonded ?? false, isConnected: device?.isConnected ?? false)
      subscribersChanged(of: attribute, in: publication, wasSubscribed: true)
      settleLater(attribute, in: publication)
    }
  }

  /// Decides a moment later who is still subscribed.
  private func settleLater(_ attribute: ServedAttribute, in publication: Publication) {
    guard attribute.subscribers.isUnsettled, !attribute.isSettling else { return }
    attribute.isSettling = true
    let (path, number) = (attribute.path, publication.number)
    _ = loop.schedule(at: LoopClock.now + Self.settlingTime) { [weak self] in
      self?.assumeIsolated { $0.settle(path, of: number) }
    }
  }

  private func settle(_ path: String, of number: Int) {
    guard let publication = publications[number], let attribute = publication.attributes[path] else { return }
    attribute.isSettling = false
    let wasSubscribed = attribute.isSubscribed
    attribute.subscribers.settle()
    subscribersChanged(of: attribute, in: publication, wasSubscribed: wasSubscribed)
  }

  /// Reports who is subscribed now, and that there may be room over another way.
  func subscribersChanged(of attribute: ServedAttribute, in publication: Publication, wasSubscribed: Bool) {
    let characteristic = handle(for: attribute, in: publication)
    if attribute.isSubscribed, !wasSubscribed { report(.subscribed(characteristic)) }
    if !attribute.isSubscribed, wasSubscribed { report(.unsubscribed(characteristic)) }
    if attribute.isSubscribed ? attribute.window.room() : attribute.window.reset() {
      report(.isReady(characteristic))
    }
  }

  /// A central has connected or disconnected.
  func followSubscriptions(of central: String, isBonded: Bool, isConnected: Bool) {
    for publication in publications.values {
      for attribute in publication.attributes.values {
        var wasSubscribed = attribute.isSubscribed
        if !isBonded { attribute.subscribers.forget(central) }
        if !isConnected {
          attribute.subscribers.disconnected(central)
          settleLater(attribute, in: publication)
        } else if attribute.subscribers.connected(central, isBonded: isBonded) {
          wasSubscribed = false
        }
        guard attribute.isSubscribed != wasSubscribed else { continue }
        subscribersChanged(of: attribute, in: publication, wasSubscribed: wasSubscribed)
      }
    }
  }

  // MARK: Values

  /// Sends a value over a socket, behind everything that was signalled.
  ///
  /// - Returns: whether there was room; nil when bluetoothd has closed the socket.
  func send(
    _ value: [UInt8], over socket: UpdateSocket, of attribute: ServedAttribute,
    _ characteristic: PublishedCharacteristic
  ) -> Bool? {
    guard attribute.window.inFlight == 0 else {
      attribute.window.refuse()
      if let count = attribute.window.uncovered() { cover(count, of: attribute, characteristic) }
      return false
    }
    switch socket.send(value) {
    case .sent: return true
    case .full:
      attribute.window.refuse()
      socket.waitForRoom()
      return false
    case .ended: return nil
    }
  }

  /// Whether bluetoothd has taken everything from the sockets: signals overtake what has not been read.
  ///
  /// The kernel does not report it, so it is asked for every millisecond.
  func isDrained(_ attribute: ServedAttribute, _ characteristic: PublishedCharacteristic) -> Bool {
    if attribute.areSocketsDrained { return true }
    attribute.window.refuse()
    waitUntilDrained(attribute, characteristic)
    return false
  }

  private func waitUntilDrained(_ attribute: ServedAttribute, _ characteristic: PublishedCharacteristic) {
    guard !attribute.isDraining else { return }
    attribute.isDraining = true
    _ = loop.schedule(at: LoopClock.now + Self.drainInterval) { [weak self] in
      self?.assumeIsolated { $0.checkDrained(characteristic) }
    }
  }

  private func checkDrained(_ characteristic: PublishedCharacteristic) {
    guard let attribute = attribute(characteristic) else { return }
    attribute.isDraining = false
    guard attribute.areSocketsDrained else { return waitUntilDrained(attribute, characteristic) }
    if attribute.window.room() { report(.isReady(characteristic)) }
  }
}
