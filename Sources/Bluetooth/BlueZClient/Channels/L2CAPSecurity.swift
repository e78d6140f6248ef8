// SPDX-License-Identifier: MIT

/// The security that the link of an L2CAP channel must have.
public enum L2CAPSecurity: UInt8, Sendable, Hashable, CaseIterable {
  /// Any link.
  case none = 1
  /// An encrypted one: the kernel pairs if the devices have not.
  case encrypted = 2
  /// An encrypted one of devices that have paired with a passkey or a comparison.
  case authenticated = 3
}
