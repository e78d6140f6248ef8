// SPDX-License-Identifier: MIT

/// A number that is not an integer: IEEE 754 or IEEE 11073, and its scale.
struct RealShape: Sendable, Hashable {
  enum Encoding: Sendable, Hashable {
    case ieee(RealFormat)
    case medical(MedicalFloat)
  }

  var encoding: Encoding
  /// Its divisor is 1.
  var scale: LinearScale

  init(_ encoding: Encoding, scale: LinearScale = LinearScale()) {
    (self.encoding, self.scale) = (encoding, scale)
  }

  /// The size in bytes.
  var size: Int {
    switch encoding {
    case .ieee(let format): format.size
    case .medical(let format): format.size
    }
  }

  /// Decodes a number with its digits, or a special pattern as a word.
  ///
  /// An IEEE 754 number is always decimal, an IEEE 11073 one only if it has decimals.
  func value(of bytes: ArraySlice<UInt8>) -> DecodedValue {
    switch encoding {
    case .ieee(let format):
      let text = format.decode(bytes)
      return DecimalNumber(text).map { .decimal(scaled($0)) } ?? .text(text)
    case .medical(let format):
      let text = format.decode(bytes)
      guard let digits = DecimalNumber(text) else { return .text(text) }
      let number = scaled(digits)
      guard (0...11).contains(number.exponent) else { return .decimal(number) }
      return .integer((0..<number.exponent).reduce(number.mantissa) { product, _ in product * 10 })
    }
  }

  private func scaled(_ number: DecimalNumber) -> DecimalNumber {
    scale.isIdentity ? number : scale.number(number)
  }

  /// Encodes a number in the unit of the field, or a special word.
  func encode(_ text: String) throws(FormatError) -> [UInt8] {
    guard !scale.isIdentity, let number = DecimalNumber(text) else { return try encode(raw: text) }
    guard let raw = scale.rawDecimal(number) else { throw FormatError(text, "is out of range") }
    return try encode(raw: "\(raw.mantissa)e\(raw.exponent)")
  }

  private func encode(raw text: String) throws(FormatError) -> [UInt8] {
    switch encoding {
    case .ieee(let format): try format.encode(text)
    case .medical(let format): try format.encode(text)
    }
  }
}
