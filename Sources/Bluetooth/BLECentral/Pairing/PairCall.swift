// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// One call of Pair, with an agent that answers its questions.
struct PairCall {
  let device: DeviceSession
  let answerer: AgentSession.Answerer
  let operation: Operation

  /// The time limit for BlueZ to end a pairing after a question was answered with Canceled.
  private static let timeToRefuse = Duration.milliseconds(500)
  private static let timeToCancel = Duration.seconds(1)

  private var core: CentralCore { device.core }
  private var path: String { device.path }

  /// Calls Pair, and cancels it at the deadline or when the task is cancelled.
  ///
  /// Calls `linked` once, when a link exists or none will.
  func run(linked: () -> Void = {}) async throws(BLEError) {
    let wait = Promise<Result<Message, BLEError>>()
    let start = LoopClock.now
    answerer.isAsked = true
    let answered = core.loop.confined { [weak core, path, operation] (outcome: Result<Message, DBusError>) in
      guard let core else { return wait.fulfil(.failure(operation.cancelled)) }
      // The turn lasts until BlueZ answered, or had the time to.
      core.agent.answered(path)
      wait.fulfil(outcome.mapError { core.client.reason(of: $0, for: operation.action) })
      core.evaluateConditions()
    }
    core.client.begin(device.message("Pair"), timeout: nil, observer: answered)
    await waitForLink()
    linked()
    switch await wait.outcome(until: operation.deadline.instant, on: core.loop) {
    case .value(.success): return
    case .value(.failure(let error)):
      throw FailureExplainer(device, operation)
        .pairing(failedWith: error, answerer, after: LoopClock.now - start)
    case .timedOut:
      await stop()
      throw operation.error(.pairingTimedOut, "the pairing took longer than allowed")
    case .cancelled:
      await stop()
      throw operation.cancelled
    }
  }

  /// Waits until a link exists, BlueZ answered, or there is nothing to wait for.
  private func waitForLink() async {
    let (path, answerer) = (path, answerer)
    let _: Bool?? = try? await core.wait(for: operation) { model in
      !answerer.isAsked || model.devices[path]?.isConnected == true ? .success(true) : nil
    }
  }

  // MARK: Stopping

  /// Ends the pairing that BlueZ is working on, even in a cancelled task.
  ///
  /// Answering a question with Canceled ends it. CancelPairing is called only while BlueZ has not answered:
  /// without a pairing it would delete the bond.
  private func stop() async {
    await core.inBackground { [core, path, answerer] in
      core.agent.questions.withdraw(about: path)
      if answerer.isRefused { await waitForAnswer(answerer, PairCall.timeToRefuse) }
      guard answerer.isAsked, core.client.model.devices[path]?.isBonded == false else { return }
      core.connection.post(core.sessions.device(path).message("CancelPairing"))
      await waitForAnswer(answerer, PairCall.timeToCancel)
    }.value
  }

  private func waitForAnswer(_ answerer: AgentSession.Answerer, _ time: Duration) async {
    let operation = Operation(.cancelPairing(nil), timeout: time)
    let _: Bool?? = try? await core.wait(for: operation) { _ in answerer.isAsked ? nil : .success(true) }
  }
}
