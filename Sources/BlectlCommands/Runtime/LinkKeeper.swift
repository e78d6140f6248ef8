// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// Opens links and opens lost ones again: the one way of all commands that stay.
struct LinkKeeper: Sendable {
  let policy: ReconnectPolicy
  let session: Session

  /// Whether a link that ended so can be opened again: nobody wanted its end.
  static func isHealable(_ error: any Error) -> Bool {
    (error as? BLEError)?.isRecoverable ?? false
  }

  /// Whether what stands in the way of a first link may pass.
  static func isWorthWaiting(_ error: any Error) -> Bool {
    isHealable(error) || (error as? CommandError)?.isAbsence == true
  }

  /// What is left of the limit when so much has passed; nil when there is no limit.
  func remaining(after passed: Duration) -> Duration? { policy.limit.map { max($0 - passed, .zero) } }

  // MARK: The first link

  /// Opens the first link to a device, however long it takes until bluetoothd, the adapter and the device are there.
  ///
  /// - Throws: why it was given up, or cannot be; `CancellationError`.
  func open(_ target: TargetOptions) async throws -> Link {
    let patience = Patience()
    while true {
      do {
        _ = try await central()
        let limits = [session.timeout, remaining(after: patience.length)].compactMap(\.self)
        return try await Link.open(target, in: session, within: limits.min())
      } catch {
        try await wait(after: error, for: target.device, patience)
      }
    }
  }

  /// The way into Bluetooth, over a new connection to the bus where that was lost.
  func central() async throws -> CentralManager {
    let central = try await session.central()
    guard await central.state == .busUnavailable else { return central }
    _ = try await session.central(insteadOf: central)
    return try await session.central()
  }

  /// Waits until it is worth trying again: until what is missing has come, or for a pause that grows.
  ///
  /// - Parameters:
  ///   - error: why the attempt failed.
  ///   - device: the device that is waited for.
  ///   - patience: this time of waiting.
  /// - Throws: the error, when waiting does not help, or the limit is reached; `CancellationError`.
  func wait(after error: any Error, for device: DeviceArgument, _ patience: Patience) async throws {
    let left = remaining(after: patience.length)
    guard LinkKeeper.isWorthWaiting(error), left != .zero else { throw error }
    patience.failed()
    switch (error as? BLEError)?.code {
    case .busUnavailable:
      patience.say(missing: "the bus", in: session)
    case .serviceUnavailable, .noAdapter, .poweredOff, .blocked:
      return try await waitUntilPoweredOn(within: left, patience)
    case .connectionFailed, .timedOut, .notFound, .disconnected:
      patience.say("\(device)", in: session)
      return try await listen(for: device, within: pause(patience, left))
    default:
      patience.say("\(device)", in: session)
      // It was listened for all the time.
      if error is CommandError { return try await session.loop.sleep(for: pause(Patience(), left)) }
    }
    try await session.loop.sleep(for: pause(patience, left))
  }

  private func pause(_ patience: Patience, _ left: Duration?) -> Duration {
    let pause = policy.delay(after: patience.failures)
    return left.map { min($0, pause) } ?? pause
  }

  /// Waits until bluetoothd runs and the adapter is there and on, or the bus is lost.
  private func waitUntilPoweredOn(within limit: Duration?, _ patience: Patience) async throws {
    let states = await (try await session.central()).stateUpdates()
    let session = session
    try await session.limited(to: limit) {
      for await state in states {
        guard state != .busUnavailable, let missing = state.missing(adapter: session.wantedAdapter) else {
          return
        }
        patience.say(missing: missing, in: session)
      }
    }
    try Task.checkCancellation()
  }

  /// Listens for a device, which ends the pause when it is heard.
  private func listen(for device: DeviceArgument, within pause: Duration) async throws {
    let end = ContinuousClock.now + pause
    do {
      let filter = ScanFilter(addresses: device.address.map { [$0] } ?? [])
      var scan = try await central().scan(filter).makeAsyncIterator()
      while ContinuousClock.now < end, let batch = try await scan.nextBatch(until: end) {
        let isHeard = batch.elements.contains { event in
          event.kind != .lost && event.info.rssi != nil && device.rank(of: event.info) != nil
        }
        if isHeard { return }
      }
    } catch is BLEError {
      // What is wrong shows with the next attempt.
    }
    try await session.loop.sleep(for: max(end - .now, .zero))
  }

  // MARK: A link again

  /// Opens a link again, however long that takes; over a new connection to the bus, where that was lost.
  ///
  /// - Parameters:
  ///   - link: the link that was lost; it is the same one afterwards.
  ///   - passed: how long it has been away already.
  /// - Throws: why it was given up; `CancellationError`.
  func reopen(_ link: Link, after passed: Duration = .zero) async throws {
    let address = link.info.address
    let start = ContinuousClock.now - passed
    var failures = 0
    while true {
      var policy = policy
      policy.limit = remaining(after: .now - start)
      let (central, remaining) = (link.central, policy)
      do {
        return link.replace(
          by: try await session.showingProgress("connecting to \(address) again") {
            try await central.reconnect(to: address, policy: remaining)
          })
      } catch let error as BLEError where error.code == .busUnavailable {
        failures += 1
        if let limit = remaining.limit, limit == .zero { throw error }
        try await session.loop.sleep(for: policy.delay(after: failures))
        if let central = try await session.central(insteadOf: central) { link.move(to: central) }
      }
    }
  }

  /// Lets time pass between two attempts to subscribe.
  ///
  /// - Throws: the error of the last attempt, when the limit is reached; `CancellationError`.
  func pause(in gap: Gap, after error: any Error) async throws {
    let left = remaining(after: gap.length)
    if left == .zero { throw error }
    let pause = gap.pause(policy)
    try await session.loop.sleep(for: left.map { min($0, pause) } ?? pause)
  }
}
