// SPDX-License-Identifier: MIT

/// What an agent, or the person behind it, can do in a pairing.
public struct PairingAbilities: OptionSet, Sendable, Hashable {
  /// The bits of the set.
  public let rawValue: UInt8

  /// Makes a set of abilities from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Shows six digits.
  public static let shows = PairingAbilities(rawValue: 1)
  /// Says whether two numbers are the same.
  public static let confirms = PairingAbilities(rawValue: 2)
  /// Types six digits.
  public static let types = PairingAbilities(rawValue: 4)
}
