// SPDX-License-Identifier: MIT
package import DBus

extension BLEError {
  /// Converts a D-Bus error: by its name, then by BlueZ's words, which are stable since 5.62.
  package init(_ error: DBusError, operation: String) {
    let meaning = Meaning(error)
    self.init(
      meaning.code, operation: operation, message: meaning.message ?? error.message,
      dbusName: error.name, attError: meaning.attError)
    if message.isEmpty { message = error.name }
  }
}

/// The meaning of a D-Bus error.
private struct Meaning {
  var code: BLEError.Code
  /// The library's own words, where BlueZ's are too terse.
  var message: String?
  var attError: ATTError?

  init(_ code: BLEError.Code, _ message: String? = nil, _ attError: ATTError? = nil) {
    self.code = code
    self.message = message
    self.attError = attError
  }

  init(_ error: DBusError) {
    switch error.origin {
    case .timedOut: self.init(.timedOut, "no answer in the time given")
    case .cancelled: self.init(.cancelled, "cancelled")
    case .disconnected: self.init(.busUnavailable)
    case .abandoned: self.init(.disconnected, error.message)
    case .reply:
      if let suffix = error.name.droppingPrefix(BlueZ.errorPrefix) {
        self.init(blueZ: suffix, text: error.message)
      } else {
        self.init(bus: error.name, text: error.message)
      }
    }
  }

  /// Errors of the bus and of D-Bus libraries.
  private init(bus name: String, text: String) {
    switch name {
    case ErrorName.serviceUnknown, ErrorName.nameHasNoOwner:
      self.init(.serviceUnavailable, "the Bluetooth service (org.bluez) is not running")
    case ErrorName.noReply where text.hasPrefix("Message recipient disconnected"):
      self.init(.serviceUnavailable, "the Bluetooth service ended without a reply")
    case ErrorName.noReply: self.init(.timedOut)
    case ErrorName.accessDenied:
      // The words of the bus are a line of rules and numbers.
      self.init(.accessDenied, text.hasPrefix("Rejected") ? "the policy of the bus does not permit it" : nil)
    case ErrorName.unknownObject: self.init(.notFound, "the object is gone")
    case ErrorName.unknownMethod, ErrorName.unknownInterface: self.init(.notSupported)
    case ErrorName.limitsExceeded: self.init(.busy)
    case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn"):
      self.init(.serviceUnavailable, "the Bluetooth service could not be started: \(text)")
    default: self.init(.failed)
    }
  }

  /// Errors of BlueZ: the part of the name behind `org.bluez.Error.`, and the words.
  private init(blueZ name: String, text: String) {
    switch (name, text) {
    case ("NotReady", _): self.init(.poweredOff, "the adapter is off")
    case ("Blocked", _): self.init(.blocked, "the radio is blocked (rfkill)")
    case ("InProgress", _), ("Busy", _): self.init(.busy, "an operation of the same kind is under way")
    case ("NotConnected", _), ("Failed", "Not connected"), ("Failed", "No ATT transport"):
      self.init(.disconnected, "the device is not connected")
    case ("NotPermitted", "Read not permitted"):
      self.init(.notPermitted, Meaning.refusal(.readNotPermitted), .readNotPermitted)
    case ("NotPermitted", "Write not permitted"):
      self.init(.notPermitted, Meaning.refusal(.writeNotPermitted), .writeNotPermitted)
    case ("NotPermitted", "Not paired"): self.init(.notPaired, "the device wants to be paired")
    case ("NotPermitted", let text) where text.hasSuffix("acquired"):
      self.init(.busy, "another program holds the characteristic (\(text))")
    case ("NotPermitted", "Maximum advertisements reached"):
      self.init(.notPermitted, "the adapter has no room for another advertisement")
    case ("NotPermitted", _): self.init(.notPermitted)
    case ("NotAuthorized", _):
      self.init(.notAuthorized, Meaning.refusal(.insufficientAuthorization), .insufficientAuthorization)
    case ("NotSupported", _): self.init(.notSupported)
    case ("InvalidArguments", "Invalid offset"):
      self.init(.invalidLength, Meaning.refusal(.invalidOffset), .invalidOffset)
    case ("InvalidArguments", "Invalid Length"):
      self.init(.invalidLength, Meaning.refusal(.invalidAttributeValueLength), .invalidAttributeValueLength)
    case ("DoesNotExist", _): self.init(.notFound)
    case ("AuthenticationFailed", _): self.init(.authenticationFailed, "the device refused to pair")
    case ("AuthenticationRejected", _): self.init(.pairingRejected, "the pairing was rejected")
    case ("AuthenticationCanceled", _):
      self.init(.pairingCancelled, "the pairing was cancelled, or the link was lost")
    case ("AuthenticationTimeout", _): self.init(.pairingTimedOut, "the device did not answer")
    case ("AlreadyExists", "Already Paired"): self.init(.alreadyPaired, "the device is paired already")
    case ("ConnectionAttemptFailed", _):
      self.init(.connectionFailed, "the connection could not be made (\(text))")
    case ("Failed", let text) where text.hasSuffix("-connection-key-missing"):
      self.init(.bondLostByPeer, "the device has lost the keys of the pairing (\(text))")
    case ("Failed", let text) where ATTError(blueZText: text) != nil:
      let attError = ATTError(blueZText: text)
      self.init(.attributeError, attError.map { Meaning.refusal($0) }, attError)
    case ("Failed", let text) where text.hasPrefix("le-connection-") || text.hasPrefix("br-connection-"):
      self.init(.connectionFailed, "the connection could not be made (\(text))")
    case ("NotAvailable", "br-connection-profile-unavailable"), ("BREDR.ProfileUnavailable", _):
      self.init(.connectionFailed, "the connection could not be made (\(text))")
    default: self.init(.failed)
    }
  }

  private static func refusal(_ error: ATTError) -> String {
    switch error {
    case .readNotPermitted, .writeNotPermitted: "the device does not permit it (\(error))"
    default: "the device refuses (\(error))"
    }
  }
}

extension ATTError {
  /// The code in `Operation failed with ATT error: 0x85`, or nil when the text is another.
  package init?(blueZText text: String) {
    guard let digits = text.droppingPrefix("Operation failed with ATT error: 0x"),
      let code = UInt8(digits, radix: 16)
    else { return nil }
    self.init(code: code)
  }
}

extension String {
  /// What follows a prefix, or nil when the text does not begin with it.
  package func droppingPrefix(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
