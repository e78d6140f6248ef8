// SPDX-License-Identifier: MIT

/// A scaled integer as the GATT Specification Supplement describes it, `raw * M * 10^d * 2^b`; or with another scale.
struct NumberShape: Sendable {
  /// A raw value that is not a number.
  struct Special: Sendable, Hashable {
    var raw: Int
    var word: String
  }

  var width: ByteWidth
  var scale: LinearScale
  var specials: [Special] = []
  /// The valid raw values, apart from the special ones; nil if all are valid.
  var allowed: ClosedRange<Int>?

  init(
    width: ByteWidth, scale: LinearScale = LinearScale(), specials: [Special] = [],
    allowed: ClosedRange<Int>? = nil
  ) { (self.width, self.scale, self.specials, self.allowed) = (width, scale, specials, allowed) }

  /// Creates a shape as the supplement describes it; `binary` is zero or negative.
  init(
    width: ByteWidth, multiplier: Int = 1, decimal: Int = 0, binary: Int = 0, specials: [Special] = [],
    allowed: ClosedRange<Int>? = nil
  ) {
    let scale = LinearScale(multiplier: multiplier, decimal: decimal, divisor: 1 << -binary)
    self.init(width: width, scale: scale, specials: specials, allowed: allowed)
  }

  /// Returns the value of a raw integer that ``ByteWidth/decode(_:)`` returned.
  ///
  /// Without decimals, a number that `Int` cannot represent is a text with all its digits.
  func value(of raw: Int) -> DecodedValue {
    if let special = specials.first(where: { $0.raw == raw }) { return .text(special.word) }
    if scale.divisor == 1, raw >= 0 || width.isSigned || width.size < 8 {
      let (product, isTooLarge) = raw.multipliedReportingOverflow(by: scale.multiplier)
      let (sum, isOutside) = product.addingReportingOverflow(scale.offset)
      if !isTooLarge, !isOutside {
        return scale.decimal == 0
          ? .integer(sum) : .decimal(DecimalNumber(mantissa: sum, exponent: scale.decimal))
      }
    }
    let number = width.number(raw)
    if scale.divisor == 1, scale.decimal == 0 {
      let wide = number * Int128(scale.multiplier) + Int128(scale.offset)
      return Int(exactly: wide).map { .integer($0) } ?? .text(wide.description)
    }
    return .decimal(scale.number(number))
  }

  /// The valid raw values, of a width for which `Int` has room.
  var range: ClosedRange<Int> { allowed ?? width.range }

  func isAllowed(_ raw: Int) -> Bool { allowed?.contains(raw) ?? true || specials.contains { $0.raw == raw } }

  /// Returns the raw integer for a number in the unit of the field, which is rounded, or for a special word.
  ///
  /// An unsigned one of eight bytes may have the bit pattern of a negative number.
  func raw(of text: String) throws(FormatError) -> Int {
    let word = text.lowercased()
    if let special = specials.first(where: { $0.word.lowercased() == word }) { return special.raw }
    let raw: Int128?
    if scale.isIdentity, let integer = Int128(text) {
      raw = integer
    } else {
      guard let number = DecimalNumber(text) else { throw FormatError(text, "is not a number") }
      raw = scale.raw(number)
    }
    guard let raw, width.wholeRange.contains(raw), isAllowed(Int(truncatingIfNeeded: raw)) else {
      throw FormatError(text, "is out of range: \(limits)")
    }
    return Int(truncatingIfNeeded: raw)
  }

  private var limits: String {
    let range = allowed.map { Int128($0.lowerBound)...Int128($0.upperBound) } ?? width.wholeRange
    var plain = self
    plain.specials = []
    let ends = [range.lowerBound, range.upperBound].map { plain.value(of: Int(truncatingIfNeeded: $0)).text }
    return scale.multiplier < 0 ? "\(ends[1]) to \(ends[0])" : "\(ends[0]) to \(ends[1])"
  }
}
