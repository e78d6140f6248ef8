// SPDX-License-Identifier: MIT
package import DBus

/// The reason that BlueZ, or the bus on its behalf, refused a call.
///
/// Made once, where the name and the text of the error reply enter the library. A text is kept if it adds to
/// the meaning of the case.
///
/// New failures may be added: give each `switch` a `default`.
public enum BlueZFailure: Sendable, Hashable {
  /// No program owns `org.bluez`.
  case serviceUnknown
  /// bluetoothd ended before it replied.
  case serviceEnded
  /// The bus could not start bluetoothd.
  case serviceNotStarted(String)
  /// The bus ended the wait for the reply.
  case noReply(String)
  /// The policy of the bus, or bluetoothd, denies the call.
  case accessDenied(String)
  /// The object has been removed.
  case unknownObject
  /// This bluetoothd has no such method or interface.
  case unknownMethod(String)
  /// The bus reached one of its limits.
  case limitsExceeded(String)

  /// The adapter is off.
  case notReady
  /// rfkill blocks the radio.
  case blocked
  /// `InProgress`: the same request is under way.
  case inProgress
  /// `Busy`: like ``inProgress``, for the adapter.
  case busy
  /// The device has no link.
  case notConnected
  /// The attribute cannot be read.
  case readNotPermitted
  /// The attribute cannot be written.
  case writeNotPermitted
  /// The device requires pairing.
  case notPaired
  /// Another program holds the socket for writing to the characteristic.
  case writeAcquired
  /// Another program holds the socket for the notifications of the characteristic.
  case notifyAcquired
  /// The adapter cannot advertise more.
  case tooManyAdvertisements
  /// Another operation is not permitted.
  case notPermitted(String)
  /// The device requires the consent of its user.
  case notAuthorized
  /// The device or bluetoothd does not support the request.
  case notSupported(String)
  /// The offset is past the end of the value.
  case invalidOffset
  /// The value is too long or too short.
  case invalidLength
  /// Another argument is wrong.
  case invalidArguments(String)
  /// The object does not exist.
  case doesNotExist(String)
  /// The device refused to pair.
  case authenticationFailed
  /// The pairing was rejected.
  case authenticationRejected
  /// The pairing was cancelled, or its link was lost.
  case authenticationCanceled
  /// The device did not answer while pairing.
  case authenticationTimeout
  /// The device is already paired.
  case alreadyPaired
  /// Another object already exists.
  case alreadyExists(String)
  /// The link could not be established.
  case connectionFailed(String)
  /// The link could not be established, because the controller has no room for another one.
  case connectionLimit(String)
  /// The device lost the keys of the pairing.
  case keyMissing(String)
  /// The device refused a request with an ATT error.
  case attribute(ATTError)
  /// The kernel is still busy with an earlier attempt to connect.
  case alreadyConnecting
  /// The kernel reported an input/output error.
  case inputOutput
  /// The kernel aborted a connection.
  case connectionAborted
  /// The device did not answer the kernel.
  case hostDown
  /// Anything else: the D-Bus error name and the text, verbatim.
  case other(name: String, text: String)

  /// Classifies an error reply; BlueZ's texts are stable since 5.62.
  package init(name: String, text: String) {
    if let suffix = name.droppingPrefix(BlueZ.errorPrefix) {
      self = BlueZFailure(blueZ: suffix, text) ?? .other(name: name, text: text)
    } else {
      self = BlueZFailure(bus: name, text) ?? .other(name: name, text: text)
    }
  }

  private init?(bus name: String, _ text: String) {
    switch name {
    case ErrorName.serviceUnknown, ErrorName.nameHasNoOwner: self = .serviceUnknown
    case ErrorName.noReply where text.hasPrefix("Message recipient disconnected"): self = .serviceEnded
    case ErrorName.noReply: self = .noReply(text)
    case ErrorName.accessDenied: self = .accessDenied(text)
    case ErrorName.unknownObject: self = .unknownObject
    case ErrorName.unknownMethod, ErrorName.unknownInterface: self = .unknownMethod(text)
    case ErrorName.limitsExceeded: self = .limitsExceeded(text)
    case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"): self = .serviceNotStarted(text)
    default: return nil
    }
  }

  /// Classifies an error of BlueZ by the part of its name after `org.bluez.Error.`, and its text.
  private init?(blueZ name: String, _ text: String) {
    switch (name, text) {
    case ("NotReady", _): self = .notReady
    case ("Blocked", _): self = .blocked
    case ("InProgress", _): self = .inProgress
    case ("Busy", _): self = .busy
    case ("NotConnected", _), ("Failed", "Not connected"), ("Failed", "No ATT transport"):
      self = .notConnected
    case ("NotPermitted", "Read not permitted"): self = .readNotPermitted
    case ("NotPermitted", "Write not permitted"): self = .writeNotPermitted
    case ("NotPermitted", "Not paired"): self = .notPaired
    case ("NotPermitted", "Write acquired"): self = .writeAcquired
    case ("NotPermitted", "Notify acquired"): self = .notifyAcquired
    case ("NotPermitted", "Maximum advertisements reached"): self = .tooManyAdvertisements
    case ("NotPermitted", _): self = .notPermitted(text)
    case ("NotAuthorized", _): self = .notAuthorized
    case ("NotSupported", _): self = .notSupported(text)
    case ("InvalidArguments", "Invalid offset"): self = .invalidOffset
    case ("InvalidArguments", "Invalid Length"): self = .invalidLength
    case ("InvalidArguments", _): self = .invalidArguments(text)
    case ("DoesNotExist", _): self = .doesNotExist(text)
    case ("AuthenticationFailed", _): self = .authenticationFailed
    case ("AuthenticationRejected", _): self = .authenticationRejected
    case ("AuthenticationCanceled", _): self = .authenticationCanceled
    case ("AuthenticationTimeout", _): self = .authenticationTimeout
    case ("AlreadyExists", "Already Paired"): self = .alreadyPaired
    case ("AlreadyExists", _): self = .alreadyExists(text)
    case ("ConnectionAttemptFailed", _), ("BREDR.ProfileUnavailable", _),
      ("NotAvailable", "br-connection-profile-unavailable"):
      self = .connectionFailed(text)
    case ("Failed", _): self.init(failed: text)
    default: return nil
    }
  }

  /// Classifies `Failed`, whose text alone gives the reason.
  private init?(failed text: String) {
    switch text {
    case "Operation already in progress": self = .alreadyConnecting
    case "Input/output error": self = .inputOutput
    case "Software caused connection abort": self = .connectionAborted
    case "Host is down": self = .hostDown
    case let text where text.hasSuffix("-connection-key-missing"): self = .keyMissing(text)
    case let text where text.hasPrefix("le-connection-") || text.hasPrefix("br-connection-"):
      self = text.contains("connection-limit") ? .connectionLimit(text) : .connectionFailed(text)
    default:
      guard let error = ATTError(blueZText: text) else { return nil }
      self = .attribute(error)
    }
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
    case .limitsExceeded, .inProgress, .busy, .alreadyConnecting, .writeAcquired, .notifyAcquired: .busy
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
    case .connectionFailed, .connectionLimit: .connectionFailed
    case .keyMissing: .bondLostByPeer
    case .attribute: .attributeError
    case .invalidArguments, .alreadyExists, .inputOutput, .connectionAborted, .hostDown, .other:
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
    case .connectionFailed(let text), .connectionLimit(let text): "the connection could not be made (\(text))"
    case .keyMissing(let text): "the device has lost the keys of the pairing (\(text))"
    case .alreadyConnecting: "BlueZ connects to it already, for another program or for one that has ended"
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

extension ATTError {
  /// Parses the code in `Operation failed with ATT error: 0x85`.
  package init?(blueZText text: String) {
    guard let digits = text.droppingPrefix("Operation failed with ATT error: 0x"),
      let code = UInt8(digits, radix: 16)
    else { return nil }
    self.init(code: code)
  }
}

extension String {
  /// Returns the text after a prefix; nil if the text does not begin with it.
  package func droppingPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
