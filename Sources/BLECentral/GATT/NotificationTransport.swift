// SPDX-License-Identifier: MIT

/// How notifications travel from BlueZ to this process.
public enum NotificationTransport: String, Sendable, Hashable, CaseIterable {
  /// As signals of the bus: StartNotify.
  ///
  /// Other programs may subscribe too.
  case signal
  /// Over a socket of our own: AcquireNotify.
  ///
  /// It is cheaper and exclusive, and dangerous before BlueZ 5.84: a subscription that fails leaves the daemon stuck
  /// with the socket, and may crash it.
  case socket
}
