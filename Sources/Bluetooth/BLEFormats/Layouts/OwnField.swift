// SPDX-License-Identifier: MIT

/// A field of a layout of one's own, as a profile or a text describes it.
struct OwnField: Sendable, Hashable {
  /// Nil if it has none: then it is `value`, with a number if there are several.
  var name: String?
  var format: OwnFormat
  var extent: Extent?
  var scale: DecimalNumber?
  var divisor: DecimalNumber?
  var offset: DecimalNumber?
  var unit = ""
  /// The names of numbers.
  var values: [Int: String] = [:]
  /// The words for raw numbers that are none.
  var specials: [Int: String] = [:]
  var bits: [OwnBits] = []
  var conditions: [OwnCondition] = []
  /// True if it may be missing at the end.
  var isOptional = false

  init(_ format: OwnFormat, name: String? = nil) { (self.format, self.name) = (format, name) }
}

/// Some bits of an integer.
struct OwnBits: Sendable, Hashable {
  var name: String
  /// The lowest bit is 0.
  var range: ClosedRange<Int>
  var isSigned = false
  var scale: DecimalNumber?
  var divisor: DecimalNumber?
  var offset: DecimalNumber?
  var unit = ""
  var values: [Int: String] = [:]

  init(_ name: String, _ range: ClosedRange<Int>) { (self.name, self.range) = (name, range) }
}

/// The value that another field must have for a field to be present.
struct OwnCondition: Sendable, Hashable {
  /// The name of an earlier field, or of its bits.
  var name: String
  /// A number, one of its names, `true` or `false`.
  var value: String
}

/// The mistake in a description of fields, and its place.
struct OwnLayoutError: Error, Sendable, Hashable {
  /// The index of the field.
  var field: Int
  /// The key of the wrong property in a profile; nil if the field as a whole is wrong.
  var key: String?
  /// The index within that property, for bits.
  var index: Int?
  /// The reason, as the rest of a sentence.
  var reason: String
}
