// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus

/// Opens lost links again: the one way of all commands that stay.
struct LinkKeeper: Sendable {
  let policy: ReconnectPolicy
  let session: Session

  /// Whether a link that ended so can be opened again: nobody wanted its end.
  static func isHealable(_ error: any Error) -> Bool {
    guard let error = error as? BLEError else { return false }
    return [
      .disconnected, .connectionFailed, .timedOut, .notFound, .busy, .failed, .poweredOff, .blocked,
      .noAdapter,
      .serviceUnavailable, .busUnavailable,
    ].contains(error.code)
  }

  /// Opens a link again, however long that takes; over a new connection to the bus, where that was lost.
  ///
  /// - Parameter link: the link that was lost; it is the same one afterwards.
  /// - Throws: why it was given up; `CancellationError`.
  func reopen(_ link: Link) async throws {
    let address = link.info.address
    let start = ContinuousClock.now
    var failures = 0
    while true {
      var policy = policy
      policy.limit = policy.limit.map { max($0 - (.now - start), .zero) }
      let (central, remaining) = (link.central, policy)
      do {
        let peripheral = try await session.showingProgress("connecting to \(address) again") {
          try await central.reconnect(to: address, policy: remaining)
        }
        return link.replace(by: try await peripheral.info)
      } catch let error as BLEError where error.code == .busUnavailable {
        failures += 1
        if let limit = remaining.limit, limit == .zero { throw error }
        try await session.loop.sleep(for: policy.delay(after: failures))
        if let central = try await session.central(insteadOf: central) { link.move(to: central) }
      } catch let error as BLEError where error.code == .notFound && policy.limit != .zero {
        continue  // forgotten in the moment after it was connected
      }
    }
  }
}
