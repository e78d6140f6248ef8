// SPDX-License-Identifier: MIT
internal import BlueZClient

/// Finds the reason for a failure from BlueZ's error, which fits many reasons, and the device's state.
struct FailureExplainer {
  let device: DeviceSession
  let operation: Operation

  init(_ device: DeviceSession, _ operation: Operation) {
    self.device = device
    self.operation = operation
  }

  /// The time that BlueZ waits for a device's answer before it closes the link.
  private static let answerTime = Duration.seconds(30)
  /// Devices give up a pairing after 30 s of silence; a failure sooner than this has another reason.
  private static let pairingSilence = Duration.seconds(28)

  private var core: CentralCore { device.core }
  private var path: String { device.path }

  // MARK: Links

  /// Returns why the device has no link: never opened, lost, or its adapter is off or gone.
  func reasonOfNoLink() async -> BLEError {
    if device.link.isLost || core.outage != nil {
      do { try await requireRadio() } catch { return error }
    }
    guard core.client.model.devices[path] != nil else {
      return operation.error(.notFound, "BlueZ has forgotten the device")
    }
    return device.link.isLost
      ? linkEnded(device.loss(during: operation.action))
      : operation.error(.disconnected, "the device is not connected")
  }

  /// Throws if the adapter is off or gone; waits for the time that BlueZ takes to report it.
  private func requireRadio() async throws(BLEError) {
    let adapter = BlueZ.adapterPath(ofDevice: path)
    let isAway: Bool? = try await core.wait(
      for: Operation(operation.action, timeout: DeviceSession.reasonTime)
    ) { model in
      model.adapters[adapter]?.isPowered == true ? nil : .success(true)
    }
    if isAway == true { try core.requireRadio(adapter, for: operation.action) }
  }

  /// Adds the possible cause when bluetoothd ended while it opened a link, or discovered services
  /// (`isStanding`).
  func opening(endedBy outage: BLEError, isStanding: Bool) -> BLEError {
    var error = outage.during(operation.action)
    if device.bond.wasBonded {
      // When the encryption of a new link fails, Linux 6.1 fails too, and ends bluetoothd; nothing shows
      // whether the link was encrypted by then. Removing the device also helps with moved attributes.
      error.message += ": the device may have lost the keys of the pairing"
      if isStanding { error.message += ", or moved its attributes" }
      error.advice = .unpair
    } else if isStanding {
      // Cached attributes that a firmware update moved end 5.66 at each connection.
      error.advice = core.endedWithCache.insert(path).inserted ? .forgetIfAgain : .forget
    }
    return error
  }

  /// Returns why a link that exists cannot be used at the deadline: BlueZ has not reported its services.
  func servicesMissing() -> BLEError {
    var error = operation.error(.timedOut, "there is a link, but BlueZ does not know the services yet")
    guard core.client.model.devices[path]?.isPaired == true else { return silentBattery(error) }
    error.message += ": \(ownRead), may require pairing with a passkey"
    return error.advising(.pairAgain)
  }

  /// The error of a device whose links BlueZ itself ends, since a value that it reads first needs better keys.
  func linkEndedByOwnRead() -> BLEError {
    operation.error(
      .pairingTooWeak, "BlueZ ends each link: \(ownRead), seems to require pairing with a passkey"
    ).advising(.pairAgain)
  }

  /// The value that BlueZ reads by itself before it reports the services; on a paired device it waits for better keys.
  private var ownRead: String {
    (hasBattery ? "the battery level (2a19)" : "a value") + ", which BlueZ reads first"
  }

  private var hasBattery: Bool {
    core.client.model.characteristics(of: path).contains { $0.uuid == BluetoothUUID.readByBlueZ }
  }

  /// Adds what else may have had no answer: all requests of a link wait for the one that BlueZ itself sends first.
  private func silentBattery(_ error: BLEError) -> BLEError {
    guard error.code == .timedOut, hasBattery, !device.requests.hasAnswers,
      core.client.model.devices[path]?.batteryLevel == nil
    else { return error }
    switch operation.action {
    case .read(let value), .write(let value), .subscribe(let value):
      if value.uuid == BluetoothUUID.readByBlueZ { return error }
    default: break
    }
    var error = error
    error.message += "; the device may not have answered \(ownRead)"
    return error
  }

  // MARK: Requests

  /// Returns why a request failed; if it ended with the link, BlueZ reports ATT error 0x0e, for example.
  func request(failedWith error: BLEError) async -> BLEError {
    pairing(failedUnder: await reason(of: error))
  }

  /// Replaces the error of a request by that of the pairing that BlueZ began for it, after the agent's answer.
  private func pairing(failedUnder error: BLEError) -> BLEError {
    guard let method = device.bond.unfinishedPairing,
      [.disconnected, .notPaired, .failed, .attributeError, .notFound].contains(error.code),
      error.linkEnd != .timeout, error.linkEnd != .suspend, method != .justWorks || !lacksPerson()
    else { return error }
    var failed = operation.error(
      .authenticationFailed, "the pairing failed: " + FailureExplainer.refusal(of: method)
    ).caused(by: error)
    failed.linkEnd = error.linkEnd
    if core.client.model.devices[path]?.isPaired == true { failed.advice = .pairAgain }
    return failed
  }

  private func reason(of error: BLEError) async -> BLEError {
    switch error.code {
    case .timedOut, .cancelled, .busUnavailable, .serviceUnavailable:
      // bluetoothd may have sent it before that.
      var error = error
      error.mayHaveTakenEffect = true
      guard error.code == .timedOut else { return error }
      let explained = missingKeys(error)
      return explained == error ? silentBattery(error) : explained
    case .notPaired: return insufficientKeys(error)
    case .disconnected:
      return await reasonOfNoLink().caused(by: error)
    case .failed, .notFound: break
    default: guard error.attError == .unlikelyError else { return error }
    }
    do throws(BLEError) {
      let briefly = Operation(operation.action, timeout: .milliseconds(100))
      guard try await device.waitForEnd(briefly) else { return error }
    } catch let outage {
      var end = outage.code == .cancelled ? error : outage
      end.mayHaveTakenEffect = true
      return end
    }
    var lost = await reasonOfNoLink().caused(by: error)
    lost.mayHaveTakenEffect = true
    return lost
  }

  /// Replaces ATT error 0x0e by "no answer" if BlueZ waited as long as it does for an answer.
  func request(failedWith error: BLEError, after time: Duration) -> BLEError {
    guard error.attError == .unlikelyError, time >= FailureExplainer.answerTime else { return error }
    return operation.error(.timedOut, "no answer within 30 s: BlueZ closes the link").caused(by: error)
  }

  /// Adds what may be missing: without an agent, BlueZ 5.87 ends the link of a request that needs other keys.
  private func linkEnded(_ error: BLEError) -> BLEError {
    guard error.code == .disconnected else { return error }
    var error = error
    if device.link.isLostByBlueZ {
      error.message = "BlueZ ended the link"
      let explained = missingKeys(error)
      if explained != error { return explained }
    }
    guard mayPair(), error.linkEnd != .timeout, error.linkEnd != .suspend,
      core.client.model.devices[path]?.isPaired == false
    else { return error }
    error.message += "; the device may have refused to pair"
    if lacksPerson() {
      error.message += ", or want a passkey, and there is no way to ask a person for it"
      error.advice = .pairWithPasskey
    } else {
      error.advice = .pairToLearnWhy
    }
    return error
  }

  /// Adds what may be missing: BlueZ never answers a request that needs other keys, if no agent gives them.
  private func missingKeys(_ error: BLEError) -> BLEError {
    guard let shown = core.client.model.devices[path] else { return error }
    // Nothing shows whether another program's agent was asked, and refused.
    let lacksAgent =
      core.client.model.adapters[shown.adapterPath]?.isPairable == false
      || !shown.isPaired && core.agent.isSecond
    let lacksPerson = lacksPerson()
    let lacksPasskey = shown.isPaired && (lacksPerson || core.agent.registration?.isWatch == true)
    guard lacksAgent || lacksPasskey else { return silentForGood(error, shown) }
    var error = error
    if device.bond.keys(isPaired: shown.isPaired) == .lost {
      error.message =
        (error.code == .timedOut ? "no answer" : error.message) + ": BlueZ has lost the keys of the pairing"
      error.code = .bondLost
    } else {
      error.advice = shown.isPaired ? .pairAgain : .pair
      if lacksPerson { error.message += FailureExplainer.noPersonToAsk }
    }
    return error
  }

  /// Adds that BlueZ may never answer a request for an attribute of a paired device again after a better pairing
  /// for it failed: since 5.81, it loses the request, and lets all later ones wait for it.
  private func silentForGood(_ error: BLEError, _ shown: DeviceState) -> BLEError {
    guard error.code == .timedOut, shown.isPaired, mayPair(),
      let version = core.client.model.adapters[shown.adapterPath]?.version,
      version >= BlueZVersion(major: 5, minor: 81)
    else { return error }
    var error = error
    error.message += "; if a pairing for it has failed before, BlueZ never answers it again"
    return error.advising(.pairAgain)
  }

  /// Returns whether BlueZ pairs by itself where a value requires it, since our agent answers.
  private func mayPair() -> Bool { core.agent.registration.map { !$0.isWatch } ?? false }

  /// Returns whether BlueZ pairs by itself, but without a passkey: our agent cannot ask for one.
  private func lacksPerson() -> Bool {
    mayPair() && core.agent.registration?.capability == .noInputNoOutput
  }

  private static let noPersonToAsk =
    "; if the device requires a passkey, there is no way to ask a person for it"

  /// Says what is wrong with the keys: BlueZ reports "Not paired" in all cases.
  private func insufficientKeys(_ error: BLEError) -> BLEError {
    var error = error
    switch device.bond.keys(isPaired: core.client.model.devices[path]?.isPaired == true) {
    case .kept:
      (error.code, error.advice) = (.pairingTooWeak, nil)
      error.message = "the device requires pairing with a passkey, or has lost its keys of this pairing"
    case .lost:
      (error.code, error.advice) = (.bondLost, nil)
      error.message = "BlueZ has lost the keys of the pairing"
    case .none: break
    }
    return error
  }

  // MARK: Pairing

  /// Returns the likely reason that a device ended a pairing.
  private static func refusal(of method: PairingMethod?) -> String {
    switch method {
    case .passkey: "the passkey is wrong, or the device refused"
    case .numericComparison: "the device refused: the numbers were not confirmed there"
    default: "the device refused, or wants a passkey that this side cannot show or type"
    }
  }

  func pairing(
    failedWith error: BLEError, _ answerer: AgentSession.Answerer, after time: Duration
  ) -> BLEError {
    var error = error
    if case .alreadyExists = error.cause {
      (error.code, error.message) = (.alreadyPaired, "the device is paired already")
    }
    switch (error.code, answerer.failure) {
    case (.authenticationFailed, .rejected), (.pairingCancelled, .rejected):
      (error.code, error.message) = (.pairingRejected, "it was refused on this side")
    case (.authenticationFailed, .unanswered), (.pairingCancelled, .unanswered):
      (error.code, error.message) = (.pairingTimedOut, "the question was not answered in time")
    case (.pairingCancelled, _) where time >= FailureExplainer.pairingSilence:
      (error.code, error.message) = (.pairingTimedOut, "the device did not continue it")
    case (.authenticationFailed, _):
      error.message = FailureExplainer.refusal(of: answerer.method)
    case (.busy, _):
      (error.code, error.message) = (.pairingInProgress, "another program is pairing with the device")
    default: break
    }
    return error
  }
}

extension BLEError {
  /// True if another attempt to connect is likely to succeed.
  var isTransient: Bool {
    switch (code, cause) {
    case (.connectionFailed, _), (.disconnected, _), (.busy, _): true
    case (.failed, .inputOutput), (.failed, .connectionAborted), (.failed, .hostDown): true
    default: false
    }
  }

  /// True if another request on the attribute is under way, or another program holds its write socket: both
  /// end.
  var isForeignRequest: Bool { cause == .inProgress || cause == .writeAcquired }

  /// True if the device itself answered with this error; BlueZ also reports ATT 0x0e for a lost link and
  /// after 30 s.
  var isAnswerOfDevice: Bool {
    switch cause {
    case .attribute(let error): error != .unlikelyError
    case .readNotPermitted, .writeNotPermitted, .notPermitted, .notPaired, .notAuthorized, .notSupported,
      .invalidOffset, .invalidLength:
      true
    default: false
    }
  }
}
