// SPDX-License-Identifier: MIT

/// The abilities of a pairing agent, or of the person behind it.
public struct PairingAbilities: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Makes a set of abilities from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The agent can show six digits.
  public static let shows = PairingAbilities(rawValue: 1)
  /// The agent can say whether two numbers are the same.
  public static let confirms = PairingAbilities(rawValue: 2)
  /// The agent can type six digits.
  public static let types = PairingAbilities(rawValue: 4)
}
