// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import Foundation

/// Whether Bluetooth can be used.
public enum CBManagerState: Int, Sendable {
  /// Not known yet.
  case unknown = 0
  /// bluetoothd or the bus was lost; another state follows.
  case resetting
  /// No adapter exists, or no bluetoothd.
  case unsupported
  /// The policy of the bus denies access to BlueZ.
  case unauthorized
  /// The adapter is off, or blocked by rfkill.
  case poweredOff
  /// Bluetooth can be used.
  case poweredOn
}

/// Whether the program may use Bluetooth; on Linux the policy of the bus decides.
public enum CBManagerAuthorization: Int, Sendable {
  /// Not asked yet; never on Linux.
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

/// Whether the program may be a peripheral, before iOS 13.
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

/// A duration in seconds; Foundation for Linux lacks the name.
public typealias CFTimeInterval = Double

/// A moment, in seconds since 2001-01-01 00:00 UTC; Foundation for Linux lacks the name.
public typealias CFAbsoluteTime = CFTimeInterval

/// The current time, in seconds since 2001-01-01 00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
