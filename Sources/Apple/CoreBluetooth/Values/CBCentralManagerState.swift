// SPDX-License-Identifier: MIT

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
