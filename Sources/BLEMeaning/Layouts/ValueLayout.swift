// SPDX-License-Identifier: MIT

/// How a standard value stands in its bytes: the one description from which it is decoded and encoded.
///
/// ```swift
/// let layout = ValueLayout(for: .heartRateMeasurement)
/// layout?.decode([0x10, 79, 0xe8, 0x03]).text          // "79 bpm, RR 0.977 s"
/// ```
public struct ValueLayout: Sendable {
  /// Where a layout is written down.
  public enum Source: Sendable, Hashable {
    /// The GATT Specification Supplement, in the section that has the name of the characteristic.
    case supplement
    /// Another specification, by its name and section.
    case specification(String)
  }

  /// The name of the characteristic or descriptor.
  public let name: String

  /// Where it is written down.
  public let source: Source

  /// The fields, in the order of the bytes.
  let parts: [LayoutPart]

  /// The fields as an earlier version of the specification has them, with other sizes; empty if there is none.
  ///
  /// The length of a value decides between the two.
  private(set) var formerParts: [LayoutPart] = []

  /// Whether clients may write such values, so that they can be made from text.
  ///
  /// Every layout can encode; those that only servers send do so for tests.
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

  /// The layout, of which an earlier version of the specification has other sizes.
  ///
  /// - Parameter former: the same fields in the same order, as they stand there.
  /// - Returns: the layout that decodes both.
  func formerly(_ former: [LayoutPart]) -> ValueLayout {
    var layout = self
    layout.formerParts = former
    return layout
  }

  /// The layout of the earlier version, where there is one.
  var former: ValueLayout? {
    formerParts.isEmpty ? nil : ValueLayout(name, source: source, isWritable: isWritable, parts: formerParts)
  }
}

/// A stretch of the bytes: a field, or several in one word.
struct LayoutPart: Sendable {
  /// What the stretch is.
  enum Content: Sendable {
    /// A field that takes whole bytes.
    case field(LayoutField)
    /// Several fields within a little-endian word.
    case word(BitWord)
  }

  var content: Content

  /// What the flags have to be for the stretch to be there; nil where it always is.
  var condition: FlagCondition?

  /// Whether the stretch may be left out at the end without a flag that says so.
  var isOptional = false

  /// The part, there only where the flags say so.
  ///
  /// - Parameters:
  ///   - bit: the number of the flag.
  ///   - isSet: what it has to be.
  /// - Returns: the part with the condition.
  func when(_ bit: Int, is isSet: Bool = true) -> LayoutPart {
    when(mask: 1 << bit, equals: isSet ? 1 << bit : 0)
  }

  /// The part, there only where some bits of the flags have a value; in addition to what holds already.
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

  /// Whether it has nothing to say.
  var isUnused: Bool {
    if case .field(let field) = content, case .unused = field.kind { return true }
    return false
  }

  /// The keys that can be seen.
  var shownKeys: [String] { isUnused ? [] : keys }

  /// The keys of its fields, in order.
  var keys: [String] {
    switch content {
    case .field(let field): [field.key]
    case .word(let word): word.fields.map(\.key)
    }
  }
}

/// What the flags at the beginning of a value have to be.
struct FlagCondition: Sendable, Hashable {
  /// The bits that are looked at.
  var mask: Int
  /// What they have to be.
  var value: Int

  /// Whether flags are so.
  func holds(_ flags: Int) -> Bool { flags & mask == value }
}
