// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// Subscribes to one characteristic; further readers share BlueZ's subscription.
struct Subscriber {
  let attribute: AttributeSession
  let operation: Operation

  private var core: CentralCore { attribute.core }
  private var path: String { attribute.path }

  func subscribe(
    _ transport: NotificationTransport, _ capacity: Int
  ) async throws(BLEError) -> Notifications {
    if transport == .socket, !core.connection.isDirect {
      throw operation.error(.notSupported, "the connection to the bus cannot pass sockets")
    }
    try await attribute.subscribing.take(
      for: operation, on: core.loop, orFailWith: "an earlier request takes too long")
    defer { attribute.subscribing.release() }
    let source = BatchSource<ReceivedValue>(capacity: capacity, loop: core.loop)
    let lease = Lease(on: core.loop) { [weak core, path] in
      core?.sessions.attributes[path]?.unsubscribe(source)
    }
    let values = Notifications(source) { () throws(BLEError) in lease }
    if let notifications = attribute.notifications {
      guard notifications.transport == transport else {
        throw operation.error(.busy, "this manager has subscribed with the other transport")
      }
      notifications.add(source)
      return values
    }
    try attribute.requireAnswers(operation)
    // Before there is a session, which would end with a stalled link.
    try await core.requireLink(of: attribute.device, operation)
    // BlueZ may have removed the characteristic meanwhile, such as with a stalled link, and added it again.
    let current = core.sessions.attribute(
      path, attribute.interface, of: core.sessions.device(attribute.device.path))
    guard current === attribute else {
      return try await Subscriber(attribute: current, operation: operation).subscribe(transport, capacity)
    }
    let session = NotifySession(
      path: path, transport: transport, core: core, readsUnderWay: attribute.readsUnderWay)
    session.add(source)  // before the call: a value may come before its reply
    attribute.notifications = session
    do {
      try await requireSubscribable()
      switch transport {
      case .signal: try await startNotify(session)
      case .socket: try await acquireNotify(session)
      }
    } catch {
      if attribute.notifications === session { attribute.notifications = nil }
      throw error
    }
    return values
  }

  private func requireSubscribable() async throws(BLEError) {
    try await attribute.device.requireLink(operation)
    guard let properties = core.client.model.characteristics[path]?.properties,
      properties.isDisjoint(with: [.notify, .indicate])
    else { return }
    throw operation.error(.notSupported, "the characteristic supports neither notifications nor indications")
  }

  private func startNotify(
    _ session: NotifySession
  ) async throws(BLEError) {
    attribute.hadOtherSubscribers =
      attribute.stopsUnderWay == 0 && core.client.model.characteristics[path]?.isNotifying == true
    // The notifications of programs that share the lock end before their programs leave it.
    attribute.hadForeignSubscribers =
      attribute.hadOtherSubscribers && !attribute.device.lock.hasOtherUsers
    while true {
      do {
        _ = try await attribute.device.exchange(
          operation, isRepeatable: false,
          answered: { [weak core, weak session, path] outcome in
            guard case .success = outcome, let attribute = core?.sessions.attributes[path] else { return }
            if let session, attribute.notifications === session {
              session.isStarted = true
            } else if attribute.notifications == nil {
              // All readers gave up meanwhile.
              attribute.postStopNotify()
            }
          }
        ) { attribute.message("StartNotify") }
        return
      } catch {
        // BlueZ is restoring one of our sessions that outlived its link: that must end first.
        guard error.cause == .inProgress, !operation.deadline.isOver else {
          throw await attribute.explain(error, operation)
        }
        attribute.postStopNotify()
        try await core.pause(.milliseconds(50), for: operation)
      }
    }
  }

  private func acquireNotify(
    _ session: NotifySession
  ) async throws(BLEError) {
    let reply: Message
    do {
      reply = try await attribute.device.exchange(
        operation, isRepeatable: false,
        answered: { [weak core, path] outcome in
          // Ours, even if no reader waits any more: then it is closed with the reply.
          if case .success = outcome { core?.sessions.attributes[path]?.device.acquired.insert(path) }
        }
      ) { attribute.message("AcquireNotify") { $0.properties([]) } }
    } catch {
      throw await attribute.explain(error, operation)
    }
    guard reply.hasSignature("hq"), let descriptor = reply.takeDescriptor(at: 0) else {
      throw operation.error(.failed, "the answer is of type \(reply.signature), not hq")
    }
    let source = PacketSource(
      adopting: descriptor, on: core.loop,
      // Even if the link is already lost: earlier values are in the socket.
      received: core.loop.confined { [weak session] packets in session?.received(packets) },
      ended: core.loop.confined { [weak core, weak session, path] in
        guard let attribute = core?.sessions.attributes[path], let session,
          attribute.notifications === session
        else { return }
        attribute.endNotifications()
      })
    session.read(from: source)
  }
}
