// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension DeviceSession {
  /// How long BlueZ may take to end a pairing whose question was answered with Canceled.
  private static let timeToRefuse = Duration.milliseconds(500)
  /// How long it may take to end one that it is asked to cancel.
  private static let timeToCancel = Duration.seconds(1)
  /// How long a pairing that BlueZ has begun by itself may take where it asks nobody, and how often to look.
  private static let timeOfOthers = Duration.seconds(2)
  private static let pauseForOthers = Duration.milliseconds(100)
  /// The devices give up a pairing in which nothing has come for 30 s; less is another reason.
  private static let silence = Duration.seconds(28)

  /// Pairs, in the turn of this pairing, with an agent of its own.
  func pair(
    using agent: any PairingAgent, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> PairingOutcome {
    let session = central.agent
    try requireUnpaired(operation, in: central)
    try await session.pairings.take(
      for: operation, on: central.loop, orFailWith: "another pairing of this program takes too long")
    defer { session.pairings.release() }
    try requireUnpaired(operation, in: central)  // another task may have paired meanwhile
    let answerer = AgentSession.Answerer(agent, for: path)
    session.begin(pairing: answerer)
    let path = path
    let task = Task(executorPreference: central.loop) {
      await central.outcomeOfPairing(path, operation)
    }
    answerer.task = task
    let outcome = await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
    session.withdrawQuestions(about: path, in: central)
    session.endPairing()
    await session.keep(in: central).value
    return try outcome.get()
  }

  fileprivate func outcome(
    _ operation: Operation, in central: isolated CentralManager
  ) async -> Result<PairingOutcome, BLEError> {
    guard let answerer = central.agent.pairing else { return .failure(operation.cancelled) }
    do throws(BLEError) {
      try await central.agent.settle(operation, in: central)
      return .success(try await pairOverLink(answerer, operation, in: central))
    } catch {
      guard error.code == .cancelled, answerer.failure == .cancelled else { return .failure(error) }
      return .failure(operation.error(.pairingCancelled, "the pairing was cancelled"))
    }
  }

  /// Pairs over the link that exists, or opens one by pairing.
  ///
  /// A link that is opened for it is closed if the pairing fails: BlueZ 5.66 would forget the device under it.
  private func pairOverLink(
    _ answerer: AgentSession.Answerer, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> PairingOutcome {
    let wasHeld = use == .held
    do throws(BLEError) {
      if try await isJoined(answerer, operation, in: central) {
        try await pairJoined(answerer, operation, in: central)
      }
      let device = try central.device(path, for: operation.name)
      central.agent.devicePaired(path, in: central)
      return PairingOutcome(method: answerer.method ?? .justWorks, isBonded: device.isBonded)
    } catch {
      if !wasHeld, use == .held { await release(in: central) }
      throw error
    }
  }

  /// Uses the link that exists, or opens one by pairing, in turn with what else opens or closes it.
  ///
  /// - Returns: whether it existed, so that it has to be paired over.
  private func isJoined(
    _ answerer: AgentSession.Answerer, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) -> Bool {
    try await linkTurns.take(
      for: operation, on: central.loop, orFailWith: "connecting to the device takes too long")
    isConnecting = true
    defer {
      isConnecting = false
      linkTurns.release()
    }
    do throws(BLEError) {
      if try await joinLink(operation, in: central) { return true }
      try await openByPairing(answerer, operation, in: central)
      return false
    } catch {
      if use != .held { await leaveLock(in: central) }
      throw error
    }
  }

  /// Pairs over a link that existed.
  private func pairJoined(
    _ answerer: AgentSession.Answerer, _ operation: Operation, in central: isolated CentralManager
  ) async throws(BLEError) {
    var patience = DeviceSession.timeOfOthers
    while central.model.devices[path]?.isPaired != true {
      do throws(BLEError) {
        return try await callPair(answerer, operation, in: central)
      } catch {
        // BlueZ may be pairing already because the device asks for it: our agent has its question.
        let isOurs = central.agent.questions.contains { $0.devicePath == path }
        guard error.code == .pairingInProgress, isOurs || patience > .zero else { throw error }
        if !isOurs { patience -= DeviceSession.pauseForOthers }
        try await central.pause(DeviceSession.pauseForOthers, for: operation)
        if operation.deadline.isOver { throw error }
      }
    }
  }

  private func requireUnpaired(
    _ operation: Operation, in central: isolated CentralManager
  ) throws(BLEError) {
    // Never called for a paired device: BlueZ 5.66 then tries BR/EDR, and does not answer.
    let device = try central.device(path, for: operation.name)
    if device.isPaired || device.isBonded {
      throw operation.error(.alreadyPaired, "the device is paired already")
    }
  }

  // MARK: The call

  /// Calls Pair, and cancels it when the time is over or the task is cancelled.
  ///
  /// - Parameters:
  ///   - answerer: who answers its questions.
  ///   - operation: what it is for, and until when.
  ///   - central: the manager.
  ///   - linked: called once, when a link exists or none will.
  /// - Throws: ``BLEError``: why the pairing has failed.
  func callPair(
    _ answerer: AgentSession.Answerer, _ operation: Operation, in central: isolated CentralManager,
    linked: () -> Void = {}
  ) async throws(BLEError) {
    let wait = Wait<Result<Message, BLEError>>()
    let start = LoopClock.now
    answerer.isAsked = true
    central.begin(message("Pair"), timeout: nil) { [weak central, path] outcome in
      guard let central else { return wait.fulfil(.failure(operation.cancelled)) }
      central.assumeIsolated { central in
        // Its turn lasts until BlueZ has answered, or has had the time to.
        central.agent.answered(path)
        wait.fulfil(outcome.mapError { central.reason(of: $0, for: operation.name) })
        central.conditions.look(at: central.model, outage: central.outage)
      }
    }
    await waitForLink(answerer, operation, in: central)
    linked()
    switch await wait.outcome(until: operation.deadline, on: central.loop) {
    case .value(.success): return
    case .value(.failure(let error)): throw explain(error, answerer, after: LoopClock.now - start)
    case .timedOut:
      await stopPairing(in: central)
      throw operation.error(.pairingTimedOut, "the pairing took longer than allowed")
    case .cancelled:
      await stopPairing(in: central)
      throw operation.cancelled
    }
  }

  /// Waits until a link exists, BlueZ has answered, or there is nothing to wait for.
  private func waitForLink(
    _ answerer: AgentSession.Answerer, _ operation: Operation, in central: isolated CentralManager
  ) async {
    let path = path
    let _: Bool?? = try? await central.wait(for: operation) { model in
      !answerer.isAsked || model.devices[path]?.isConnected == true ? .success(true) : nil
    }
  }

  /// Ends a pairing that BlueZ is working on.
  ///
  /// A question that is answered with Canceled ends it. CancelPairing is called only while BlueZ has not answered: without
  /// a pairing it would delete the bond.
  fileprivate func stopPairing(
    _ answerer: AgentSession.Answerer, in central: isolated CentralManager
  ) async {
    central.agent.withdrawQuestions(about: path, in: central)
    if answerer.isRefused { await waitForAnswer(answerer, DeviceSession.timeToRefuse, in: central) }
    guard answerer.isAsked, central.model.devices[path]?.isBonded == false else { return }
    central.connection.post(message("CancelPairing"))
    await waitForAnswer(answerer, DeviceSession.timeToCancel, in: central)
  }

  /// Does so although the task is cancelled.
  private func stopPairing(in central: isolated CentralManager) async {
    await central.inBackground { [path] central in
      guard let answerer = central.agent.pairing else { return }
      await central.deviceSession(path).stopPairing(answerer, in: central)
    }.value
  }

  /// Waits until BlueZ has answered Pair.
  private func waitForAnswer(
    _ answerer: AgentSession.Answerer, _ time: Duration, in central: isolated CentralManager
  ) async {
    let operation = Operation("cancel the pairing", timeout: time)
    let _: Bool?? = try? await central.wait(for: operation) { _ in answerer.isAsked ? nil : .success(true) }
  }

  /// Why a pairing has failed: BlueZ has the same few words for many reasons.
  private func explain(
    _ error: BLEError, _ answerer: AgentSession.Answerer, after time: Duration
  ) -> BLEError {
    var error = error
    if error.dbusName == BlueZ.errorPrefix + "AlreadyExists" {
      (error.code, error.message) = (.alreadyPaired, "the device is paired already")
    }
    switch (error.code, answerer.failure) {
    case (.authenticationFailed, .rejected), (.pairingCancelled, .rejected):
      (error.code, error.message) = (.pairingRejected, "it was refused on this side")
    case (.authenticationFailed, .unanswered), (.pairingCancelled, .unanswered):
      (error.code, error.message) = (.pairingTimedOut, "the question was not answered in time")
    case (.pairingCancelled, _) where time >= DeviceSession.silence:
      (error.code, error.message) = (.pairingTimedOut, "the device did not continue it")
    case (.authenticationFailed, _):
      switch answerer.method {
      case .passkey: error.message = "the passkey is wrong, or the device refused"
      case .numericComparison: error.message = "the device refused: the numbers were not confirmed there"
      default: error.message = "the device refused, or wants a passkey that this side cannot show or type"
      }
    case (.busy, _):
      (error.code, error.message) = (.pairingInProgress, "another program is pairing with the device")
    default: break
    }
    return error
  }

  // MARK: Cancelling

  /// Cancels the pairing of this manager with the device.
  func cancelPairing(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    guard let answerer = central.agent.pairing, answerer.devicePath == path, let task = answerer.task else {
      throw operation.error(.notFound, "this program is not pairing with the device")
    }
    answerer.failure = .cancelled
    task.cancel()
    _ = await task.value
  }
}

extension CentralManager {
  fileprivate func outcomeOfPairing(
    _ path: String, _ operation: Operation
  ) async -> Result<PairingOutcome, BLEError> {
    await deviceSession(path).outcome(operation, in: self)
  }
}

/// What BlueZ keeps about a device: its bond and its flags.
extension DeviceSession {
  /// Lets BlueZ forget the device, and the keys with it.
  func forget(_ operation: Operation, in central: isolated CentralManager) async throws(BLEError) {
    let device = try central.device(path, for: operation.name)
    wasBonded = false
    let path = path
    let message = Message(
      call: "RemoveDevice", of: BlueZ.adapter, at: device.adapterPath, to: BlueZ.service
    ) { $0.objectPath(path) }
    try await central.call(message, for: operation)
    let isForgotten: Bool? = try await central.wait(for: operation) { model in
      model.devices.contains(path) ? nil : .success(true)
    }
    if isForgotten == nil { throw operation.error(.timedOut, "BlueZ does not forget the device") }
  }

  /// - Throws: ``BLEError`` with code `deviceBlocked`.
  func requireNotBlocked(_ device: DeviceState, _ operation: Operation) throws(BLEError) {
    if device.isBlocked { throw operation.error(.deviceBlocked, "the device is blocked") }
  }

  /// Sets `Trusted` or `Blocked`, and waits until BlueZ shows it.
  func set(
    _ property: String, to value: Bool, _ operation: Operation, in central: isolated CentralManager,
    isSet: @escaping @Sendable (DeviceState) -> Bool
  ) async throws(BLEError) {
    if isSet(try central.device(path, for: operation.name)) == value { return }
    let path = path
    let message = BlueZ.call(toSet: property, of: BlueZ.device, at: path, to: value)
    try await central.call(message, for: operation)
    let isDone: Bool? = try await central.wait(for: operation) { model in
      guard let device = model.devices[path] else {
        return .failure(operation.error(.notFound, "BlueZ has forgotten the device"))
      }
      return isSet(device) == value ? .success(true) : nil
    }
    if isDone == nil { throw operation.error(.timedOut, "BlueZ does not follow") }
  }
}
