// SPDX-License-Identifier: MIT

/// The failure of a D-Bus operation: the name and text from the other side, verbatim, or a failure on this
/// side.
package struct DBusError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Origin: Sendable, Hashable {
    /// An error reply from the service or from the bus itself.
    case reply
    /// No reply arrived before the timeout. The operation may still be under way.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The connection to the bus was lost, or could not be opened.
    case disconnected
    /// A watcher of the service reported that no reply can arrive any more.
    case abandoned
  }

  package var origin: Origin
  /// The D-Bus error name; for a failure on this side, the name that libdbus would use.
  package var name: String
  package var message: String

  package init(_ origin: Origin, name: String, message: String) {
    self.origin = origin
    self.name = name
    self.message = message
  }

  init(reply message: Message) {
    self.init(
      .reply, name: message.errorName ?? ErrorName.failed,
      message: message.values.first?.text ?? "")
  }

  static let cancelled = DBusError(
    .cancelled, name: ErrorName.noReply, message: "the operation was cancelled")
  static let timedOut = DBusError(.timedOut, name: ErrorName.noReply, message: "no reply before the timeout")
  static let disconnected = DBusError(
    .disconnected, name: ErrorName.disconnected, message: "the connection to the bus is lost")

  package var description: String { message.isEmpty ? name : "\(name): \(message)" }
}

/// Error names of D-Bus itself.
package enum ErrorName {
  package static let failed = "org.freedesktop.DBus.Error.Failed"
  /// Something else than D-Bus came.
  package static let inconsistentMessage = "org.freedesktop.DBus.Error.InconsistentMessage"
  package static let noReply = "org.freedesktop.DBus.Error.NoReply"
  package static let disconnected = "org.freedesktop.DBus.Error.Disconnected"
  package static let serviceUnknown = "org.freedesktop.DBus.Error.ServiceUnknown"
  package static let nameHasNoOwner = "org.freedesktop.DBus.Error.NameHasNoOwner"
  package static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
  package static let unknownObject = "org.freedesktop.DBus.Error.UnknownObject"
  package static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
  package static let unknownInterface = "org.freedesktop.DBus.Error.UnknownInterface"
  package static let unknownProperty = "org.freedesktop.DBus.Error.UnknownProperty"
  package static let propertyReadOnly = "org.freedesktop.DBus.Error.PropertyReadOnly"
  package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
  package static let limitsExceeded = "org.freedesktop.DBus.Error.LimitsExceeded"
}
