// SPDX-License-Identifier: MIT

/// The capability of an agent, which decides how devices pair; the specification calls it IO capability.
///
/// The raw value is BlueZ's name.
public enum PairingCapability: String, Sendable, Hashable, CaseIterable {
  /// The agent shows a passkey, which is typed on the other device.
  case displayOnly = "DisplayOnly"
  /// The agent shows a number, and a person confirms that the other device shows the same one.
  case displayYesNo = "DisplayYesNo"
  /// A person types the passkey that the other device shows.
  case keyboardOnly = "KeyboardOnly"
  /// The agent can do neither: every pairing is Just Works, which does not protect against a man in the
  /// middle.
  case noInputNoOutput = "NoInputNoOutput"
  /// The agent can show, compare and type.
  case keyboardDisplay = "KeyboardDisplay"

  /// Derives the capability from an agent's abilities.
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
