// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BlueZClient
internal import DBus

/// One call of Pair, with an agent that answers its questions.
struct PairCall {
  let device: DeviceSession
  let answerer: AgentSession.Answerer
  let operation: Operation

  /// How long BlueZ may take to end a pairing after a question was answered with Canceled.
  private static let timeToRefuse = Duration.milliseconds(500)
  private static let timeToCancel = Duration.seconds(1)

  private var path: String { device.path }

  /// Calls Pair, and cancels it at the deadline or when the task is cancelled.
  ///
  /// Calls `linked` once, when a link exists or none will.
  func run(in central: isolated CentralManager, linked: () -> Void = {}) async throws(BLEError) {
    let wait = Wait<Result<Message, BLEError>>()
    let start = LoopClock.now
    answerer.isAsked = true
    central.client.begin(device.message("Pair"), timeout: nil) { [weak central, path, operation] outcome in
      guard let central else { return wait.fulfil(.failure(operation.cancelled)) }
      central.assumeIsolated { central in
        // The turn lasts until BlueZ answered, or had the time to.
        central.agent.answered(path)
        wait.fulfil(outcome.mapError { central.client.reason(of: $0, for: operation.action) })
        central.conditions.look(at: central.model, outage: central.outage)
      }
    }
    await waitForLink(in: central)
    linked()
    switch await wait.outcome(until: operation.deadline, on: central.loop) {
    case .value(.success): return
    case .value(.failure(let error)):
      throw FailureExplainer(device, operation)
        .pairing(failedWith: error, answerer, after: LoopClock.now - start)
    case .timedOut:
      await stop(in: central)
      throw operation.error(.pairingTimedOut, "the pairing took longer than allowed")
    case .cancelled:
      await stop(in: central)
      throw operation.cancelled
    }
  }

  /// Waits until a link exists, BlueZ answered, or there is nothing to wait for.
  private func waitForLink(in central: isolated CentralManager) async {
    let (path, answerer) = (path, answerer)
    let _: Bool?? = try? await central.wait(for: operation) { model in
      !answerer.isAsked || model.devices[path]?.isConnected == true ? .success(true) : nil
    }
  }

  // MARK: Stopping

  /// Ends the pairing that BlueZ is working on, even in a cancelled task.
  ///
  /// Answering a question with Canceled ends it. CancelPairing is called only while BlueZ has not answered:
  /// without a pairing it would delete the bond.
  private func stop(in central: isolated CentralManager) async {
    await central.inBackground { [path] central in
      guard let answerer = central.agent.pairing else { return }
      central.agent.questions.withdraw(about: path, in: central)
      if answerer.isRefused { await waitForAnswer(answerer, PairCall.timeToRefuse, in: central) }
      guard answerer.isAsked, central.model.devices[path]?.isBonded == false else { return }
      central.connection.post(central.sessions.device(path).message("CancelPairing"))
      await waitForAnswer(answerer, PairCall.timeToCancel, in: central)
    }.value
  }
}

private func waitForAnswer(
  _ answerer: AgentSession.Answerer, _ time: Duration, in central: isolated CentralManager
) async {
  let operation = Operation(.cancelPairing(nil), timeout: time)
  let _: Bool?? = try? await central.wait(for: operation) { _ in answerer.isAsked ? nil : .success(true) }
}
