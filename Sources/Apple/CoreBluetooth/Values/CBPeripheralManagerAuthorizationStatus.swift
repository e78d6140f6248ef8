// SPDX-License-Identifier: MIT

/// The program's permission to act as a peripheral, before iOS 13.
@available(*, deprecated, renamed: "CBManagerAuthorization")
public enum CBPeripheralManagerAuthorizationStatus: Int, Sendable {
  /// See ``CBManagerAuthorization/notDetermined``.
  case notDetermined = 0
  /// See ``CBManagerAuthorization/restricted``.
  case restricted
  /// See ``CBManagerAuthorization/denied``.
  case denied
  /// See ``CBManagerAuthorization/allowedAlways``.
  case authorized
}
