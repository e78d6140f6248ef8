// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus

/// The errors of the daemon, of GDBus and of libdbus.
extension BlueZError {
  static let notReady = bluez("NotReady", "Resource Not Ready")
  static let invalidArguments = bluez("InvalidArguments", "Invalid arguments in method call")
  static let notSupported = bluez("NotSupported", "Operation is not supported")
  static let notAuthorized = bluez("NotAuthorized", "Operation Not Authorized")
  static let notConnected = bluez("NotConnected", "Not Connected")
  static let doesNotExist = bluez("DoesNotExist", "Does Not Exist")
  static let alreadyExists = bluez("AlreadyExists", "Already Exists")
  static let authenticationFailed = bluez("AuthenticationFailed", "Authentication Failed")
  static let authenticationCanceled = bluez("AuthenticationCanceled", "Authentication Canceled")
  static let blocked = bluez("Blocked", "Blocked through rfkill")
  static func notPermitted(_ text: String) -> BlueZError { bluez("NotPermitted", text) }
  static func invalidArguments(_ text: String) -> BlueZError { bluez("InvalidArguments", text) }
  static func named(_ name: String, _ text: String) -> BlueZError { BlueZError(name, text) }

  /// Returns libdbus's error for an unknown object, interface or method.
  static func unknown(_ name: String, _ message: Message) -> BlueZError {
    let text =
      "Method \"\(message.member ?? "")\" with signature \"\(message.signature)\" on interface "
      + "\"\(message.interface ?? "(null)")\" doesn't exist\n"
    return BlueZError(name, text)
  }

  static func noSuchInterface(_ name: String) -> BlueZError {
    BlueZError(ErrorName.invalidArguments, "No such interface '\(name)'")
  }

  static func noSuchProperty(_ name: String) -> BlueZError {
    BlueZError(ErrorName.invalidArguments, "No such property '\(name)'")
  }

  static func unknownProperty(_ name: String) -> BlueZError {
    BlueZError(ErrorName.unknownProperty, "No such property '\(name)'")
  }

  static func readOnly(_ name: String) -> BlueZError {
    BlueZError(ErrorName.propertyReadOnly, "Property '\(name)' is not writable")
  }

  static func invalidSignature(_ name: String) -> BlueZError {
    BlueZError("org.freedesktop.DBus.Error.InvalidSignature", "Invalid signature for '\(name)'")
  }
}
