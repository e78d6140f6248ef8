// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLECentral
package import BlectlArguments

/// Opens links and reopens lost ones for all long-running commands.
package struct Reconnector: Sendable {
  package let policy: ReconnectPolicy
  /// Brings back a failed adapter; nil leaves that to the user.
  package let recovery: AdapterRecovery?
  package let context: CommandContext

  package init(policy: ReconnectPolicy, recovery: AdapterRecovery? = nil, context: CommandContext) {
    (self.policy, self.recovery, self.context) = (policy, recovery, context)
  }

  /// Returns whether a link that ended with this error can be reopened.
  package static func isHealable(_ error: any Error) -> Bool {
    (error as? BLEError)?.isRecoverable ?? false
  }

  /// Returns whether the obstacle to a first link may go away.
  package static func isWorthWaiting(_ error: any Error) -> Bool {
    guard let error = error as? CommandError else { return isHealable(error) }
    return error.isAbsence || error.isAbsenceOfBus
  }

  /// Returns whether attempts to connect led to nothing, so that the adapter may be the reason.
  private static func isFruitless(_ error: any Error) -> Bool {
    if let error = error as? CommandError { return error.isAbsence }
    return [.timedOut, .connectionFailed, .notFound].contains((error as? BLEError)?.code)
  }

  /// The time left of the limit; nil if there is none.
  package func remaining(after passed: Duration) -> Duration? { policy.limit.map { max($0 - passed, .zero) } }

  /// Returns the time limit for an attempt at a first link: `--timeout`, and from the second attempt on no
  /// longer than the limit allows.
  ///
  /// A device is not away while it is connected to for the first time, which takes seconds on a busy radio.
  func attemptTime(_ notice: RetryNotice) -> Duration? {
    guard notice.failures > 0, let left = remaining(after: notice.length) else { return context.timeout }
    return context.timeout.map { min($0, left) } ?? left
  }

  // MARK: The first link

  /// Opens the first link to a device; waits for bluetoothd, the adapter and the device until the limit.
  ///
  /// - Throws: the last error, if waiting does not help or the limit is reached; `CancellationError`.
  package func open(
    _ target: DeviceChoice, pairing: PairingOnDemand? = nil
  ) async throws -> DeviceConnection {
    let notice = RetryNotice()
    while true {
      do {
        try await central()
        let link = try await DeviceConnection.open(
          target, in: context, within: attemptTime(notice), pairing: pairing)
        recovery?.connected()
        return link
      } catch {
        if let recovery, Reconnector.isFruitless(error) {
          try await recovery.examine(try await central()) { target.device.rank(of: $0) != nil }
        }
        try await wait(after: error, for: [target.device], notice)
      }
    }
  }

  /// The manager; a new one if the connection to the bus was lost.
  ///
  /// - Throws: ``BLEError`` with code `busUnavailable` while the bus is away; `CancellationError`.
  @discardableResult
  package func central() async throws -> CentralManager {
    let central = try await context.bus.central()
    guard await central.state == .busUnavailable else { return central }
    guard let new = try await context.bus.central(insteadOf: central) else {
      throw BLEError.busLost
    }
    return new
  }

  /// Waits before the next attempt until the missing part appears, or for a growing pause; throws the error
  /// if waiting does not help or the limit is reached.
  package func wait(
    after error: any Error, for devices: [DeviceArgument], _ notice: RetryNotice
  ) async throws {
    let names = devices.map { "\($0)" }.alternatives
    let left = remaining(after: notice.length)
    guard Reconnector.isWorthWaiting(error), left != .zero else { throw limited(error, left) }
    notice.failed()
    if try await waitForBluetooth(after: error, within: left, notice) { return }
    switch (error as? BLEError)?.code {
    case _ where (error as? BLEError)?.isOfHangingService == true:
      // The device may be there.
      notice.say(names + (error.reason.map { ": \($0)" } ?? ""), in: context)
    case .connectionFailed, .timedOut, .notFound, .disconnected:
      notice.say(names, in: context)
      return try await listen(for: devices, within: pause(notice, left))
    default:
      notice.say(names + ((error as? CommandError)?.nearNames ?? ""), in: context)
      // The failed attempt already listened for it.
      if error is CommandError { return try await context.loop.sleep(for: pause(RetryNotice(), left)) }
    }
    try await context.loop.sleep(for: pause(notice, left))
  }

  /// The error of an attempt that the limit has ended, not `--timeout`.
  private func limited(_ error: any Error, _ left: Duration?) -> any Error {
    guard left == .zero, var error = error as? BLEError, error.code == .timedOut else { return error }
    if error.advice == nil {
      error.message = "no connection within --reconnect-limit"
      error.advice = .reconnectForLonger
    }
    return error
  }

  /// Waits before listening is tried again; see ``wait(after:for:_:)``.
  package func waitToListen(after error: any Error, _ notice: RetryNotice) async throws {
    let left = remaining(after: notice.length)
    guard Reconnector.isWorthWaiting(error), left != .zero else { throw error }
    notice.failed()
    if try await waitForBluetooth(after: error, within: left, notice) { return }
    notice.say("BlueZ" + (error.reason.map { ": \($0)" } ?? ""), in: context)
    try await context.loop.sleep(for: pause(notice, left))
  }

  /// Waits until the bus, bluetoothd or the adapter may be back; returns false at once if none of them is missing.
  private func waitForBluetooth(
    after error: any Error, within left: Duration?, _ notice: RetryNotice
  ) async throws -> Bool {
    let isBusAway = (error as? CommandError)?.isAbsenceOfBus == true
    switch isBusAway ? .busUnavailable : (error as? BLEError)?.code {
    case .busUnavailable:
      notice.say(missing: "the bus", in: context)
      try await context.loop.sleep(for: pause(notice, left))
    case .serviceUnavailable, .noAdapter, .poweredOff, .blocked:
      try await waitUntilPoweredOn(within: left, notice)
    default: return false
    }
    return true
  }

  private func pause(_ notice: RetryNotice, _ left: Duration?) -> Duration {
    let pause = policy.delay(after: notice.failures)
    return left.map { min($0, pause) } ?? pause
  }

  /// Waits until bluetoothd runs and the adapter is powered, or the bus is lost.
  private func waitUntilPoweredOn(within limit: Duration?, _ notice: RetryNotice) async throws {
    let states = await (try await context.bus.central()).stateUpdates()
    let context = context
    try await context.loop.limited(to: limit) {
      for await state in states {
        guard state != .busUnavailable, let missing = state.missing(adapter: context.options.wantedAdapter)
        else {
          return
        }
        notice.say(missing: missing, in: context)
      }
    }
    try Task.checkCancellation()
  }

  /// Listens for devices; returns early when one is heard.
  private func listen(for devices: [DeviceArgument], within pause: Duration) async throws {
    let end = Deadline(after: pause)
    do {
      let addresses = devices.compactMap(\.address)
      let filter = ScanFilter(addresses: addresses.count == devices.count ? addresses : [])
      let heard = try await central().hear(filter, until: end) { info in
        devices.contains { $0.rank(of: info) != nil }
      }
      if heard != nil { return }
    } catch is BLEError {
      // The next attempt reports the problem.
    }
    try await context.loop.sleep(for: end.remaining ?? .zero)
  }

  // MARK: Reopening

  /// Reopens a lost link, over a new bus connection if necessary; `passed` is how long it was already lost.
  package func reopen(_ link: DeviceConnection, after passed: Duration = .zero) async throws {
    let (key, address) = (link.info.key, link.info.address)
    let start = LoopClock.now - passed
    var failures = 0
    while true {
      var policy = policy
      let left = remaining(after: LoopClock.now - start)
      // In turns, so that the adapter can be looked at in between.
      policy.limit = [left, recovery?.patience].compactMap(\.self).min()
      let (central, remaining) = (link.central, policy)
      do {
        link.replace(
          by: try await context.showingProgress("reconnecting to \(link.title)") {
            try await central.reconnect(to: key, last: address, policy: remaining)
          })
        recovery?.connected()
        return
      } catch let error where recovery != nil && left != .zero && Reconnector.isFruitless(error) {
        try await recovery?.examine(central) { $0.key == key || $0.address == address }
      } catch let error as BLEError where error.code == .busUnavailable {
        failures += 1
        let left = self.remaining(after: LoopClock.now - start)
        guard left != .zero else { throw error }
        let pause = policy.delay(after: failures)
        try await context.loop.sleep(for: left.map { min($0, pause) } ?? pause)
        if let central = try await context.bus.central(insteadOf: central) { link.move(to: central) }
        try await begin(link.pairing, with: link.central, since: start)
      } catch let error as BLEError where error.code == .bondLostByPeer {
        guard let pairing = link.pairing else { throw error }
        try await pairing.forget(link.peripheral)
        try await listen(for: [.address(address)], within: policy.delay(after: 1))
      } catch {
        throw limited(error, self.remaining(after: LoopClock.now - start))
      }
    }
  }

  /// Registers the agent with another manager once bluetoothd runs; not if the bus is lost again.
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
        if remaining(after: LoopClock.now - start) == .zero { throw error }
        try await context.loop.sleep(for: policy.delay(after: failures))
      }
    }
  }

  /// Pauses between two attempts to subscribe; throws the last error if the limit is reached.
  package func pause(in gap: LinkGap, after error: any Error) async throws {
    let left = remaining(after: gap.length)
    if left == .zero { throw error }
    let pause = gap.pause(policy)
    try await context.loop.sleep(for: left.map { min($0, pause) } ?? pause)
  }
}
