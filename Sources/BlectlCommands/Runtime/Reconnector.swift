// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BlectlArguments

/// Opens links and reopens lost ones, for all long-running commands.
struct Reconnector: Sendable {
  let policy: ReconnectPolicy
  let session: Session

  /// Whether a link that ended with this error can be reopened.
  static func isHealable(_ error: any Error) -> Bool {
    (error as? BLEError)?.isRecoverable ?? false
  }

  /// Whether the obstacle to a first link may go away.
  static func isWorthWaiting(_ error: any Error) -> Bool {
    guard let error = error as? CommandError else { return isHealable(error) }
    return error.isAbsence || error.isAbsenceOfBus
  }

  /// The time left after some time has passed; nil if there is no limit.
  func remaining(after passed: Duration) -> Duration? { policy.limit.map { max($0 - passed, .zero) } }

  // MARK: The first link

  /// Opens the first link to a device; waits for bluetoothd, the adapter and the device as long as necessary.
  ///
  /// - Throws: the last error, if waiting does not help or the limit is reached; `CancellationError`.
  func open(_ target: TargetOptions, pairing: PairingOnDemand? = nil) async throws -> Link {
    let patience = Patience()
    while true {
      do {
        try await central()
        let limits = [session.timeout, remaining(after: patience.length)].compactMap(\.self)
        return try await Link.open(target, in: session, within: limits.min(), pairing: pairing)
      } catch {
        try await wait(after: error, for: target.device, patience)
      }
    }
  }

  /// The manager; a new one if the connection to the bus was lost.
  ///
  /// - Throws: ``BLEError`` with code `busUnavailable` while the bus is away; `CancellationError`.
  @discardableResult
  func central() async throws -> CentralManager {
    let central = try await session.central()
    guard await central.state == .busUnavailable else { return central }
    guard let new = try await session.central(insteadOf: central) else {
      throw BLEError.busLost
    }
    return new
  }

  /// Waits before the next attempt: until the missing part appears, or for a growing pause.
  ///
  /// - Parameters:
  ///   - error: why the attempt failed.
  ///   - device: the device to wait for.
  ///   - patience: the current period of waiting.
  /// - Throws: the error, if waiting does not help or the limit is reached; `CancellationError`.
  func wait(after error: any Error, for device: DeviceArgument, _ patience: Patience) async throws {
    let left = remaining(after: patience.length)
    guard Reconnector.isWorthWaiting(error), left != .zero else { throw error }
    patience.failed()
    let isBusAway = (error as? CommandError)?.isAbsenceOfBus == true
    switch isBusAway ? .busUnavailable : (error as? BLEError)?.code {
    case .busUnavailable:
      patience.say(missing: "the bus", in: session)
    case .serviceUnavailable, .noAdapter, .poweredOff, .blocked:
      return try await waitUntilPoweredOn(within: left, patience)
    case .connectionFailed, .timedOut, .notFound, .disconnected:
      patience.say("\(device)", in: session)
      return try await listen(for: device, within: pause(patience, left))
    default:
      patience.say("\(device)", in: session)
      // The failed attempt has already listened for it.
      if error is CommandError { return try await session.loop.sleep(for: pause(Patience(), left)) }
    }
    try await session.loop.sleep(for: pause(patience, left))
  }

  private func pause(_ patience: Patience, _ left: Duration?) -> Duration {
    let pause = policy.delay(after: patience.failures)
    return left.map { min($0, pause) } ?? pause
  }

  /// Waits until bluetoothd runs and the adapter is powered, or the bus is lost.
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

  /// Listens for a device for some time; returns early when it is heard.
  private func listen(for device: DeviceArgument, within pause: Duration) async throws {
    let end = Deadline(after: pause)
    do {
      let filter = ScanFilter(addresses: device.address.map { [$0] } ?? [])
      let heard = try await central().hear(filter, until: end) { device.rank(of: $0) != nil }
      if heard != nil { return }
    } catch is BLEError {
      // The next attempt reports what is wrong.
    }
    try await session.loop.sleep(for: end.remaining ?? .zero)
  }

  // MARK: Reopening

  /// Reopens a link, however long it takes, over a new connection to the bus if that was lost.
  ///
  /// - Parameters:
  ///   - link: the lost link, which becomes usable again.
  ///   - passed: how long it has already been lost.
  /// - Throws: the last error when the limit is reached; `CancellationError`.
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
          by: try await session.showingProgress("reconnecting to \(address)") {
            try await central.reconnect(to: address, policy: remaining)
          })
      } catch let error as BLEError where error.code == .busUnavailable {
        failures += 1
        let left = self.remaining(after: .now - start)
        guard left != .zero else { throw error }
        let pause = policy.delay(after: failures)
        try await session.loop.sleep(for: left.map { min($0, pause) } ?? pause)
        if let central = try await session.central(insteadOf: central) { link.move(to: central) }
        try await begin(link.pairing, with: link.central, since: start)
      } catch let error as BLEError where error.code == .bondLostByPeer {
        guard let pairing = link.pairing else { throw error }
        try await pairing.forget(link.peripheral)
        try await listen(for: .address(address), within: policy.delay(after: 1))
      }
    }
  }

  /// Registers the agent with another manager, once bluetoothd runs; not if the bus is lost again.
  private func begin(
    _ pairing: PairingOnDemand?, with central: CentralManager, since start: ContinuousClock.Instant
  ) async throws {
    var failures = 0
    while true {
      do {
        return try await pairing?.begin(with: central) ?? ()
      } catch let error as BLEError where error.isRecoverable {
        if error.code == .busUnavailable { return }
        failures += 1
        if remaining(after: .now - start) == .zero { throw error }
        try await session.loop.sleep(for: policy.delay(after: failures))
      }
    }
  }

  /// Pauses between two attempts to subscribe.
  ///
  /// - Throws: the error of the last attempt, if the limit is reached; `CancellationError`.
  func pause(in gap: Gap, after error: any Error) async throws {
    let left = remaining(after: gap.length)
    if left == .zero { throw error }
    let pause = gap.pause(policy)
    try await session.loop.sleep(for: left.map { min($0, pause) } ?? pause)
  }
}

/// A period without values, because there is no link, or no subscription yet.
struct Gap {
  /// Whether there has been no subscription yet.
  private(set) var isFirst = true
  private var start: Moment?
  /// How often subscribing has failed in this gap.
  private var failures = 0

  /// Whether an earlier link is being reopened.
  var isHealing: Bool { !isFirst && start != nil }

  /// The link is lost, or subscribing has failed.
  ///
  /// - Parameter moment: the time of the loss.
  /// - Returns: whether to report it: true once per gap, and never before the first subscription.
  mutating func begin(at moment: Moment) -> Bool {
    let isLoss = !isFirst && start == nil
    if !isLoss { failures += 1 }
    start = start ?? moment
    return isLoss
  }

  /// How long the gap has lasted.
  var length: Duration { start.map { .now - $0.instant } ?? .zero }

  /// How long to wait before reopening the link: not at all after a loss, longer after each failure.
  func pause(_ policy: ReconnectPolicy) -> Duration { failures == 0 ? .zero : policy.delay(after: failures) }

  /// Values are received again.
  ///
  /// - Returns: the length of the gap in seconds, with milliseconds; nil the first time.
  mutating func end() -> Double? {
    defer { self = Gap(isFirst: false) }
    guard isHealing else { return nil }
    let (seconds, attoseconds) = length.components
    return Double(seconds * 1000 + attoseconds / 1_000_000_000_000_000) / 1000
  }

  init() {}

  private init(isFirst: Bool) { self.isFirst = isFirst }
}
