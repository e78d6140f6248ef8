// SPDX-License-Identifier: MIT
internal import BLECentral
package import BLEFormats
internal import JSON
package import ValueStreams

/// The values that `expect` waits for: bytes, perhaps with wildcards, a number in a format, or a field.
package struct ValuePattern: Sendable {
  package enum Kind: Sendable, Hashable {
    /// `9f54??`, `u16:1000`.
    case bytes([MaskedByte])
    /// `u16 100..200`, `utf8 = hello`.
    case format(ValueFormat, ValueCondition)
    /// `heart_rate_bpm > 40`, `temperature_celsius > 25 and not humidity_percent < 40`.
    case fields(FieldCondition)
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
    if !isPart, let condition = try FieldCondition(joined: text) {
      return try fields(condition, of: attribute)
    } else if let match = text.wholeMatch(
      of: /([A-Za-z_][A-Za-z0-9_]*) *(<=|=<|>=|=>|==|!=|<>|<|>|=|≤|≥|≠) *(.*)/)
    {
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
    return try fields(.comparison(FieldComparison(subject, condition)), of: attribute)
  }

  /// A condition on fields that exist, and on values that they can have, as far as the layout is known.
  private static func fields(
    _ condition: FieldCondition, of attribute: AttributeIdentity?
  ) throws(ArgumentError) -> Kind {
    let condition = try condition.mapFields { name throws(ArgumentError) in try key(name, for: attribute) }
    if let layout = attribute.flatMap({ Vocabulary.known.layout(of: $0) }) {
      let fields = layout.knownFields
      if let problem = condition.problem({ key in fields.first { $0.key == key }?.values ?? .any }) {
        throw problem
      }
    }
    return .fields(condition)
  }

  /// The key of a field that is known to have this name; the name itself if only the device knows.
  private static func key(
    _ subject: String, for attribute: AttributeIdentity?
  ) throws(ArgumentError) -> String {
    guard let attribute else { return subject }
    guard let layout = Vocabulary.known.layout(of: attribute) else {
      throw ArgumentError(
        subject,
        "is not a format, and no fields of \(attribute.title) are known; a profile names them: --profile FILE"
      )
    }
    guard let key = layout.key(named: subject) else {
      let keys = layout.shownKeys
      let advice =
        Spelling.advice(for: subject, among: keys) ?? "its fields are \(keys.joined(separator: ", "))"
      throw ArgumentError(subject, "is not a field of \(attribute.title); \(advice)")
    }
    return key
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
    case .fields: return slice
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
    case .fields(let condition):
      let decoded = meaning?.decode(bytes)
      if decoded?.hasWrongChecksum == true { return false }
      return condition.holds { name in decoded?[meaning?.key(named: name) ?? name] } ?? false
    }
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
    case .fields(let condition):
      let decoded = meaning?.decode(bytes)
      // The key of a handle is known only now.
      let fields = condition.names.map { name in (name, decoded?[meaning?.key(named: name) ?? name]) }
      let known = fields.compactMap { name, value in value.map { "\(name) \($0.text)" } }
      let missing = fields.compactMap { name, value in value == nil ? name : nil }
      if let decoded, decoded.hasWrongChecksum {
        let problems = decoded.problems.joined(separator: "; ")
        return "\(digits), whose checksum is wrong: \(problems)"
      }
      if known.isEmpty { return "\(digits), without \(missing.joined(separator: " and "))" }
      return "\(known.joined(separator: ", ")) (\(digits))"
    }
  }
}
