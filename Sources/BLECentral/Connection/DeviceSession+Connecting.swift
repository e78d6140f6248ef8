// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Logging

extension DeviceSession {
  /// The longest time of one attempt: the kernel's own, of 40 s, sometimes waits in vain where a second attempt
  /// succeeds at once.
  private static let attemptTime = Duration.seconds(8)
  /// The same while other devices wait for their turn.
  private static let sharedAttemptTime = Duration.seconds(3)
  /// How long the controller needs for the end of a link after BlueZ has reported it.
  static let closingTime = Duration.milliseconds(300)
  /// The pause before another look at a lock that another program holds, which nothing reports.
  private static let lockPause = Duration.milliseconds(10)

  func connect(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> LinkOrigin {
    guard await linkTurns.take(until: operation.deadline, on: central.loop) else { throw timedOut(operation) }
    isConnecting = true
    defer {
      isConnecting = false
      linkTurns.release()
    }
    do throws(BLEError) {
      return try await connectInTurn(operation, in: central)
    } catch {
      // Others may have left their link to this program.
      if use != .held { await leaveLock(in: central) }
      throw error
    }
  }

  private func connectInTurn(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> LinkOrigin {
    var attempt = LinkAttempt()
    while true {
      do {
        if let origin = try await tryToConnect(operation, &attempt, in: central) { return origin }
      } catch {
        try requireBond(operation, &attempt, in: central)
        guard error.isTransient, !operation.deadline.isOver else { throw error }
        central.logger.debug("cannot \(operation.name) for the moment: \(error.message)")
        try await settleAfterFailure(attempt.nextDelay(), operation, in: central)
        if operation.deadline.isOver { throw error }
      }
    }
  }

  /// Gives up when a bonded device ends the links that we open: it has lost its keys, and can only refuse ours.
  ///
  /// BlueZ shows nothing else of it, and the radio may lose a new link too: the second one counts.
  private func requireBond(
    _ operation: Operation, _ attempt: inout LinkAttempt, in central: isolated CentralManager
  ) throws(BLEError) {
    guard let start = attempt.openingSince else { return }
    attempt.openingSince = nil
    if let outage = central.outage, outage.code == .serviceUnavailable {
      throw explain(outage, of: attempt, operation, in: central)
    }
    let isBonded = central.model.devices[path]?.isBonded == true
    guard let lastEnd, lastEnd >= start, isBonded, attempt.isSecondLoss() else { return }
    throw operation.error(
      .bondLostByPeer, "the device ends each link: it seems to have lost the keys of the pairing")
  }

  /// What may have ended bluetoothd while it opened a link.
  private func explain(
    _ outage: BLEError, of attempt: LinkAttempt, _ operation: Operation, in central: isolated CentralManager
  ) -> BLEError {
    var error = outage.during(operation.name)
    if wasBonded {
      // Linux 6.1 fails when the encryption of a new link does, and takes bluetoothd with it; nothing shows whether the
      // link was encrypted by then. Deleting the device helps with moved attributes, too.
      error.message += ": the device may have lost the keys of the pairing"
      if attempt.isOpen { error.message += ", or moved its attributes" }
      error.advice = .unpair
    } else if attempt.isOpen {
      // Attributes that BlueZ has cached, and that are elsewhere since a firmware update, end 5.66 at each connection.
      error.advice = central.endedWithCache.insert(path).inserted ? .forgetIfAgain : .forget
    }
    return error
  }

  /// Joins the link of the device, or opens one.
  ///
  /// - Returns: nil when things have changed meanwhile, and another attempt has to look at them.
  private func tryToConnect(
    _ operation: Operation, _ attempt: inout LinkAttempt,
    in central: isolated CentralManager
  ) async throws(BLEError) -> LinkOrigin? {
    let device = try central.device(path, for: operation.name)
    if central.model.adapters[device.adapterPath]?.isPowered != true {
      _ = try central.poweredAdapter(for: operation.name)
    }
    if device.isConnected, use == .held {
      if !device.isResolved { try await waitForServices(operation, in: central) }
      return origin
    }
    if device.isBonded { wasBonded = true }
    try requireNotBlocked(device, operation)
    await central.followLinkEnds(of: device.adapterPath)
    try await enterLock(operation, in: central)
    if central.isConnected(path) { return try await join(operation, in: central) ? .joined : nil }
    let adapter = central.adapterSession(device.adapterPath)
    guard try await open(adapter, operation, &attempt, in: central) else { return nil }
    guard central.tree(of: path).isEmpty, attempt.mayRetryForServices() else { return .opened }
    // ServicesResolved without services: their discovery failed, which BlueZ only logs.
    central.logger.debug("\(operation.name): the device has no services: connecting once more")
    if await releaseInTurn(in: central) { try await waitUntilDisconnected(operation, in: central) }
    return nil
  }

  /// Registers as a user of the link; waits while another program closes it.
  func enterLock(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    while lock.enter() == .busy {
      if operation.deadline.isOver { throw timedOut(operation) }
      try await central.pause(DeviceSession.lockPause, for: operation)
    }
  }

  // MARK: Joining

  /// Uses a link that exists, unless it is being closed.
  ///
  /// - Returns: false once the link has ended.
  func join(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) -> Bool {
    if central.model.devices[path]?.isResolved != true {
      do throws(BLEError) {
        try await waitForServices(operation, in: central)
      } catch {
        guard error.code == .connectionFailed else { throw error }
        return false
      }
    }
    try await waitIfClosing(operation, in: central)
    try await requireAnswer(operation, in: central)
    guard central.isConnected(path) else { return false }
    lock.look()
    held(.joined)
    return true
  }

  // MARK: Opening

  /// Opens a link, then waits for the services, then for a round trip behind which all of them have arrived.
  ///
  /// - Returns: false when another program has opened a link meanwhile.
  private func open(
    _ adapter: AdapterSession, _ operation: Operation, _ attempt: inout LinkAttempt,
    in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    await adapter.pauseDiscovery(in: central)
    defer { adapter.resumeDiscovery(in: central) }
    attempt.isOpen = false
    do {
      if let lastEnd, LoopClock.now - lastEnd < DeviceSession.closingTime {
        try await central.pause(DeviceSession.closingTime, for: operation)
      }
      guard try await callConnect(adapter, operation, &attempt, in: central) else { return false }
      attempt.isOpen = true
      held(.opened)
      try await waitForServices(operation, in: central)
      return true
    } catch {
      if attempt.isOpen {
        // Its services did not come.
        released()
        await leaveLock(in: central)
      }
      guard error.code == .timedOut else { throw error }
      if operation.deadline.isOver { throw timedOut(operation) }
      throw operation.error(.connectionFailed, "no connection yet")
    }
  }

  /// Calls Connect in this device's turn, for a slice of time: others wait for theirs.
  ///
  /// - Returns: false when a link exists already.
  private func callConnect(
    _ adapter: AdapterSession, _ operation: Operation, _ attempt: inout LinkAttempt,
    in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    let turns = adapter.connecting
    guard await turns.take(until: operation.deadline, on: central.loop) else { throw timedOut(operation) }
    defer { turns.release() }
    let slice = operation.within(
      turns.hasWaiters ? DeviceSession.sharedAttemptTime : DeviceSession.attemptTime)
    guard try await beginOpening(slice, in: central) else { return false }
    defer { lock.endOpening() }
    attempt.openingSince = LoopClock.now
    isCallingConnect = true
    defer { isCallingConnect = false }
    do {
      try await central.call(message("Connect"), for: slice)
      lock.mark(isOurs: true)
      return true
    } catch {
      // BlueZ forgets a device that accepts no connections when a scan ends; its signal may come before the reply.
      if error.code == .disconnected { _ = try central.device(path, for: operation.name) }
      // The kernel goes on trying: a later success would leave a link without a user. Disconnect ends the attempt, and
      // is waited for before others have their turn: bluetoothd closes the socket of the attempt but still watches its
      // number, and would take the next socket, of another device, for it.
      let isForeign = error.code == .busy || error.message == "Operation already in progress"
      if !isForeign, error.code != .notFound { await postDisconnect(in: central) }
      throw error
    }
  }

  /// Waits until no other program of this library is opening the link.
  ///
  /// - Returns: false when a link exists by then.
  private func beginOpening(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    while !central.isConnected(path) {
      if lock.beginOpening() { return true }
      if operation.deadline.isOver { throw timedOut(operation) }
      try await central.pause(DeviceSession.lockPause, for: operation)
    }
    return false
  }

  // MARK: Waiting

  func waitForServices(
    _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let path = path
    let isResolved: Bool? = try await central.wait(for: operation) { model in
      guard let device = model.devices[path] else {
        return .failure(operation.error(.notFound, "BlueZ has forgotten the device"))
      }
      if !device.isConnected {
        let message = "the link was lost before the services were known"
        return .failure(operation.error(.connectionFailed, message))
      }
      return device.isResolved ? .success(true) : nil
    }
    if isResolved == nil { throw timedOut(operation) }
    try await passBarrier(operation, in: central)
    guard central.tree(of: path).isEmpty else { return }
    // None yet: a busy bluetoothd adds them a moment later, and behind the first of them all others.
    let hasServices: Bool? = try await central.wait(for: operation.within(.milliseconds(500))) { model in
      model.services.values.contains { $0.devicePath == path } ? .success(true) : nil
    }
    if hasServices == true { try await passBarrier(operation, in: central) }
  }

  /// Waits for all that bluetoothd has sent: ServicesResolved may overtake the services.
  func passBarrier(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    try await central.passBarrier("ServicesResolved", of: BlueZ.device, at: path, operation)
  }

  /// Waits for the rest of a link to go down, and a little longer, unless another program connects meanwhile: BlueZ
  /// reports the end of a link before the controller is ready.
  func settleAfterFailure(
    _ delay: Duration, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    guard try await waitForEnd(operation.within(.seconds(4)), in: central) else {
      return try await central.pause(delay, for: operation)
    }
    let path = path
    let _: Bool? = try await central.wait(for: operation.within(delay)) { model in
      model.devices[path]?.isConnected == true ? .success(true) : nil
    }
  }

  private func timedOut(_ operation: Operation) -> BLEError {
    if Task.isCancelled { return operation.cancelled }
    return operation.error(.timedOut, "no connection in the time given")
  }
}

/// Counts the attempts to make one connection.
struct LinkAttempt {
  private var failures = 0
  private var hasRetriedForServices = false
  private var losses = 0
  /// Since when Connect is being called; nil while a link is joined, or waited for.
  var openingSince: ContinuousClock.Instant?
  /// Whether that link stands, and BlueZ looks for its services.
  var isOpen = false

  /// Counts a link that the device has ended at once: whether it was not the first.
  mutating func isSecondLoss() -> Bool {
    losses += 1
    return losses > 1
  }

  /// The pause before the next attempt: 0.25 s, doubled each time, up to 1 s.
  mutating func nextDelay() -> Duration {
    failures += 1
    return min(.milliseconds(250 * (1 << min(failures - 1, 4))), .seconds(1))
  }

  /// Whether to connect again because the services are missing: once.
  mutating func mayRetryForServices() -> Bool {
    defer { hasRetriedForServices = true }
    return !hasRetriedForServices
  }
}

extension BLEError {
  /// Whether another attempt to connect may well succeed.
  var isTransient: Bool {
    switch code {
    case .connectionFailed, .disconnected, .busy: true
    case .failed:
      [
        "Operation already in progress", "Input/output error", "Software caused connection abort",
        "Host is down",
      ]
      .contains(message)
    default: false
    }
  }
}
