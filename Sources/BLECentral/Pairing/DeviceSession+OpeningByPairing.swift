// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Logging

/// A link that Pair opens.
///
/// Pair before Connect: the link is encrypted before BlueZ discovers the services and reads values of its own, such as
/// the battery level, which may require encryption. That would begin a pairing of BlueZ's, with the default agent.
extension DeviceSession {
  /// Uses the link if it exists.
  ///
  /// - Returns: false when none exists; the lock is held then.
  func joinLink(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) -> Bool {
    while true {
      let device = try central.device(path, for: operation.name)
      try requireNotBlocked(device, operation)
      if device.isConnected, use == .held { return true }
      try await enterLock(operation, in: central)
      guard central.isConnected(path) else { return false }
      if try await join(operation, in: central) { return true }
    }
  }

  /// Opens a link by pairing, and waits for its services.
  func openByPairing(
    _ answerer: AgentSession.Answerer, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    let device = try central.device(path, for: operation.name)
    let adapter = central.adapterSession(device.adapterPath)
    await adapter.pauseDiscovery(in: central)
    defer { adapter.resumeDiscovery(in: central) }
    answerer.opensLink = true
    var attempt = LinkAttempt()
    do throws(BLEError) {
      while try await !isPaired(answerer, adapter, operation, in: central) {
        try await settleAfterFailure(attempt.nextDelay(), operation, in: central)
      }
      held(.opened)
      lock.mark(isOurs: true)
      try await waitForServices(operation, in: central)
    } catch {
      // A link that was made for the pairing.
      if central.isConnected(path) { lock.mark(isOurs: true) }
      released()
      throw error
    }
  }

  /// Calls Pair in this device's turn, which ends with the link.
  ///
  /// - Returns: false when no link could be made, and another attempt may succeed.
  private func isPaired(
    _ answerer: AgentSession.Answerer, _ adapter: AdapterSession, _ operation: Operation,
    in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    let turns = adapter.connecting
    try await turns.take(
      for: operation, on: central.loop, orFailWith: "connections to other devices take too long")
    do throws(BLEError) {
      if let lastEnd, LoopClock.now - lastEnd < DeviceSession.closingTime {
        try await central.pause(DeviceSession.closingTime, for: operation)
      }
    } catch {
      turns.release()
      throw error
    }
    do throws(BLEError) {
      try await callPair(answerer, operation, in: central) { turns.release() }
      return true
    } catch {
      guard error.isTransient, !operation.deadline.isOver else { throw error }
      central.logger.debug("cannot \(operation.name) for the moment: \(error.message)")
      return false
    }
  }
}
