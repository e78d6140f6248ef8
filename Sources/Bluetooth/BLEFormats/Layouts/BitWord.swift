// SPDX-License-Identifier: MIT

/// A word whose bits are fields: flags, status, features.
struct BitWord: Sendable {
  /// Unsigned.
  var width: ByteWidth
  /// True if the presence of other parts depends on it.
  var isFlags = false
  /// The position of the word's bits among the flags of the whole value.
  var flagShift = 0
  /// True if its fields follow all others, because they matter less.
  var isShownLast = false
  /// True if the fields must be given to encode it; otherwise, those not given are zero.
  var isRequired = false
  /// The fields, in the order in which they are shown.
  var fields: [BitField]
  /// The bits that control which parts are present; they are not fields.
  var presenceMask = 0

  /// The size in bytes.
  var size: Int { width.size }

  var knownMask: Int { fields.reduce(presenceMask) { $0 | $1.knownMask } }
}

/// A field of one or more bits of a word.
struct BitField: Sendable {
  enum Kind: Sendable {
    case choice(Choice)
    /// Names of the bits that are set, from the lowest on; nil for reserved bits.
    case set([String?])
    case number(NumberShape)
  }

  var key: String
  /// The key without the unit, if it can also be typed.
  var alias: String?
  var label: String
  var unit: String
  var shift: Int
  var width: Int
  var kind: Kind
  /// True if the highest bit is that of the sign.
  var isSigned = false
  /// The flags with which the field is valid; nil if it is always valid.
  var condition: FlagCondition?

  /// The bits of a value, not yet at their place.
  private var ones: Int { (1 << width) &- 1 }

  var mask: Int { ones << shift }

  var knownMask: Int {
    guard case .set(let names) = kind else { return mask }
    return names.indices.reduce(0) { names[$1] == nil ? $0 : $0 | 1 << ($1 + shift) }
  }

  func raw(in word: Int) -> Int {
    let bits = word >> shift & ones
    return isSigned && bits >> (width - 1) == 1 ? bits &- (1 << width) : bits
  }

  /// The bits of a value at their place; nil if it does not fit.
  func placed(_ raw: Int) -> Int? {
    let half = 1 << (width - 1)
    let range = isSigned ? -half...half - 1 : 0...ones
    return range.contains(raw) ? (raw & ones) << shift : nil
  }

  /// Returns the field, valid only with these flags.
  func when(_ bit: Int, is isSet: Bool = true) -> BitField {
    var field = self
    field.condition = FlagCondition(mask: 1 << bit, value: isSet ? 1 << bit : 0)
    return field
  }

  static func choice(
    _ key: String, _ label: String = "", bits: ClosedRange<Int>, _ choice: Choice
  ) -> BitField {
    BitField(
      key: key, label: label, unit: "", shift: bits.lowerBound, width: bits.count, kind: .choice(choice))
  }

  static func bool(_ key: String, _ label: String, bit: Int) -> BitField {
    choice(key, label, bits: bit...bit, .yesOrNo)
  }

  static func set(_ key: String, _ names: [String?]) -> BitField { set(key, "", names) }

  static func set(_ key: String, _ label: String, from shift: Int = 0, _ names: [String?]) -> BitField {
    BitField(key: key, label: label, unit: "", shift: shift, width: names.count, kind: .set(names))
  }

  static func number(
    _ key: String, _ label: String = "", bits: ClosedRange<Int>, unit: String = "",
    specials: [NumberShape.Special] = []
  ) -> BitField {
    BitField(
      key: key, label: label, unit: unit, shift: bits.lowerBound, width: bits.count,
      kind: .number(NumberShape(width: ByteWidth(size: 4, isSigned: false), specials: specials)))
  }
}
