// SPDX-License-Identifier: MIT
package import DBus

/// Why a simulation cannot be started.
package enum SimulatorError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The program `dbus-daemon` is missing.
  case busDaemonMissing
  /// The private bus did not start, for this reason.
  case busDaemonFailed(String)
  /// The bus at the given address cannot be used.
  case busUnusable(DBusError)
  /// Another program owns `org.bluez` on the bus.
  case nameTaken

  package var description: String {
    switch self {
    case .busDaemonMissing:
      "the program dbus-daemon is not installed"
    case .busDaemonFailed(let reason): "its private bus did not start: \(reason)"
    case .busUnusable(let error): "the bus cannot be used: \(error)"
    case .nameTaken: "another program owns org.bluez on this bus"
    }
  }
}
