// SPDX-License-Identifier: MIT

/// The key that encrypts the advertisements of a sensor: 16 bytes, or 12 for MiBeacon 2 and 3.
///
/// A key never prints its bytes.
///
/// ```swift
/// let key = try BindKey(parsing: "231d39c1d7cc1ab1aee224cd096db932")
/// print(key)                                           // "BindKey(…)"
/// ```
public struct BindKey: Sendable, Hashable {
  let bytes: [UInt8]

  /// Creates a key of 16 or 12 bytes; returns nil for other lengths.
  public init?(bytes: some Collection<UInt8>) {
    guard [16, 12].contains(bytes.count) else { return nil }
    self.bytes = Array(bytes)
  }

  /// Parses 32 or 24 hexadecimal digits of any case, with or without `:` or blanks between groups.
  ///
  /// - Throws: an error that does not contain the text.
  public init(parsing text: some StringProtocol) throws(SecretKeyError) {
    bytes = try SecretKeyError.bytes(text, counts: [16, 12])
  }
}

extension BindKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// `BindKey(…)`, without the bytes.
  public var description: String { "BindKey(…)" }
  /// `BindKey(…)`, without the bytes.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` does not print the bytes.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
