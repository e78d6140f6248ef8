// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus
internal import Logging

/// Connects to one device: joins its link, or opens one, again and again until the deadline.
struct LinkOpener {
  let device: DeviceSession
  let operation: Operation

  /// The longest time of one attempt: the kernel's own, of 40 s, sometimes waits in vain where a second attempt
  /// succeeds at once.
  private static let attemptTime = Duration.seconds(8)
  /// The same while other devices wait for their turn.
  private static let sharedAttemptTime = Duration.seconds(3)

  private var path: String { device.path }
  private var waits: LinkWaits { LinkWaits(device: device, operation: operation) }

  func connect(in central: isolated CentralManager) async throws(BLEError) -> LinkOrigin {
    try await inTurn(in: central, orFailWith: "no connection before the timeout") {
      () throws(BLEError) in
      while true {
        do throws(BLEError) {
          if let origin = try await tryToConnect(in: central) { return origin }
        } catch {
          try await settle(after: error, in: central)
        }
      }
    }
  }

  /// Opens or joins the link in the turn of the task, and leaves the users of the link if that fails.
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
      // Others may have left their link to this program.
      if !device.link.isHeld { await LinkCloser(device: device).leaveLock(in: central) }
      throw error
    }
  }

  /// Lets the link of a failed attempt go down before the next one.
  ///
  /// - Throws: the error, or what is behind it, when another attempt is in vain.
  private func settle(after error: BLEError, in central: isolated CentralManager) async throws(BLEError) {
    if case .opening(let isStanding, let hasEnded) = device.link.failed() {
      if let outage = central.outage, outage.code == .serviceUnavailable {
        throw FailureExplainer(device, operation)
          .opening(endedBy: outage, isStanding: isStanding, in: central)
      }
      let isBonded = central.model.devices[path]?.isBonded == true
      if hasEnded, device.bond.linkRefused(isBonded: isBonded) {
        throw operation.error(
          .bondLostByPeer, "the device ends each link: it seems to have lost the keys of the pairing")
      }
    }
    guard error.isTransient, !operation.deadline.isOver else { throw error }
    central.logger.debug("cannot \(operation.action) for the moment: \(error.message)")
    try await waits.settleAfterFailure(in: central)
    if operation.deadline.isOver { throw error }
  }

  // MARK: One attempt

  /// Joins the link of the device, or opens one.
  ///
  /// - Returns: nil when things have changed meanwhile, and another attempt has to look at them.
  private func tryToConnect(in central: isolated CentralManager) async throws(BLEError) -> LinkOrigin? {
    let shown = try central.device(path, for: operation.action)
    if central.model.adapters[shown.adapterPath]?.isPowered != true {
      _ = try central.poweredAdapter(for: operation.action)
    }
    var step = device.nextStep(in: central)
    if step == .join || step == .open {
      device.bond.observed(isBonded: shown.isBonded)
      try shown.requireNotBlocked(operation)
      await central.sessions.followLinkEnds(of: shown.adapterPath, in: central)
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

  /// Opens a link, then waits for the services, then for a round trip behind which all of them have arrived.
  ///
  /// - Returns: whether to use it: false when another program has opened a link meanwhile, or the services are missing.
  private func open(
    _ adapter: AdapterSession, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    do throws(BLEError) {
      let scanning = ActiveScanning(adapter: adapter)
      await scanning.pause(in: central)
      defer { scanning.resume(in: central) }
      try await waits.rest(in: central)
      guard try await callConnect(adapter, in: central) else { return false }
      device.link.connected()
      do throws(BLEError) {
        try await waits.waitForServices(in: central)
      } catch {
        device.released()
        await LinkCloser(device: device).leaveLock(in: central)
        throw error
      }
    } catch {
      guard error.code == .timedOut else { throw error }
      if operation.deadline.isOver { throw waits.timedOut }
      throw operation.error(.connectionFailed, "no connection yet")
    }
    if device.link.opened(hasServices: GATTTree(model: central.model).hasServices(path)) { return true }
    // ServicesResolved without services: their discovery failed, which BlueZ only logs.
    central.logger.debug("\(operation.action): the device has no services: connecting once more")
    if await LinkCloser(device: device).releaseInTurn(in: central) {
      try await waits.waitUntilDisconnected(in: central)
    }
    return false
  }

  /// Calls Connect in this device's turn, for a slice of time: others wait for theirs.
  ///
  /// - Returns: false when a link exists already.
  private func callConnect(
    _ adapter: AdapterSession, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    let turns = adapter.connecting
    guard await turns.take(until: operation.deadline, on: central.loop) else { throw waits.timedOut }
    defer { turns.release() }
    let slice = operation.within(turns.hasWaiters ? LinkOpener.sharedAttemptTime : LinkOpener.attemptTime)
    guard try await LinkWaits(device: device, operation: slice).takeTurnToOpen(in: central) else {
      return false
    }
    defer { device.lock.endOpening() }
    device.link.connectCalled(at: LoopClock.now)
    do {
      try await central.call(device.message("Connect"), for: slice)
      device.lock.mark(isOurs: true)
      return true
    } catch {
      // BlueZ forgets a device that accepts no connections when a scan ends; its signal may come before the reply.
      if error.code == .disconnected { _ = try central.device(path, for: operation.action) }
      // The kernel goes on trying: a later success would leave a link without a user. Disconnect ends the attempt, and
      // is waited for before others have their turn: bluetoothd closes the socket of the attempt but still watches its
      // number, and would take the next socket, of another device, for it.
      let isForeign = error.code == .busy || error.cause == .alreadyConnecting
      if !isForeign, error.code != .notFound { await LinkCloser(device: device).postDisconnect(in: central) }
      throw error
    }
  }
}
