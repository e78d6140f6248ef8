// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus

extension DeviceSession {
  /// The reason behind an error: BlueZ answers requests that end with the link with ATT error 0x0e, for example.
  func explain(
    _ error: BLEError, _ operation: Operation, in central: isolated CentralManager
  ) async -> BLEError {
    if error.code == .timedOut || error.code == .cancelled {
      var error = error
      error.mayHaveTakenEffect = true
      return error.code == .timedOut ? explainSilence(error, in: central) : error
    }
    if error.code == .notPaired { return explainSecurity(error, in: central) }
    if error.code == .disconnected {
      return explainEnd(await reasonOfNoLink(operation, in: central).caused(by: error), in: central)
    }
    guard error.attError == .unlikelyError || [.failed, .notFound].contains(error.code) else { return error }
    do throws(BLEError) {
      guard try await waitForEnd(Operation(operation.action, timeout: .milliseconds(100)), in: central) else {
        return error
      }
    } catch let outage {
      return outage.code == .cancelled ? error : outage
    }
    var lost = await reasonOfNoLink(operation, in: central).caused(by: error)
    lost.mayHaveTakenEffect = true
    return explainEnd(lost, in: central)
  }
}

extension DeviceSession {
  /// What may be missing: BlueZ 5.87 ends the link of a request that needs other keys while no agent is registered.
  private func explainEnd(_ error: BLEError, in central: isolated CentralManager) -> BLEError {
    guard error.code == .disconnected, link.isLostByBlueZ else { return error }
    var error = error
    error.message = "BlueZ ended the link"
    return explainSilence(error, in: central)
  }

  /// What may be missing: BlueZ never answers a request that needs other keys while no agent is registered, or one that can
  /// neither show nor type the passkey for them.
  private func explainSilence(_ error: BLEError, in central: isolated CentralManager) -> BLEError {
    guard let device = central.model.devices[path] else { return error }
    let lacksAgent = central.model.adapters[device.adapterPath]?.isPairable == false
    let lacksPasskey = device.isPaired && central.agent.registration?.capability == .noInputNoOutput
    guard lacksAgent || lacksPasskey else { return error }
    var error = error
    if bond.keys(isPaired: device.isPaired) == .lost {
      error.message =
        (error.code == .timedOut ? "no answer" : error.message) + ": BlueZ has lost the keys of the pairing"
      error.code = .bondLost
    } else {
      error.advice = device.isPaired ? .pairAgain : .pair
    }
    return error
  }

  /// What is wrong with the keys: BlueZ says "Not paired" in all cases.
  private func explainSecurity(_ error: BLEError, in central: isolated CentralManager) -> BLEError {
    var error = error
    switch bond.keys(isPaired: central.model.devices[path]?.isPaired == true) {
    case .kept:
      error.code = .pairingTooWeak
      error.message = "the device wants to be paired with a passkey, or has lost the keys of this pairing"
    case .lost:
      error.code = .bondLost
      error.message = "BlueZ has lost the keys of the pairing"
    case .none: break
    }
    return error
  }
}

extension BLEError {
  /// Whether another request is under way on the same attribute, of another program or one of ours that timed out, or
  /// another program holds the attribute's socket for writing: all of these end.
  var isForeignRequest: Bool {
    cause == .inProgress || cause == .writeAcquired
  }

  /// The same; "no answer" instead of ATT error 0x0e where BlueZ has waited for the answer as long as it does.
  func afterSilence(of time: Duration, _ operation: Operation) -> BLEError {
    guard attError == .unlikelyError, time >= AttributeSession.answerTime else { return self }
    return operation.error(.timedOut, "no answer within 30 s: BlueZ closes the link").caused(by: self)
  }

  /// Whether the device itself has answered with this error.
  ///
  /// ATT error 0x0e does not count: BlueZ also uses it when the link is lost, or nothing was answered for 30 s.
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
