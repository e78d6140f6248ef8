// SPDX-License-Identifier: MIT

/// The method by which two devices paired; the specification calls it the association model.
public enum PairingMethod: String, Sendable, Hashable, CaseIterable {
  /// Without a number: the link is encrypted, but not protected against a man in the middle.
  case justWorks = "just-works"
  /// One side showed a passkey, and it was typed on the other side.
  case passkey
  /// Both sides showed a number, and people confirmed that the numbers match.
  case numericComparison = "numeric-comparison"
  /// Both sides have the same PIN: BR/EDR pairing before version 2.1.
  case pin

  /// True if the method detects a man in the middle.
  public var protectsAgainstInterception: Bool { self == .passkey || self == .numericComparison }
}
