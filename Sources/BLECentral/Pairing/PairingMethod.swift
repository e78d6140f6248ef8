// SPDX-License-Identifier: MIT

/// How two devices have paired: the association model of the specification.
public enum PairingMethod: String, Sendable, Hashable, CaseIterable {
  /// Nobody was asked for a number: the link is encrypted, but a device in between would not have been noticed.
  case justWorks = "just-works"
  /// One side showed a passkey, and the other one typed it.
  case passkey
  /// Both sides showed a number, and people said that it is the same one.
  case numericComparison = "numeric-comparison"
  /// Both sides have the same PIN: the pairing of BR/EDR before version 2.1.
  case pin

  /// Whether a device in between (a man in the middle) would have been noticed.
  public var protectsAgainstInterception: Bool { self == .passkey || self == .numericComparison }
}
