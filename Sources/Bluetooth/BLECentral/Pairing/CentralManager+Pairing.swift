// SPDX-License-Identifier: MIT
internal import AsyncIO

extension CentralManager {
  /// The time limit for an answer to a pairing question.
  package static var pairingAnswerTime: Duration { PairingQuestions.answerTime }

  /// Answers the questions of pairings that this manager does not begin, until the task is cancelled.
  ///
  /// Devices begin such pairings, and BlueZ does when a value requires encryption. The outcome appears in
  /// ``events(capacity:)``. Pairings of ``Peripheral/pair(using:timeout:)`` still ask their own agent. The
  /// agent is registered again when bluetoothd restarts.
  ///
  /// BlueZ: AgentManager1.RegisterAgent, and RequestDefaultAgent if `isDefault` is set; UnregisterAgent at
  /// the end. Adapters are pairable while an agent is registered.
  ///
  /// - Parameters:
  ///   - agent: the agent that answers.
  ///   - isDefault: whether to replace the default agent, normally the desktop's. Otherwise the agent gets
  ///     only questions that no other program takes.
  ///   - ready: called once the agent is registered.
  /// - Throws: ``BLEError``: `cancelled`; `busy` if this manager answers already; why the agent cannot be
  ///   registered; `busUnavailable` when the bus is lost.
  public func answerPairings(
    using agent: some PairingAgent, isDefault: Bool = true, ready: @Sendable () -> Void = {}
  ) async throws(BLEError) {
    try await core.agent.answerPairings(using: agent, isDefault: isDefault, ready)
  }

  /// Ends pairings and the agent without waiting, on the loop's thread: the process is about to end.
  package nonisolated func abandonPairing() {
    assumeIsolated { $0.core.agent.abandonPairing() }
  }
}
