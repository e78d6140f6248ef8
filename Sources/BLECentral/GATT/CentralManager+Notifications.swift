// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension Peripheral {
  /// Subscribes to a characteristic's notifications, or indications.
  ///
  /// When this returns, the device has confirmed the subscription, and each value from now on will be delivered.
  /// Several subscriptions share one of BlueZ.
  ///
  /// BlueZ: GattCharacteristic1.StartNotify, or AcquireNotify.
  ///
  /// - Parameters:
  ///   - characteristic: one with the property notify or indicate.
  ///   - path: the way that the values take; see ``NotificationPath``.
  ///   - capacity: how many values may wait for the reader; more are dropped and counted. Without bound by default.
  ///   - timeout: how long the device may take to confirm; nil is without limit.
  /// - Returns: the values.
  /// - Throws: ``BLEError``: `notSupported` without the property, `busy` when another program holds the
  ///   characteristic's socket, `notPaired`, `disconnected`, `timedOut` …
  public func notifications(
    for characteristic: GATTCharacteristic, via path: NotificationPath = .signal, capacity: Int = .max,
    timeout: Duration? = .seconds(35)
  ) async throws(BLEError) -> Notifications {
    let target = characteristic.target(of: self, verb: "subscribe to")
    return try await central.subscribe(target, path, capacity, Deadline(after: timeout))
  }
}

extension CentralManager {
  func subscribe(
    _ target: AttributeTarget, _ path: NotificationPath, _ capacity: Int, _ deadline: Deadline
  ) async throws(BLEError) -> Notifications {
    let queue = notifyQueues[target.path] ?? SerialQueue()
    notifyQueues[target.path] = queue
    guard await queue.take(until: deadline, on: loop) else {
      throw BLEError(.timedOut, operation: target.operation, message: "an earlier request takes too long")
    }
    defer { queue.release() }
    let characteristicPath = target.path
    lastSubscription += 1
    let number = lastSubscription
    let subscription = NotifySubscription(number: number, capacity: capacity) { [weak self, loop] in
      loop.submit { [weak self] in self?.assumeIsolated { $0.unsubscribe(characteristicPath, number) } }
    }
    if let session = notifySessions[target.path] {
      guard session.path == path else {
        throw BLEError(.busy, operation: target.operation, message: "it is subscribed to on the other path")
      }
      session.add(subscription)
      return Notifications(subscription: subscription, loop: loop, path: path)
    }
    let session = NotifySession(
      path: path, loop: loop, readsUnderWay: readsUnderWay[target.path] ?? 0)
    session.add(subscription)  // before the call: a value may come before its reply
    notifySessions[target.path] = session
    do {
      try await requireSubscribable(target)
      switch path {
      case .signal: try await startNotify(target, session, deadline)
      case .socket: try await acquireNotify(target, session, deadline)
      }
    } catch {
      if notifySessions[target.path] === session { notifySessions[target.path] = nil }
      throw error
    }
    return Notifications(subscription: subscription, loop: loop, path: path)
  }

  private func requireSubscribable(_ target: AttributeTarget) async throws(BLEError) {
    try await requireLink(target)
    guard let properties = model.characteristics[target.path]?.properties,
      properties.isDisjoint(with: [.notify, .indicate])
    else { return }
    throw BLEError(
      .notSupported, operation: target.operation,
      message: "the characteristic has neither notifications nor indications")
  }

  private func startNotify(
    _ target: AttributeTarget, _ session: NotifySession, _ deadline: Deadline
  ) async throws(BLEError) {
    while true {
      do {
        let message = Message(call: "StartNotify", of: target.interface, at: target.path, to: BlueZ.service)
        try await call(message, for: target.operation, until: deadline)
        session.isStarted = true
        return
      } catch {
        // A session of ours that outlived its link is being brought back by BlueZ: it has to be ended first.
        guard error.dbusName == BlueZ.errorPrefix + "InProgress", !deadline.isOver else {
          throw await explain(error, target)
        }
        postStopNotify(target.path)
        try await pause(.milliseconds(50), until: deadline, for: target.operation)
      }
    }
  }

  private func acquireNotify(
    _ target: AttributeTarget, _ session: NotifySession, _ deadline: Deadline
  ) async throws(BLEError) {
    let message = Message(call: "AcquireNotify", of: target.interface, at: target.path, to: BlueZ.service) {
      $0.properties([])
    }
    let reply = try await call(message, for: target.operation, until: deadline)
    guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else {
      throw BLEError(
        .failed, operation: target.operation, message: "the answer is of type \(reply.signature), not hq")
    }
    let path = target.path
    link(to: target.devicePath).acquired.insert(path)
    let source = PacketSource(
      adopting: descriptor, on: loop,
      // Also when the link is lost already: what had come by then is in the socket.
      received: { [weak session] packets in session?.received(packets) },
      ended: { [weak self, weak session] in
        self?.assumeIsolated { central in
          guard let session, central.notifySessions[path] === session else { return }
          central.notifySessions[path] = nil
          central.endLater([session])
        }
      })
    session.read(from: source)
  }

  // MARK: Unsubscribing

  private func unsubscribe(_ path: String, _ number: Int) {
    guard let session = notifySessions[path] else { return }
    session.remove(number)
    guard session.isUnused else { return }
    notifySessions[path] = nil
    stopNotifying(path, session)
  }

  /// Ends what we have begun, and nothing else: StopNotify on a characteristic whose socket another program holds
  /// would close that, and on a stuck one kill an old bluetoothd.
  func stopNotifying(_ path: String, _ session: NotifySession) {
    session.closeSocket()
    stopSignals(path, session)
  }

  /// The part of it that is no matter of a socket, which may still hold values.
  func stopSignals(_ path: String, _ session: NotifySession) {
    guard session.isStarted else { return }
    session.isStarted = false
    postStopNotify(path)
  }

  func postStopNotify(_ path: String) {
    connection.post(
      Message(call: "StopNotify", of: BlueZ.gattCharacteristic, at: path, to: BlueZ.service))
  }
}
