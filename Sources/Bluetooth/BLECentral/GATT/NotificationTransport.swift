// SPDX-License-Identifier: MIT

/// The transport of notifications from BlueZ to this process.
public enum NotificationTransport: String, Sendable, Hashable, CaseIterable {
  /// As signals on the bus: StartNotify.
  ///
  /// Other programs may subscribe too.
  case signal
  /// Over a separate socket: AcquireNotify.
  ///
  /// It is cheaper and exclusive. It is dangerous before BlueZ 5.84: a failed subscription leaves the daemon
  /// stuck with the socket, and may crash it.
  case socket
}
