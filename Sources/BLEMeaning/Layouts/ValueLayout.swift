// SPDX-License-Identifier: MIT

/// The layout of a standard value in its bytes: a single description, used to decode and to encode it.
///
/// ```swift
/// let layout = ValueLayout(for: .heartRateMeasurement)
/// layout?.decode([0x10, 79, 0xe8, 0x03]).text          // "79 bpm, RR 0.977 s"
/// ```
public struct ValueLayout: Sendable {
  /// The source of a layout.
  public enum Source: Sendable, Hashable {
    /// The GATT Specification Supplement, in the section with the name of the characteristic.
    case supplement
    /// Another specification, by its name and section.
    case specification(String)
  }

  /// The name of the characteristic or descriptor.
  public let name: String

  /// The specification that defines it.
  public let source: Source

  /// The fields, in the order of the bytes.
  let parts: [LayoutPart]

  /// The fields of an earlier version of the specification, with other sizes; empty if there is none.
  ///
  /// The length of a value selects one of the two.
  private(set) var formerParts: [LayoutPart] = []

  /// Whether clients may write the value, so that it can be encoded from text.
  ///
  /// Every layout can encode. Tests also encode values that only servers send.
  public let isWritable: Bool

  init(_ name: String, source: Source = .supplement, isWritable: Bool = false, _ parts: LayoutPart...) {
    self.init(name, source: source, isWritable: isWritable, parts: parts)
  }

  init(_ name: String, source: Source = .supplement, isWritable: Bool = false, parts: [LayoutPart]) {
    self.name = name
    self.source = source
    self.isWritable = isWritable
    self.parts = parts
  }

  /// The layout, with other sizes in an earlier version of the specification.
  ///
  /// - Parameter former: the same fields in the same order, with the sizes of that version.
  /// - Returns: the layout that decodes both.
  func formerly(_ former: [LayoutPart]) -> ValueLayout {
    var layout = self
    layout.formerParts = former
    return layout
  }

  /// The layout of the earlier version, if any.
  var former: ValueLayout? {
    formerParts.isEmpty ? nil : ValueLayout(name, source: source, isWritable: isWritable, parts: formerParts)
  }
}

/// A part of the bytes: a field, or several fields in one word.
struct LayoutPart: Sendable {
  /// The content of the part.
  enum Content: Sendable {
    /// A field of whole bytes.
    case field(LayoutField)
    /// Several fields within a little-endian word.
    case word(BitWord)
  }

  var content: Content

  /// The flags that the part requires to be present; nil if it is always present.
  var condition: FlagCondition?

  /// Whether the part may be missing at the end, without a flag.
  var isOptional = false

  /// The part, present only if a flag has a value.
  ///
  /// - Parameters:
  ///   - bit: the number of the flag.
  ///   - isSet: the value that it requires.
  /// - Returns: the part with the condition.
  func when(_ bit: Int, is isSet: Bool = true) -> LayoutPart {
    when(mask: 1 << bit, equals: isSet ? 1 << bit : 0)
  }

  /// The part, present only if some bits of the flags have a value, in addition to existing conditions.
  func when(mask: Int, equals value: Int) -> LayoutPart {
    var part = self
    let former = condition ?? FlagCondition(mask: 0, value: 0)
    part.condition = FlagCondition(mask: former.mask | mask, value: former.value | value)
    return part
  }

  /// The part, which may be missing at the end.
  var optional: LayoutPart {
    var part = self
    part.isOptional = true
    return part
  }

  /// Whether it contains no fields.
  var isUnused: Bool {
    if case .field(let field) = content, case .unused = field.kind { return true }
    return false
  }

  /// The visible keys.
  var shownKeys: [String] { isUnused ? [] : keys }

  /// The keys of its fields, in order.
  var keys: [String] {
    switch content {
    case .field(let field): [field.key]
    case .word(let word): word.fields.map(\.key)
    }
  }
}

/// A condition on the flags at the start of a value.
struct FlagCondition: Sendable, Hashable {
  /// The bits to compare.
  var mask: Int
  /// Their required value.
  var value: Int

  /// Whether flags match the condition.
  func holds(_ flags: Int) -> Bool { flags & mask == value }
}

extension ValueLayout {
  /// All possible keys of a decoded value, without duplicates, in the order of the bytes: the columns of a table of such
  /// values.
  public var shownKeys: [String] {
    var seen: Set<String> = []
    return parts.flatMap(\.shownKeys).filter { seen.insert($0).inserted }
  }
}
