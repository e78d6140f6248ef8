// SPDX-License-Identifier: MIT

/// What centrals may do with the value of a local characteristic.
public struct CBAttributePermissions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Makes a set of the bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// They may read it.
  public static let readable = CBAttributePermissions(rawValue: 0x01)
  /// They may write it.
  public static let writeable = CBAttributePermissions(rawValue: 0x02)
  /// They may read it over an encrypted link.
  public static let readEncryptionRequired = CBAttributePermissions(rawValue: 0x04)
  /// They may write it over an encrypted link.
  public static let writeEncryptionRequired = CBAttributePermissions(rawValue: 0x08)
}
