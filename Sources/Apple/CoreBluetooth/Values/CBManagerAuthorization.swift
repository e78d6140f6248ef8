// SPDX-License-Identifier: MIT

/// The program's permission to use Bluetooth.
///
/// On Linux, the policy of the bus decides.
public enum CBManagerAuthorization: Int, Sendable {
  /// Not requested yet; never on Linux.
  case notDetermined = 0
  /// Restricted by the system; never on Linux.
  case restricted
  /// The policy of the bus denies access to BlueZ.
  case denied
  /// The program may use Bluetooth.
  case allowedAlways
}
