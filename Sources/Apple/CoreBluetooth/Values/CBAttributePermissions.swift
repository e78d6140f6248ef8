// SPDX-License-Identifier: MIT

/// The operations of centrals on the value of a local characteristic.
public struct CBAttributePermissions: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: UInt

  /// Makes a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Centrals may read the value.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// Centrals may write the value.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// Centrals may read the value over an encrypted link.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// Centrals may write the value over an encrypted link.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}
