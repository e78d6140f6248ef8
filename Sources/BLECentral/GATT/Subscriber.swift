// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Subscribes to one characteristic; further readers share BlueZ's subscription.
struct Subscriber {
  let attribute: AttributeSession
  let operation: Operation

  private var path: String { attribute.path }

  func subscribe(
    _ transport: NotificationTransport, _ capacity: Int, in central: isolated CentralManager
  ) async throws(BLEError) -> Notifications {
    if transport == .socket, !central.carriesSockets {
      throw operation.error(.notSupported, "the connection to the bus cannot pass sockets")
    }
    try await attribute.subscribing.take(
      for: operation, on: central.loop, orFailWith: "an earlier request takes too long")
    defer { attribute.subscribing.release() }
    let source = BatchSource<ReceivedValue>(capacity: capacity, loop: central.loop)
    let lease = Lease { [weak central, path, loop = central.loop] in
      loop.submit { [weak central] in
        central?.assumeIsolated { $0.sessions.attributes[path]?.unsubscribe(source, in: $0) }
      }
    }
    let values = Notifications(source) { () throws(BLEError) in lease }
    if let notifications = attribute.notifications {
      guard notifications.transport == transport else {
        throw operation.error(.busy, "this manager has subscribed with the other transport")
      }
      notifications.add(source)
      return values
    }
    try attribute.requireAnswers(operation, in: central)
    // Before there is a session, which would end with a stalled link.
    try await central.requireLink(of: attribute.device, operation)
    let session = NotifySession(
      path: path, transport: transport, loop: central.loop, readsUnderWay: attribute.readsUnderWay)
    session.add(source)  // before the call: a value may come before its reply
    attribute.notifications = session
    do {
      try await requireSubscribable(in: central)
      switch transport {
      case .signal: try await startNotify(session, in: central)
      case .socket: try await acquireNotify(session, in: central)
      }
    } catch {
      if attribute.notifications === session { attribute.notifications = nil }
      throw error
    }
    return values
  }

  private func requireSubscribable(
    in central: isolated CentralManager
  ) async throws(BLEError) {
    try await attribute.device.requireLink(operation, in: central)
    guard let properties = central.model.characteristics[path]?.properties,
      properties.isDisjoint(with: [.notify, .indicate])
    else { return }
    throw operation.error(.notSupported, "the characteristic supports neither notifications nor indications")
  }

  private func startNotify(
    _ session: NotifySession, in central: isolated CentralManager
  ) async throws(BLEError) {
    attribute.hadOtherSubscribers =
      attribute.stopsUnderWay == 0 && central.model.characteristics[path]?.isNotifying == true
    // The notifications of programs that share the lock end before their programs leave it.
    attribute.hadForeignSubscribers =
      attribute.hadOtherSubscribers && !attribute.device.lock.hasOtherUsers
    while true {
      do {
        _ = try await attribute.device.exchange(operation, isRepeatable: false, in: central) {
          () throws(BLEError) in try await callStartNotify(session, in: central)
        }
        return
      } catch {
        // BlueZ is restoring one of our sessions that outlived its link: that must end first.
        guard error.cause == .inProgress, !operation.deadline.isOver else {
          throw await attribute.explain(error, operation, in: central)
        }
        attribute.postStopNotify(in: central)
        try await central.pause(.milliseconds(50), for: operation)
      }
    }
  }

  private func callStartNotify(
    _ session: NotifySession, in central: isolated CentralManager
  ) async throws(BLEError) -> Message {
    try await central.callUntilAnswered(attribute.message("StartNotify"), for: operation) {
      [weak session, path] central, outcome in
      guard case .success = outcome, let attribute = central.sessions.attributes[path] else { return }
      if let session, attribute.notifications === session {
        session.isStarted = true
      } else if attribute.notifications == nil {
        // All readers gave up meanwhile.
        attribute.postStopNotify(in: central)
      }
    }
  }

  private func callAcquireNotify(
    _ message: Message, in central: isolated CentralManager
  ) async throws(BLEError) -> Message {
    do {
      return try await attribute.device.exchange(operation, isRepeatable: false, in: central) {
        () throws(BLEError) in
        try await central.callUntilAnswered(message, for: operation) { [path] central, outcome in
          // Ours, even if no reader waits any more: then it is closed with the reply.
          if case .success = outcome { central.sessions.attributes[path]?.device.acquired.insert(path) }
        }
      }
    } catch {
      throw await attribute.explain(error, operation, in: central)
    }
  }

  private func acquireNotify(
    _ session: NotifySession, in central: isolated CentralManager
  ) async throws(BLEError) {
    let message = attribute.message("AcquireNotify") { $0.properties([]) }
    let reply = try await callAcquireNotify(message, in: central)
    guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else {
      throw operation.error(.failed, "the answer is of type \(reply.signature), not hq")
    }
    let source = PacketSource(
      adopting: descriptor, on: central.loop,
      // Even if the link is already lost: earlier values are in the socket.
      received: { [weak session] packets in session?.received(packets) },
      ended: { [weak central, weak session, path] in
        central?.assumeIsolated { central in
          guard let attribute = central.sessions.attributes[path], let session,
            attribute.notifications === session
          else { return }
          attribute.endNotifications(in: central)
        }
      })
    session.read(from: source)
  }
}
