// SPDX-License-Identifier: MIT
internal import DBus

/// Why BlueZ, or the bus on its behalf, refused a call.
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
      self = .connectionFailed(text)
    default:
      guard let error = ATTError(blueZText: text) else { return nil }
      self = .attribute(error)
    }
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
