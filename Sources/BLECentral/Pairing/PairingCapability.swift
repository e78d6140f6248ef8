// SPDX-License-Identifier: MIT

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
