// SPDX-License-Identifier: MIT

/// A pairing number that people type or compare: six decimal digits.
public struct Passkey: Sendable, Hashable, CustomStringConvertible, LosslessStringConvertible {
  /// The number, 0 to 999999.
  public let value: UInt32

  /// Makes a passkey from a number; nil above 999999.
  public init?(_ value: UInt32) {
    guard value <= 999_999 else { return nil }
    self.value = value
  }

  /// Parses a passkey that a person typed: one to six decimal digits.
  ///
  /// Leading zeros may be omitted.
  public init?(_ description: String) {
    let digits = description.utf8
    guard (1...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = UInt32(description)
    else { return nil }
    self.value = value
  }

  /// The six digits as devices show them, such as `042017`.
  public var description: String {
    let digits = String(value)
    return String(repeating: "0", count: 6 - digits.utf8.count) + digits
  }
}
