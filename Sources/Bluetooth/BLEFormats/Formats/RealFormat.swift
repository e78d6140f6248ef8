// SPDX-License-Identifier: MIT

/// The encoding of an IEEE 754 number: `f32`, `f64`, and the big-endian variants.
package struct RealFormat: Sendable, Hashable {
  /// In bytes: 4 or 8.
  package let size: Int
  package let isBigEndian: Bool

  /// All formats, the little-endian ones first.
  package static let all = [false, true].flatMap { isBigEndian in
    [4, 8].map { RealFormat(size: $0, isBigEndian: isBigEndian) }
  }

  /// The single precision of most devices, little-endian.
  static let f32 = RealFormat(size: 4, isBigEndian: false)

  /// Its name on the command line.
  package var word: String { "f\(8 * size)\(isBigEndian ? "be" : "")" }

  /// Decodes ``size`` bytes to the shortest digits that read back as the same number.
  package func decode(_ bytes: some BidirectionalCollection<UInt8>) -> String {
    let pattern =
      isBigEndian
      ? bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      : bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return size == 4
      ? Float(bitPattern: UInt32(truncatingIfNeeded: pattern)).description
      : Double(bitPattern: pattern).description
  }

  /// Encodes the number nearest to a text, `1.5`, `-2e-3`, `nan` or `inf`; throws if it is too large.
  package func encode(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    let text = String(text)
    let pattern: UInt64
    let isFinite: Bool
    switch size {
    case 4:
      guard let number = Float(text) else { throw FormatError(text, "is not a number") }
      (pattern, isFinite) = (UInt64(number.bitPattern), number.isFinite)
    default:
      guard let number = Double(text) else { throw FormatError(text, "is not a number") }
      (pattern, isFinite) = (number.bitPattern, number.isFinite)
    }
    // An infinity that was written with digits is an overflow.
    if !isFinite, text.contains(where: \.isNumber), !text.lowercased().hasPrefix("nan") {
      throw FormatError(text, "is too large for \(word)")
    }
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: pattern >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
