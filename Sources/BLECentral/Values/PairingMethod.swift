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

/// A pairing that has succeeded.
public struct PairingOutcome: Sendable, Hashable {
  /// How the devices have paired.
  public let method: PairingMethod
  /// Whether the keys are kept for the next connection.
  ///
  /// BlueZ keeps none while the adapter is not pairable, nor where the device does not want it.
  public let isBonded: Bool

  /// Makes an outcome.
  public init(method: PairingMethod, isBonded: Bool) {
    self.method = method
    self.isBonded = isBonded
  }
}

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

/// The number of a pairing, which people type or compare: six decimal digits.
public struct Passkey: Sendable, Hashable, CustomStringConvertible, LosslessStringConvertible {
  /// The number, 0 to 999999.
  public let value: UInt32

  /// Makes a passkey from a number; nil above 999999.
  public init?(_ value: UInt32) {
    guard value <= 999_999 else { return nil }
    self.value = value
  }

  /// Makes a passkey from what a person typed: one to six decimal digits.
  ///
  /// Leading zeros may be left out.
  public init?(_ description: String) {
    let digits = description.utf8
    guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = UInt32(description)
    else { return nil }
    self.value = value
  }

  /// The six digits, as a device shows them: `042017`.
  public var description: String {
    let digits = String(value)
    return String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }
}
