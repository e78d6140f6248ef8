// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import Logging

/// Connects to one device: joins or opens its link, with retries until the deadline.
struct LinkOpener {
  let device: DeviceSession
  let operation: Operation
  /// True if the device was not heard: the attempt gives way when others need the radio.
  var isGuess = false
  /// Called with each step, on the manager's thread.
  var report: @Sendable (LinkStep) -> Void = { _ in }

  /// The limit for one attempt: sometimes an attempt fails after the kernel's 40 s where a second one
  /// succeeds at once.
  private static let attemptTime = Duration.seconds(8)
  /// The same limit while other devices wait for their turn.
  private static let sharedAttemptTime = Duration.seconds(3)

  private var core: CentralCore { device.core }
  private var path: String { device.path }
  private var waits: LinkWaits { LinkWaits(device: device, operation: operation) }

  func connect() async throws(BLEError) -> LinkOrigin {
    // Before the link exists: it keeps the capability of the agent, and BlueZ itself may read what requires pairing.
    await core.agent.watch(operation)
    defer { core.agent.unwatch() }
    device.hadServices = GATTTree(model: core.client.model).hasServices(path)
    return try await inTurn(orFailWith: "no connection before the timeout") {
      () throws(BLEError) in
      var reason: BLEError?
      while true {
        do throws(BLEError) {
          if let origin = try await tryToConnect() { return origin }
        } catch {
          // The time is over in the middle of an attempt: the one before it says why there is no link.
          if let reason, error.code == .timedOut, operation.deadline.isOver { throw reason }
          reason = try await settle(after: error)
        }
      }
    }
  }

  /// Opens or joins the link in the task's turn, and leaves the users of the link if that fails.
  func inTurn<Result>(
    orFailWith message: String,
    _ body: () async throws(BLEError) -> Result
  ) async throws(BLEError) -> Result {
    try await device.linkTurns.take(for: operation, on: core.loop, orFailWith: message)
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
      if !device.link.isHeld { await LinkCloser(device: device).leaveLock() }
      throw error
    }
  }

  /// Lets the link of a failed attempt go down; throws the error, or its cause, if another attempt is
  /// pointless.
  ///
  /// - Returns: the reason for the failure; nil if nothing answered.
  private func settle(
    after failure: BLEError
  ) async throws(BLEError) -> BLEError? {
    var error = failure
    let interruption = device.link.failed()
    if case .opening(_, hasEnded: true) = interruption, core.outage == nil {
      error.linkEnd = device.linkEnd(in: core.client.model)
    }
    report(.failed(error))
    if case .opening(let isStanding, let hasEnded) = interruption {
      if let outage = core.outage, outage.code == .serviceUnavailable {
        throw FailureExplainer(device, operation)
          .opening(endedBy: outage, isStanding: isStanding)
      }
      let isBonded = core.client.model.devices[path]?.isBonded == true
      if hasEnded {
        switch device.bond.linkRefused(isBonded: isBonded, byBlueZ: error.linkEnd == .local) {
        case .keysLost:
          throw operation.error(
            .bondLostByPeer, "the device ends each link: it seems to have lost the keys of the pairing")
        case .keysTooWeak: throw FailureExplainer(device, operation).linkEndedByOwnRead()
        case nil: break
        }
      }
    }
    guard error.isTransient, !operation.deadline.isOver, !givesWay() else { throw error }
    core.logger.debug("cannot \(operation.action) for the moment: \(error.message)")
    try await waits.settleAfterFailure()
    if operation.deadline.isOver { throw error }
    return interruption == .opening(isStanding: false, hasEnded: false) && error.cause == nil ? nil : error
  }

  private func givesWay() -> Bool {
    isGuess && core.sessions.adapter(BlueZ.adapterPath(ofDevice: path)).connecting.isContended
  }

  // MARK: One attempt

  /// Joins or opens the link; returns nil if the state changed meanwhile, and another attempt must look at
  /// it.
  private func tryToConnect() async throws(BLEError) -> LinkOrigin? {
    try await StalledLink(device: device, operation: operation).close()
    let shown = try core.device(path, for: operation.action)
    try core.requireRadio(shown.adapterPath, for: operation.action)
    var step = device.nextStep()
    if step == .join || step == .open {
      device.bond.observed(isBonded: shown.isBonded)
      try shown.requireNotBlocked(operation)
      await core.sessions.followLinkEnds()
      try await waits.enterLock()
      step = device.nextStep()
    }
    switch step {
    case .use(let origin): return origin
    case .waitForServices:
      try await waits.waitForServices()
      return nil
    case .join:
      return try await LinkJoiner(device: device, operation: operation).join() ? .joined : nil
    case .open:
      return try await open(core.sessions.adapter(shown.adapterPath)) ? .opened : nil
    }
  }

  /// Opens a link, waits for the services, then for a round trip that proves that all of them arrived.
  ///
  /// - Returns: whether to use it: false if another program opened a link meanwhile, or the services are
  ///   missing.
  private func open(
    _ adapter: AdapterSession
  ) async throws(BLEError) -> Bool {
    do throws(BLEError) {
      let scanning = ActiveScanning(adapter: adapter)
      await scanning.pause()
      defer { scanning.resume() }
      try await waits.rest()
      guard try await callConnect(adapter) else { return false }
      try await core.client.confirmLink(of: path, for: operation)
      device.link.connected()
      report(.opened)
      do throws(BLEError) {
        try await waits.waitForServices()
      } catch {
        device.released()
        await LinkCloser(device: device).leaveLock()
        throw error
      }
    } catch {
      guard error.code == .timedOut else { throw error }
      if operation.deadline.isOver { throw device.link.isStanding ? error : waits.timedOut }
      throw operation.error(.connectionFailed, "no connection yet")
    }
    if device.link.opened(hasServices: GATTTree(model: core.client.model).hasServices(path)) { return true }
    // ServicesResolved without services means that their discovery failed, which BlueZ only logs.
    core.logger.debug("\(operation.action): the device has no services: connecting once more")
    if await LinkCloser(device: device).releaseInTurn() {
      try await waits.waitUntilDisconnected()
    }
    return false
  }

  /// Calls Connect in this device's turn, for a limited time; returns false if a link already exists.
  private func callConnect(
    _ adapter: AdapterSession
  ) async throws(BLEError) -> Bool {
    let turns = adapter.connecting
    guard await turns.take(until: operation.deadline, on: core.loop) else { throw waits.timedOut }
    defer { turns.release() }
    let slice = operation.within(turns.isContended ? LinkOpener.sharedAttemptTime : LinkOpener.attemptTime)
    guard try await LinkWaits(device: device, operation: slice).takeTurnToOpen() else {
      return false
    }
    defer { device.lock.endOpening() }
    device.link.connectCalled(at: LoopClock.now)
    report(.calling)
    core.agent.linkOpens(path)
    do {
      if isGuess {
        try await guess(turns, slice)
      } else {
        try await core.client.call(device.message("Connect"), for: slice)
      }
      device.lock.mark(isOurs: true)
      return true
    } catch {
      // BlueZ forgets a device that accepts no connections when a scan ends, perhaps before its reply.
      if error.code == .disconnected { _ = try core.device(path, for: operation.action) }
      // The kernel continues to try: a later success would leave an unused link. Disconnect ends the attempt,
      // and must finish before other devices have their turn: bluetoothd closes the attempt's socket but
      // still watches its number, and would mistake the next socket, another device's, for it.
      if error.code != .busy, error.code != .notFound { await LinkCloser(device: device).postDisconnect() }
      throw error
    }
  }

  /// Calls Connect until others need the radio.
  private func guess(
    _ turns: ConnectTurns, _ slice: Operation
  ) async throws(BLEError) {
    let (client, answer) = (core.client, Promise<Result<Void, BLEError>>())
    client.begin(device.message("Connect"), timeout: slice.deadline.remaining) { outcome in
      answer.fulfil(outcome.map { _ in }.mapError { client.reason(of: $0, for: slice.action) })
    }
    turns.guessCalls(on: core.loop) {
      answer.fulfil(.failure(slice.error(.connectionFailed, "no connection yet: others need the radio")))
    }
    defer { turns.guessIsAnswered() }
    guard let outcome = try await answer.value(for: slice, on: core.loop) else { throw waits.timedOut }
    try outcome.get()
  }
}
