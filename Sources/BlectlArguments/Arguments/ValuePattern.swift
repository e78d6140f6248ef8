// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEMeaning
internal import JSON
package import ValueStreams

/// The values that `expect` waits for: bytes, perhaps with wildcards, a number in a format, or a field.
package struct ValuePattern: Sendable {
  package enum Kind: Sendable, Hashable {
    /// `9f54??`, `u16:1000`.
    case bytes([MaskedByte])
    /// `u16 100..200`, `utf8 = hello`.
    case format(ValueFormat, ValueCondition)
    /// `heart_rate_bpm > 40`.
    case field(String, ValueCondition)
  }

  package let kind: Kind
  package let text: String
  /// The bytes that are compared; nil for the whole value.
  private let slice: ByteSlice?

  /// Parses words, which may also be separated in other places; `attribute` is nil if only the device knows it.
  package init(_ words: [String], for attribute: AttributeIdentity?) throws(ArgumentError) {
    let text = words.joined(separator: " ")
    self.text = text
    guard let (slice, rest) = try ByteSlice.split(text) else {
      (kind, slice) = (try Self.kind(of: text, for: attribute, isPart: false), nil)
      return
    }
    kind = try Self.kind(of: rest, for: attribute, isPart: true)
    self.slice = try kind.fitted(slice)
  }

  /// `isPart` is for a part of the value, which has no fields.
  private static func kind(
    of text: String, for attribute: AttributeIdentity?, isPart: Bool
  ) throws(ArgumentError) -> Kind {
    if let match = text.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_]*) *(<=|>=|==|!=|<|>|=) *(.*)/) {
      let condition = try ValueCondition(String(match.2), String(match.3))
      return try kind(String(match.1), condition, for: attribute, isPart: isPart)
    } else if let match = text.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_]*) +(\S+?)\.\.(\S+)/) {
      let condition = try ValueCondition(from: match.2, to: match.3)
      return try kind(String(match.1), condition, for: attribute, isPart: isPart)
    } else if text.contains("?"), text.allSatisfy({ $0.isHexDigit || "?: xX".contains($0) }) {
      return .bytes(try Self.wildcards(text))
    } else if text == "-" || text.hasPrefix("@") {
      throw ArgumentError(text, "is not a pattern; write the bytes themselves")
    } else {
      return .bytes(
        try ValueSource.typedBytes(text, for: attribute).map { MaskedByte(value: $0, mask: 0xff) })
    }
  }

  private static func kind(
    _ subject: String, _ condition: ValueCondition, for attribute: AttributeIdentity?, isPart: Bool
  ) throws(ArgumentError) -> Kind {
    if let format = try? ValueFormat(parsing: subject) {
      guard format != .auto, format != .raw else {
        throw ArgumentError(subject, "cannot be compared; use a field, or a format such as u16")
      }
      if format.numberSize == nil, condition.needsNumber {
        throw ArgumentError(subject, "has no order; use '=' or '!='")
      }
      if let problem = condition.problem(with: format) { throw problem }
      return .format(format, condition)
    }
    if isPart {
      let advice = Spelling.advice(for: subject, among: ValueFormat.words) ?? "use one such as u16 or utf8"
      throw ArgumentError(subject, "is not a format; \(advice)")
    }
    guard let attribute else { return .field(subject, condition) }
    guard let layout = Vocabulary.known.layout(of: attribute) else {
      throw ArgumentError(subject, "is not a format, and no fields of \(attribute.uuid) are known")
    }
    guard let key = layout.key(named: subject) else {
      let keys = layout.shownKeys
      let advice =
        Spelling.advice(for: subject, among: keys) ?? "its fields are \(keys.joined(separator: ", "))"
      throw ArgumentError(subject, "is not a field of \(attribute.uuid); \(advice)")
    }
    return .field(key, condition)
  }

  /// Hexadecimal digits with `?` for any digit.
  private static func wildcards(_ text: String) throws(ArgumentError) -> [MaskedByte] {
    let plain = text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]
    if let bytes = MaskedByte.bytes(plain) { return bytes }
    let digits = plain.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ":") }
    throw ArgumentError(
      text,
      digits.count.isMultiple(of: 2)
        ? "is not hexadecimal digits with '?' for any digit" : "has an odd number of digits; '??' is any byte"
    )
  }
}

extension ValuePattern.Kind {
  /// Returns the slice with its end known, for this pattern.
  fileprivate func fitted(_ slice: ByteSlice) throws(ArgumentError) -> ByteSlice {
    switch self {
    case .bytes(let bytes):
      return try slice.fitted(to: bytes.count, repeats: false, "the pattern")
    case .format(let format, _):
      return try slice.fitted(to: format.numberSize, repeats: true, format.word)
    case .field: return slice
    }
  }
}

extension ValuePattern {
  package func matches(_ bytes: [UInt8], _ meaning: ValueMeaning?) -> Bool {
    guard let bytes = slice.map({ $0.bytes(of: bytes) }) ?? bytes else { return false }
    switch kind {
    case .bytes(let wanted):
      return bytes.count == wanted.count && zip(bytes, wanted).allSatisfy { ($0 ^ $1.value) & $1.mask == 0 }
    case .format(let format, let condition):
      guard let text = format.decode(bytes) else { return false }
      guard format.numberSize != nil else { return condition.holds(text) }
      let numbers = text.split(separator: " ")
      return !numbers.isEmpty && numbers.allSatisfy { condition.holds(String($0)) }
    case .field(let key, let condition):
      guard let value = value(of: key, in: bytes, meaning) else { return false }
      if case .list(let values) = value { return values.contains { condition.holds($0.text) } }
      return condition.holds(value.text)
    }
  }

  private func value(of key: String, in bytes: [UInt8], _ meaning: ValueMeaning?) -> DecodedValue? {
    // The key of a handle is known only now.
    meaning?.decode(bytes)?[meaning?.key(named: key) ?? key]
  }

  /// A value as the pattern sees it: `27 (1b00)`, or `27 ([2..4] of 9f541b00)`.
  package func shown(_ bytes: [UInt8], _ meaning: ValueMeaning?) -> String {
    let digits = bytes.isEmpty ? "no bytes" : Hex.string(bytes)
    guard let slice else { return shown(bytes, as: digits, meaning) }
    guard let part = slice.bytes(of: bytes) else { return "\(digits), which has no \(slice.text)" }
    return shown(part, as: "\(slice.text) of \(digits)", meaning)
  }

  /// `digits` stand for the bytes.
  private func shown(_ bytes: [UInt8], as digits: String, _ meaning: ValueMeaning?) -> String {
    switch kind {
    case .bytes: return slice == nil ? digits : "\(Hex.string(bytes)) (\(digits))"
    case .format(let format, _):
      return format.decode(bytes).map { "\($0) (\(digits))" } ?? "\(digits), which is not \(format.word)"
    case .field(let key, _):
      return value(of: key, in: bytes, meaning).map { "\(key) \($0.text) (\(digits))" }
        ?? "\(digits), without \(key)"
    }
  }
}

/// A condition on a decoded number or text: `> 40`, `= wrist`, `100..200`.
package enum ValueCondition: Sendable, Hashable {
  package enum Order: String, Sendable {
    case less = "<"
    case atMost = "<="
    case greater = ">"
    case atLeast = ">="
  }

  case ordered(Order, Double)
  case equal(String)
  case unequal(String)
  /// Includes both bounds.
  case within(Double, Double)

  package init(_ sign: String, _ operand: String) throws(ArgumentError) {
    if operand.isEmpty { throw ArgumentError(sign, "needs a value behind it") }
    switch sign {
    case "=", "==": self = .equal(operand)
    case "!=": self = .unequal(operand)
    default:
      guard let order = Order(rawValue: sign), let number = Self.number(operand) else {
        throw ArgumentError(operand, "is not a number")
      }
      self = .ordered(order, number)
    }
  }

  package init(from first: some StringProtocol, to last: some StringProtocol) throws(ArgumentError) {
    guard let low = Self.number(first) else { throw ArgumentError(first, "is not a number") }
    guard let high = Self.number(last) else { throw ArgumentError(last, "is not a number") }
    if low > high { throw ArgumentError("\(first)..\(last)", "is empty; the smaller number comes first") }
    self = .within(low, high)
  }

  /// Why no value, or every value, of a format satisfies the condition; nil if it makes sense.
  package func problem(with format: ValueFormat) -> ArgumentError? {
    guard format.numberSize != nil else { return nil }
    var bounds: [Double] = []
    switch self {
    case .ordered(_, let bound): bounds = [bound]
    case .within(let low, let high): bounds = [low, high]
    case .equal(let text), .unequal(let text):
      if case .integer(let integer) = format, let number = Int128(text) {
        return integer.range.contains(number) ? nil : Self.misfit(text, integer)
      }
      guard let number = Self.number(text) else {
        // Floating-point formats have values that are words, such as nan.
        guard case .integer = format else { return nil }
        return ArgumentError(text, "is not a number")
      }
      bounds = [number]
    }
    guard case .integer(let integer) = format else { return nil }
    let limits = Double(integer.range.lowerBound)...Double(integer.range.upperBound)
    return bounds.first { !limits.contains($0) }.map { bound in
      Self.misfit(bound == bound.rounded() && abs(bound) < 1e18 ? "\(Int(bound))" : "\(bound)", integer)
    }
  }

  private static func misfit(_ text: String, _ format: IntegerFormat) -> ArgumentError {
    let range = format.range
    return ArgumentError(
      text, "does not fit \(format.word), which holds \(range.lowerBound) to \(range.upperBound)")
  }

  private static func number(_ text: some StringProtocol) -> Double? {
    DecimalNumber(text).flatMap { Double("\($0)") }
  }

  var needsNumber: Bool {
    switch self {
    case .ordered, .within: true
    case .equal, .unequal: false
    }
  }

  package func holds(_ text: String) -> Bool {
    switch self {
    case .equal(let wanted): return Self.isEqual(text, wanted)
    case .unequal(let wanted): return !Self.isEqual(text, wanted)
    case .within(let low, let high): return Self.number(text).map { low <= $0 && $0 <= high } ?? false
    case .ordered(let order, let bound):
      guard let number = Self.number(text) else { return false }
      switch order {
      case .less: return number < bound
      case .atMost: return number <= bound
      case .greater: return number > bound
      case .atLeast: return number >= bound
      }
    }
  }

  /// Texts or numbers are equal: `36.60` equals `36.6`.
  private static func isEqual(_ text: String, _ wanted: String) -> Bool {
    if text == wanted { return true }
    // Different long integers may have the same nearest real number.
    if let left = Int128(text), let right = Int128(wanted) { return left == right }
    guard let left = number(text), let right = number(wanted) else { return false }
    return left == right
  }
}
