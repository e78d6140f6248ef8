// SPDX-License-Identifier: MIT
package import DBus

extension BLEError {
  package init(_ error: DBusError, during action: Action) {
    switch error.origin {
    case .timedOut: self.init(.timedOut, during: action, "no answer before the timeout")
    case .cancelled: self.init(.cancelled, during: action, "cancelled")
    case .disconnected: self.init(.busUnavailable, during: action, error.message)
    case .abandoned: self.init(.disconnected, during: action, error.message)
    case .reply:
      let failure = BlueZFailure(name: error.name, text: error.message)
      self.init(failure.code, during: action, failure.message)
      cause = failure
      attError = failure.attError
    }
    dbusName = error.name
    if message.isEmpty { message = error.name }
  }
}

extension BlueZFailure {
  var code: BLEError.Code {
    switch self {
    case .serviceUnknown, .serviceEnded, .serviceNotStarted: .serviceUnavailable
    case .noReply: .timedOut
    case .accessDenied: .accessDenied
    case .unknownObject, .doesNotExist: .notFound
    case .unknownMethod, .notSupported: .notSupported
    case .limitsExceeded, .inProgress, .busy, .writeAcquired, .notifyAcquired: .busy
    case .notReady: .poweredOff
    case .blocked: .blocked
    case .notConnected: .disconnected
    case .readNotPermitted, .writeNotPermitted, .tooManyAdvertisements, .notPermitted: .notPermitted
    case .notPaired: .notPaired
    case .notAuthorized: .notAuthorized
    case .invalidOffset, .invalidLength: .invalidLength
    case .authenticationFailed: .authenticationFailed
    case .authenticationRejected: .pairingRejected
    case .authenticationCanceled: .pairingCancelled
    case .authenticationTimeout: .pairingTimedOut
    case .alreadyPaired: .alreadyPaired
    case .connectionFailed: .connectionFailed
    case .keyMissing: .bondLostByPeer
    case .attribute: .attributeError
    case .invalidArguments, .alreadyExists, .alreadyConnecting, .inputOutput, .connectionAborted, .hostDown,
      .other:
      .failed
    }
  }

  /// The device's answer, if it is unambiguous.
  var attError: ATTError? {
    switch self {
    case .readNotPermitted: .readNotPermitted
    case .writeNotPermitted: .writeNotPermitted
    case .notAuthorized: .insufficientAuthorization
    case .invalidOffset: .invalidOffset
    case .invalidLength: .invalidAttributeValueLength
    case .attribute(let error): error
    default: nil
    }
  }

  /// The library's words where BlueZ's are too terse, otherwise BlueZ's.
  var message: String {
    if let attError {
      return attError == .readNotPermitted || attError == .writeNotPermitted
        ? "the device does not permit it (\(attError))" : "the device refuses (\(attError))"
    }
    return switch self {
    case .serviceUnknown: "the Bluetooth service (org.bluez) is not running"
    case .serviceEnded: "the Bluetooth service ended without a reply"
    case .serviceNotStarted(let text): "the Bluetooth service could not be started: \(text)"
    // The bus lists its rules and numbers.
    case .accessDenied(let text) where text.hasPrefix("Rejected"):
      "the policy of the bus does not permit it"
    case .unknownObject: "the object is gone"
    case .notReady: "the adapter is off"
    case .blocked: "the radio is blocked (rfkill)"
    case .inProgress, .busy: "an operation of the same kind is under way"
    case .notConnected: "the device is not connected"
    case .notPaired: "the device requires pairing"
    case .writeAcquired: "another program holds the characteristic (Write acquired)"
    case .notifyAcquired: "another program holds the characteristic (Notify acquired)"
    case .tooManyAdvertisements: "the adapter has no room for another advertisement"
    case .authenticationFailed: "the device refused to pair"
    case .authenticationRejected: "the pairing was rejected"
    case .authenticationCanceled: "the pairing was cancelled, or the link was lost"
    case .authenticationTimeout: "the device did not answer"
    case .alreadyPaired: "the device is paired already"
    case .connectionFailed(let text): "the connection could not be made (\(text))"
    case .keyMissing(let text): "the device has lost the keys of the pairing (\(text))"
    case .alreadyConnecting: "Operation already in progress"
    case .inputOutput: "Input/output error"
    case .connectionAborted: "Software caused connection abort"
    case .hostDown: "Host is down"
    case .noReply(let text), .accessDenied(let text), .unknownMethod(let text), .limitsExceeded(let text),
      .notPermitted(let text), .notSupported(let text), .invalidArguments(let text),
      .doesNotExist(let text), .alreadyExists(let text), .other(_, let text):
      text
    case .readNotPermitted, .writeNotPermitted, .notAuthorized, .invalidOffset, .invalidLength, .attribute:
      ""  // which have an ATT error
    }
  }
}
