// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The manager's part of pairing.
extension CentralManager {
  /// How long a question of a pairing may be open.
  package static var pairingAnswerTime: Duration { PairingQuestions.answerTime }

  /// Answers the questions of pairings that this manager does not begin, until the task is cancelled.
  ///
  /// Those are the pairings that devices begin, and those that BlueZ begins because a value requires encryption. The
  /// outcome shows in ``events(capacity:)``. Pairings of ``Peripheral/pair(using:timeout:)`` still ask their own agent.
  /// When bluetoothd ends and comes back, the agent is registered anew.
  ///
  /// BlueZ: AgentManager1.RegisterAgent, and RequestDefaultAgent where `isDefault` is set; UnregisterAgent at the end.
  /// While an agent is registered, adapters are pairable.
  ///
  /// - Parameters:
  ///   - agent: who answers.
  ///   - isDefault: whether to take the place of the default agent, which the desktop has otherwise. Without it, only the
  ///     questions come that no other program gets.
  ///   - ready: called once the agent is registered.
  /// - Throws: ``BLEError``: `cancelled`; `busy` where this manager answers already; why the agent cannot be registered;
  ///   `busUnavailable` when the bus is lost.
  public func answerPairings(
    using agent: some PairingAgent, isDefault: Bool = true, ready: @Sendable () -> Void = {}
  ) async throws(BLEError) {
    try await self.agent.answerPairings(using: agent, isDefault: isDefault, ready, in: self)
  }

  /// Answers open questions, closes the link of a pairing, and gives the agent back, at once: the process is about to end.
  ///
  /// Call on the loop's thread.
  package nonisolated func abandonPairing() {
    assumeIsolated { $0.agent.abandonPairing(in: $0) }
  }
}
