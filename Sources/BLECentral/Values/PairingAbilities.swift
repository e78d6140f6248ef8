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

/// What both devices learn of an agent, which decides how they pair; the IO capability of the specification.
///
/// The raw value is BlueZ's name.
public enum PairingCapability: String, Sendable, Hashable, CaseIterable {
  /// It shows a passkey, which the other device types.
  case displayOnly = "DisplayOnly"
  /// It shows a number, and a person says whether it is that of the other device.
  case displayYesNo = "DisplayYesNo"
  /// It takes the passkey that the other device shows.
  case keyboardOnly = "KeyboardOnly"
  /// It can do neither: every pairing is Just Works, which does not protect against a device in between.
  case noInputNoOutput = "NoInputNoOutput"
  /// It can show, compare and type.
  case keyboardDisplay = "KeyboardDisplay"

  /// The capability of an agent with some abilities.
  public init(_ abilities: PairingAbilities) {
    self =
      if abilities.contains(.types) {
        abilities.contains(.shows) ? .keyboardDisplay : .keyboardOnly
      } else if abilities.contains(.shows) {
        abilities.contains(.confirms) ? .displayYesNo : .displayOnly
      } else {
        .noInputNoOutput
      }
  }
}
