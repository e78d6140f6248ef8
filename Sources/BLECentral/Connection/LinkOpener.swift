// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Logging

/// Connects to one device: joins or opens its link, with retries until the deadline.
struct LinkOpener {
  let device: DeviceSession
  let operation: Operation
  /// Whether the device was not heard: the attempt gives way when others need the radio.
  var isGuess = false
  /// Called with each step, on the manager's thread.
  var report: @Sendable (LinkStep) -> Void = { _ in }

  /// The limit for one attempt: the kernel's 40 s sometimes pass in vain where a second attempt succeeds at
  /// once.
  private static let attemptTime = Duration.seconds(8)
  /// The same limit while other devices wait for their turn.
  private static let sharedAttemptTime = Duration.seconds(3)

  private var path: String { device.path }
  private var waits: LinkWaits { LinkWaits(device: device, operation: operation) }

  func connect(in central: isolated CentralManager) async throws(BLEError) -> LinkOrigin {
    // Before the link exists: it keeps the capability of the agent, and BlueZ itself may read what requires pairing.
    await central.agent.watch(operation, in: central)
    defer { central.agent.unwatch(in: central) }
    device.hadServices = GATTTree(model: central.model).hasServices(path)
    return try await inTurn(in: central, orFailWith: "no connection before the timeout") {
      () throws(BLEError) in
      var reason: BLEError?
      while true {
        do throws(BLEError) {
          if let origin = try await tryToConnect(in: central) { return origin }
        } catch {
          // The time is over in the middle of an attempt: the one before it says why there is no link.
          if let reason, error.code == .timedOut, operation.deadline.isOver { throw reason }
          reason = try await settle(after: error, in: central)
        }
      }
    }
  }

  /// Opens or joins the link in the task's turn, and leaves the users of the link if that fails.
  func inTurn<Result>(
    in central: isolated CentralManager, orFailWith message: String,
    _ body: () async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    try await device.linkTurns.take(for: operation, on: central.loop, orFailWith: message)
    device.link.beginConnecting()
    device.bond.beginConnecting()
    defer {
      device.link.endConnecting()
      device.linkTurns.release()
    }
    do throws(BLEError) {
      return try await body()
    } catch {
      // Other programs may have left their link to this one.
      if !device.link.isHeld { await LinkCloser(device: device).leaveLock(in: central) }
      throw error
    }
  }

  /// Lets the link of a failed attempt go down; throws the error, or its cause, if another attempt is
  /// pointless.
  ///
  /// - Returns: the reason for the failure; nil if nothing answered.
  private func settle(
    after failure: BLEError, in central: isolated CentralManager
  ) async throws(BLEError) -> BLEError? {
    var error = failure
    let interruption = device.link.failed()
    if case .opening(_, hasEnded: true) = interruption, central.outage == nil {
      error.linkEnd = device.linkEnd(in: central.model)
    }
    report(.failed(error))
    if case .opening(let isStanding, let hasEnded) = interruption {
      if let outage = central.outage, outage.code == .serviceUnavailable {
        throw FailureExplainer(device, operation)
          .opening(endedBy: outage, isStanding: isStanding, in: central)
      }
      let isBonded = central.model.devices[path]?.isBonded == true
      if hasEnded {
        switch device.bond.linkRefused(isBonded: isBonded, byBlueZ: error.linkEnd == .local) {
        case .keysLost:
          throw operation.error(
            .bondLostByPeer, "the device ends each link: it seems to have lost the keys of the pairing")
        case .keysTooWeak: throw FailureExplainer(device, operation).linkEndedByOwnRead(in: central)
        case nil: break
        }
      }
    }
    guard error.isTransient, !operation.deadline.isOver, !givesWay(in: central) else { throw error }
    central.logger.debug("cannot \(operation.action) for the moment: \(error.message)")
    try await waits.settleAfterFailure(in: central)
    if operation.deadline.isOver { throw error }
    return interruption == .opening(isStanding: false, hasEnded: false) && error.cause == nil ? nil : error
  }

  private func givesWay(in central: isolated CentralManager) -> Bool {
    isGuess && central.sessions.adapter(BlueZ.adapterPath(ofDevice: path)).connecting.isContended
  }

  // MARK: One attempt

  /// Joins or opens the link; returns nil if the state changed meanwhile, and another attempt must look at
  /// it.
  private func tryToConnect(in central: isolated CentralManager) async throws(BLEError) -> LinkOrigin? {
    try await StalledLink(device: device, operation: operation).close(in: central)
    let shown = try central.device(path, for: operation.action)
    try central.requireRadio(shown.adapterPath, for: operation.action)
    var step = device.nextStep(in: central)
    if step == .join || step == .open {
      device.bond.observed(isBonded: shown.isBonded)
      try shown.requireNotBlocked(operation)
      await central.sessions.followLinkEnds(in: central)
      try await waits.enterLock(in: central)
      step = device.nextStep(in: central)
    }
    switch step {
    case .use(let origin): return origin
    case .waitForServices:
      try await waits.waitForServices(in: central)
      return nil
    case .join:
      return try await LinkJoiner(device: device, operation: operation).join(in: central) ? .joined : nil
    case .open:
      return try await open(central.sessions.adapter(shown.adapterPath), in: central) ? .opened : nil
    }
  }

  /// Opens a link, waits for the services, then for a round trip that proves that all of them arrived.
  ///
  /// - Returns: whether to use it: false if another program opened a link meanwhile, or the services are
  ///   missing.
  private func open(
    _ adapter: AdapterSession, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    do throws(BLEError) {
      let scanning = ActiveScanning(adapter: adapter)
      await scanning.pause(in: central)
      defer { scanning.resume(in: central) }
      try await waits.rest(in: central)
      guard try await callConnect(adapter, in: central) else { return false }
      try await central.client.confirmLink(of: path, for: operation)
      device.link.connected()
      report(.opened)
      do throws(BLEError) {
        try await waits.waitForServices(in: central)
      } catch {
        device.released()
        await LinkCloser(device: device).leaveLock(in: central)
        throw error
      }
    } catch {
      guard error.code == .timedOut else { throw error }
      if operation.deadline.isOver { throw device.link.isStanding ? error : waits.timedOut }
      throw operation.error(.connectionFailed, "no connection yet")
    }
    if device.link.opened(hasServices: GATTTree(model: central.model).hasServices(path)) { return true }
    // ServicesResolved without services means that their discovery failed, which BlueZ only logs.
    central.logger.debug("\(operation.action): the device has no services: connecting once more")
    if await LinkCloser(device: device).releaseInTurn(in: central) {
      try await waits.waitUntilDisconnected(in: central)
    }
    return false
  }

  /// Calls Connect in this device's turn, for a limited time; returns false if a link already exists.
  private func callConnect(
    _ adapter: AdapterSession, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    let turns = adapter.connecting
    guard await turns.take(until: operation.deadline, on: central.loop) else { throw waits.timedOut }
    defer { turns.release() }
    let slice = operation.within(turns.isContended ? LinkOpener.sharedAttemptTime : LinkOpener.attemptTime)
    guard try await LinkWaits(device: device, operation: slice).takeTurnToOpen(in: central) else {
      return false
    }
    defer { device.lock.endOpening() }
    device.link.connectCalled(at: LoopClock.now)
    report(.calling)
    central.agent.linkOpens(path)
    do {
      if isGuess {
        try await guess(turns, slice, in: central)
      } else {
        try await central.client.call(device.message("Connect"), for: slice)
      }
      device.lock.mark(isOurs: true)
      return true
    } catch {
      // BlueZ forgets a device that accepts no connections when a scan ends, perhaps before its reply.
      if error.code == .disconnected { _ = try central.device(path, for: operation.action) }
      // The kernel continues to try: a later success would leave an unused link. Disconnect ends the attempt,
      // and must finish before other devices have their turn: bluetoothd closes the attempt's socket but
      // still watches its number, and would mistake the next socket, another device's, for it.
      let isForeign = error.code == .busy || error.cause == .alreadyConnecting
      if !isForeign, error.code != .notFound { await LinkCloser(device: device).postDisconnect(in: central) }
      throw error
    }
  }

  /// Calls Connect until others need the radio.
  private func guess(
    _ turns: ConnectTurns, _ slice: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let (client, answer) = (central.client, Answer<Result<Void, BLEError>>())
    client.begin(device.message("Connect"), timeout: slice.deadline.remaining) { outcome in
      answer.fulfil(outcome.map { _ in }.mapError { client.reason(of: $0, for: slice.action) })
    }
    turns.guessCalls(on: central.loop) {
      answer.fulfil(.failure(slice.error(.connectionFailed, "no connection yet: others need the radio")))
    }
    defer { turns.guessIsAnswered() }
    guard let outcome = try await answer.value(for: slice, on: central.loop) else { throw waits.timedOut }
    try outcome.get()
  }
}
