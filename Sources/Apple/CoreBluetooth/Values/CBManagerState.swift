// SPDX-License-Identifier: MIT

/// The availability of Bluetooth.
public enum CBManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// bluetoothd or the bus was lost; another state follows.
  case resetting
  /// There is no adapter, or no bluetoothd.
  case unsupported
  /// The policy of the bus denies access to BlueZ.
  case unauthorized
  /// The adapter is off, or blocked by rfkill.
  case poweredOff
  /// Bluetooth can be used.
  case poweredOn
}

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

/// The state of the central role before iOS 10.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBCentralManagerState: Int, Sendable {
  /// See ``CBManagerState/unknown``.
  case unknown = 0
  /// See ``CBManagerState/resetting``.
  case resetting
  /// See ``CBManagerState/unsupported``.
  case unsupported
  /// See ``CBManagerState/unauthorized``.
  case unauthorized
  /// See ``CBManagerState/poweredOff``.
  case poweredOff
  /// See ``CBManagerState/poweredOn``.
  case poweredOn
}

/// The state of the peripheral role before iOS 10.
@available(*, deprecated, renamed: "CBManagerState")
public enum CBPeripheralManagerState: Int, Sendable {
  /// See ``CBManagerState/unknown``.
  case unknown = 0
  /// See ``CBManagerState/resetting``.
  case resetting
  /// See ``CBManagerState/unsupported``.
  case unsupported
  /// See ``CBManagerState/unauthorized``.
  case unauthorized
  /// See ``CBManagerState/poweredOff``.
  case poweredOff
  /// See ``CBManagerState/poweredOn``.
  case poweredOn
}

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
