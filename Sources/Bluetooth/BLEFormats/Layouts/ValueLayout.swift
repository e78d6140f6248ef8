// SPDX-License-Identifier: MIT

/// The layout of a value in its bytes: a single description, used to decode and to encode it.
///
/// ```swift
/// let layout = ValueLayout(for: .heartRateMeasurement)
/// layout?.decode([0x10, 79, 0xe8, 0x03]).text          // "79 bpm, RR 0.977 s"
///
/// let own = try ValueLayout(compact: "temperature=i16*0.01°C battery=u8%")
/// own.decode([0x34, 0x08, 97]).text                    // "temperature 21.00 °C, battery 97 %"
/// ```
public struct ValueLayout: Sendable {
  /// The source of a layout.
  public enum Source: Sendable, Hashable {
    /// The GATT Specification Supplement, in the section with the name of the characteristic.
    case supplement
    /// Another specification, by its name and section.
    case specification(String)
    /// Nobody but the user: a profile, or a text on the command line.
    case own
  }

  /// The name of the characteristic or descriptor; of a layout without one, its text.
  public internal(set) var name: String

  /// The specification that defines it.
  public let source: Source

  /// The parts, in the order of the bytes.
  let parts: [LayoutPart]

  /// The fields with the sizes of an earlier specification, if any; a value's length selects between the two.
  private(set) var formerParts: [LayoutPart] = []

  /// True if clients may write the value; tests also encode values that only servers send.
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

  /// Returns the layout with the other sizes of the same fields in an earlier version of the specification.
  func formerly(_ former: [LayoutPart]) -> ValueLayout {
    var layout = self
    layout.formerParts = former
    return layout
  }

  var former: ValueLayout? {
    formerParts.isEmpty ? nil : ValueLayout(name, source: source, isWritable: isWritable, parts: formerParts)
  }
}

/// A part of the bytes: a field, or several fields in one word.
struct LayoutPart: Sendable {
  enum Content: Sendable {
    case field(LayoutField)
    /// Several fields within a word.
    case word(BitWord)
  }

  var content: Content

  /// The flags with which the part is present; nil if it is always present.
  var condition: FlagCondition?

  /// True if the part may be missing at the end, without a flag.
  var isOptional = false

  /// Returns the part, present only if a flag has a value.
  func when(_ bit: Int, is isSet: Bool = true) -> LayoutPart {
    when(mask: 1 << bit, equals: isSet ? 1 << bit : 0)
  }

  /// Returns the part, present only if some bits of the flags also have a value.
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

  /// True if it contains no fields.
  var isUnused: Bool {
    guard case .field(let field) = content else { return false }
    switch field.kind {
    case .unused, .unusedRest, .checksum: return true
    default: return false
    }
  }

  var shownKeys: [String] { isUnused ? [] : keys }

  /// The size if it is present, and a list without a fixed length is empty.
  fileprivate var shortestSize: Int {
    switch content {
    case .field(let field): field.size(within: [])
    case .word(let word): word.width.size
    }
  }

  var keys: [String] {
    switch content {
    case .field(let field): [field.key]
    case .word(let word): word.fields.map(\.key)
    }
  }
}

/// A condition on the flags at the start of a value.
struct FlagCondition: Sendable, Hashable {
  var mask: Int
  var value: Int

  func holds(_ flags: Int) -> Bool { flags & mask == value }
}

extension ValueLayout {
  /// The lists of numbers or states: their keys, and the number of elements that they have at most in a notification of 20 bytes,
  /// the longest with the default MTU, or always.
  package var lists: [(String, Int)] {
    let shortest = parts.filter { $0.condition == nil && !$0.isOptional }.map(\.shortestSize).reduce(0, +)
    return parts.compactMap { part in
      guard case .field(let field) = part.content, let (size, extent) = field.elements else { return nil }
      if case .fixed(let count) = extent { return (field.key, count) }
      return (field.key, max(1, (20 - shortest) / size))
    }
  }

  /// All possible keys of a decoded value, in the order of the bytes, without duplicates: columns of a table.
  public var shownKeys: [String] {
    var seen: Set<String> = []
    return parts.flatMap(\.shownKeys).filter { seen.insert($0).inserted }
  }
}
