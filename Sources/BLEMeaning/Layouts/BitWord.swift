// SPDX-License-Identifier: MIT

/// A little-endian word whose bits are fields: flags, status, features.
struct BitWord: Sendable {
  /// How many bytes it takes.
  var size: Int
  /// Whether other parts depend on it.
  var isFlags: Bool
  /// The fields, in the order in which they are shown.
  var fields: [BitField]
  /// The bits that say which parts there are; they are no fields.
  var presenceMask = 0

  /// Every bit that has a meaning.
  var knownMask: Int { fields.reduce(presenceMask) { $0 | $1.knownMask } }
}

/// A field of one or several bits of a word.
struct BitField: Sendable {
  /// What the bits are.
  enum Kind: Sendable {
    /// A state out of a list.
    case choice(Choice)
    /// Names of the bits that are set, from the lowest on; nil for those that are reserved.
    case set([String?])
    /// A number.
    case number(NumberShape)
  }

  var key: String
  var label: String
  var unit: String
  var shift: Int
  var width: Int
  var kind: Kind
  /// What the flags have to be for the field to say anything; nil where it always does.
  var condition: FlagCondition?

  /// The bits in the word.
  var mask: Int { ((1 << width) - 1) << shift }

  /// The bits that have a meaning.
  var knownMask: Int {
    guard case .set(let names) = kind else { return mask }
    return names.indices.reduce(0) { names[$1] == nil ? $0 : $0 | 1 << ($1 + shift) }
  }

  /// The number that the bits make.
  func raw(in word: Int) -> Int { (word & mask) >> shift }

  /// The field, which says something only where the flags are so.
  func when(_ bit: Int, is isSet: Bool = true) -> BitField {
    var field = self
    field.condition = FlagCondition(mask: 1 << bit, value: isSet ? 1 << bit : 0)
    return field
  }

  /// A state out of a list.
  static func choice(
    _ key: String, _ label: String = "", bits: ClosedRange<Int>, _ choice: Choice
  ) -> BitField {
    BitField(
      key: key, label: label, unit: "", shift: bits.lowerBound, width: bits.count, kind: .choice(choice))
  }

  /// True or false.
  static func bool(_ key: String, _ label: String, bit: Int) -> BitField {
    choice(key, label, bits: bit...bit, .yesOrNo)
  }

  /// The names of the bits that are set.
  static func set(_ key: String, _ names: [String?]) -> BitField { set(key, "", names) }

  /// The names of the bits that are set, from one on.
  static func set(_ key: String, _ label: String, from shift: Int = 0, _ names: [String?]) -> BitField {
    BitField(key: key, label: label, unit: "", shift: shift, width: names.count, kind: .set(names))
  }

  /// A number without a sign.
  static func number(
    _ key: String, _ label: String = "", bits: ClosedRange<Int>, unit: String = "",
    specials: [NumberShape.Special] = []
  ) -> BitField {
    BitField(
      key: key, label: label, unit: unit, shift: bits.lowerBound, width: bits.count,
      kind: .number(NumberShape(width: ByteWidth(size: 4, isSigned: false), specials: specials)))
  }
}
