// SPDX-License-Identifier: MIT
internal import JSON

extension ValueLayout {
  /// Creates a layout from the description of its fields, in the order of the bytes.
  init(name: String, _ fields: [OwnField]) throws(OwnLayoutError) {
    var builder = OwnLayoutBuilder(fields)
    self.init(name, source: .own, isWritable: true, parts: try builder.build())
  }
}

/// Makes the parts of a layout from the description of its fields.
struct OwnLayoutBuilder {
  private let fields: [OwnField]
  private var parts: [LayoutPart] = []
  /// Those that conditions can name: where their bits are among the flags, what their values mean.
  private var flags: [String: Flag] = [:]
  /// The number of bits that conditions depend on.
  private var flagCount = 0
  private var keys: Set<String> = []
  /// The field that takes all bytes up to the end.
  private var last: String?

  private struct Flag {
    var field: BitField
    var shift: Int
    var condition: FlagCondition?
  }

  init(_ fields: [OwnField]) { self.fields = fields }

  mutating func build() throws(OwnLayoutError) -> [LayoutPart] {
    var size = 0
    for (index, field) in fields.enumerated() {
      if let last {
        throw OwnLayoutError(field: index, reason: "follows \(last), which takes all bytes up to the end")
      }
      if index > 0, fields[index - 1].isOptional, !field.isOptional {
        throw OwnLayoutError(
          field: index, reason: "follows a field that may be missing, so it may be missing, too")
      }
      try add(field, index)
      if case .field(let added) = parts[index].content {
        size += added.size(within: [])
        if added.takesRest { last = added.key == "" ? "a field" : added.key }
      }
      guard size <= Extent.longestValue else {
        throw OwnLayoutError(
          field: index, reason: "ends at byte \(size), and a value has at most \(Extent.longestValue)")
      }
    }
    return parts
  }

  private mutating func add(_ field: OwnField, _ index: Int) throws(OwnLayoutError) {
    let condition = try condition(of: field, index)
    var part = LayoutPart(content: try content(of: field, index), condition: condition)
    part.isOptional = field.isOptional
    parts.append(part)
  }

  private mutating func content(of field: OwnField, _ index: Int) throws(OwnLayoutError) -> LayoutPart.Content
  {
    if !field.bits.isEmpty { return .word(try word(of: field, index)) }
    if field.format == .reserved {
      guard field.name == nil else {
        throw OwnLayoutError(
          field: index, key: "name", reason: "names bytes without a meaning; use hex to show them")
      }
      if field.extent == .rest { return .field(LayoutField(key: "", label: "", unit: "", kind: .unusedRest)) }
      guard case .fixed(let count) = field.extent ?? .fixed(1) else {
        throw OwnLayoutError(
          field: index, key: "count", reason: "has no fixed number of bytes without a meaning")
      }
      let kind = LayoutField.Kind.unused(Array(repeating: 0, count: count))
      return .field(LayoutField(key: "", label: "", unit: "", kind: kind))
    }
    let kind = try kind(of: field, index)
    if case .checksum(let checksum) = field.format {
      guard field.name == nil else {
        throw OwnLayoutError(
          field: index, key: "name", reason: "names a checksum, which is only checked; use hex to show it")
      }
      return .field(LayoutField(key: checksum.word, label: "", unit: "", kind: kind))
    }
    let name = try name(of: field, index)
    let key = try key(name, unit: field.unit, index)
    if isAsked(name, after: index), let bit = try wholeBits(field, kind, key, name, index) {
      return .word(try flagWord(of: field, [bit], isRequired: true, index))
    }
    var layoutField = LayoutField(
      key: key, alias: key == name ? nil : name, label: label(field.name, name), unit: field.unit, kind: kind)
    if case .unixTime = kind { layoutField.clock = .unixTime }
    if case .dateTime = kind { layoutField.clock = .dateTime }
    return .field(layoutField)
  }

  // MARK: Names

  private func name(of field: OwnField, _ index: Int) throws(OwnLayoutError) -> String {
    guard let name = field.name else {
      let shown = fields.indices.filter { !fields[$0].format.isHidden }
      return shown.count == 1 ? "value" : "value_\((shown.firstIndex(of: index) ?? 0) + 1)"
    }
    return name
  }

  /// A field that stands alone needs no label, nor one without a name.
  private func label(_ given: String?, _ name: String) -> String {
    let shown = fields.reduce(0) { $0 + ($1.format.isHidden ? 0 : max(1, $1.bits.count)) }
    return given == nil || shown == 1 ? "" : String(name.map { $0 == "_" ? " " : $0 })
  }

  private mutating func key(
    _ name: String, unit: String, _ index: Int, property: String = "name", at position: Int? = nil
  ) throws(OwnLayoutError) -> String {
    func wrong(_ reason: String) -> OwnLayoutError {
      OwnLayoutError(field: index, key: property, index: position, reason: reason)
    }
    guard OwnLayoutBuilder.isName(name) else {
      let plain = OwnLayoutBuilder.nameLike(name)
      throw wrong(
        "has the name '\(name)', which is not of lower-case letters, digits and '_'"
          + (plain.isEmpty ? "" : "; write \(plain)"))
    }
    let ending = UnitKey.name(of: unit)
    let key = ending.isEmpty || name == ending || name.hasSuffix("_" + ending) ? name : "\(name)_\(ending)"
    // Behind the fields, JSON has the bytes that are left over, and what is wrong, with these names.
    guard key != "rest", key != "problem" else {
      throw wrong("has the name '\(name)', which has a meaning in JSON")
    }
    // The name alone can be typed, too.
    guard keys.isDisjoint(with: [key, name]) else {
      throw wrong("has the name '\(name)' of another field")
    }
    keys.formUnion([key, name])
    return key
  }

  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "_"), !(0x30...0x39).contains(first),
      name.utf8.count <= 64
    else { return false }
    return name.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (0x30...0x39).contains(byte)
        || byte == UInt8(ascii: "_")
    }
  }

  /// Returns the name that may be meant by another text: `Temp-1` becomes `temp_1`.
  private static func nameLike(_ text: String) -> String {
    let words = text.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(
      separator: "_")
    return String(words.drop { $0.isNumber || $0 == "_" }.prefix(64))
  }

  // MARK: Conditions

  /// Returns whether a later field depends on one.
  private func isAsked(_ name: String, after index: Int) -> Bool {
    fields[(index + 1)...].contains { $0.conditions.contains { $0.name == name } }
  }

  private func condition(of field: OwnField, _ index: Int) throws(OwnLayoutError) -> FlagCondition? {
    var result: FlagCondition?
    for wanted in field.conditions {
      func wrong(_ reason: String) -> OwnLayoutError {
        OwnLayoutError(field: index, key: "when", reason: reason)
      }
      guard let flag = flags[wanted.name] else {
        let advice =
          Spelling.advice(for: wanted.name, among: flags.keys.sorted())
          ?? "a condition names an earlier integer"
        throw wrong("depends on '\(wanted.name)', which is no earlier integer, nor bits of one; \(advice)")
      }
      let raw: Int
      do throws(FormatError) { raw = try flag.field.raw(of: wanted.value) } catch { throw wrong("\(error)") }
      guard let bits = flag.field.placed(raw) else {
        throw wrong("'\(wanted.value)' does not fit the \(flag.field.width) bits of \(wanted.name)")
      }
      var condition = FlagCondition(mask: flag.field.mask << flag.shift, value: bits << flag.shift)
      for other in [flag.condition, result].compactMap(\.self) {
        guard (other.value ^ condition.value) & other.mask & condition.mask == 0 else {
          throw wrong("can never be present: its conditions contradict each other")
        }
        condition.mask |= other.mask
        condition.value |= other.value
      }
      result = condition
    }
    return result
  }

  // MARK: Bits

  private mutating func word(of field: OwnField, _ index: Int) throws(OwnLayoutError) -> BitWord {
    guard case .integer(let format) = field.format, !format.isSigned else {
      throw OwnLayoutError(
        field: index, key: "bits", reason: "has bits, so its format must be one of u8 to u64")
    }
    guard field.scale == nil, field.divisor == nil, field.offset == nil, field.unit.isEmpty,
      field.extent == nil,
      field.values.isEmpty, field.specials.isEmpty
    else {
      throw OwnLayoutError(
        field: index, key: "bits", reason: "has bits, so scale, unit, values and count belong to those")
    }
    var bitFields: [BitField] = []
    var taken = 0
    for (position, bits) in field.bits.enumerated() {
      func wrong(_ reason: String) -> OwnLayoutError {
        OwnLayoutError(field: index, key: "bits", index: position, reason: reason)
      }
      guard bits.range.lowerBound >= 0, bits.range.upperBound < 8 * format.size, bits.range.count < 64 else {
        throw wrong("'\(bits.name)' has bits outside of 0 to \(8 * format.size - 1)")
      }
      let key = try key(bits.name, unit: bits.unit, index, property: "bits", at: position)
      let kind: BitField.Kind
      if !bits.values.isEmpty {
        kind = .choice(Choice(own: bits.values))
      } else if bits.range.count == 1, bits.scale == nil, bits.divisor == nil, bits.offset == nil,
        bits.unit.isEmpty
      {
        kind = .choice(.yesOrNo)
      } else {
        let scale: LinearScale
        do throws(FormatError) {
          scale = try LinearScale(scale: bits.scale, divisor: bits.divisor, offset: bits.offset)
        } catch { throw wrong("'\(bits.name)' \(error.reason)") }
        let half = 1 << (bits.range.count - 1)
        let allowed = bits.isSigned ? -half...half - 1 : 0...half - 1 + half
        kind = .number(NumberShape(width: ByteWidth(size: 8, isSigned: true), scale: scale, allowed: allowed))
      }
      var bit = BitField(
        key: key, alias: key == bits.name ? nil : bits.name, label: label(bits.name, bits.name),
        unit: bits.unit,
        shift: bits.range.lowerBound, width: bits.range.count, kind: kind)
      bit.isSigned = bits.isSigned
      guard taken & bit.mask == 0 else { throw wrong("'\(bits.name)' shares bits with another field") }
      taken |= bit.mask
      bitFields.append(bit)
    }
    let isFlags = field.bits.contains { isAsked($0.name, after: index) }
    return isFlags
      ? try flagWord(of: field, bitFields, isRequired: false, index)
      : BitWord(width: ByteWidth(format), fields: bitFields, presenceMask: ~0)
  }

  /// Returns an integer as a word of a single field, so that others can depend on it; nil if none can.
  private func wholeBits(
    _ field: OwnField, _ kind: LayoutField.Kind, _ key: String, _ name: String, _ index: Int
  ) throws(OwnLayoutError) -> BitField? {
    let bitKind: BitField.Kind
    var isSigned = false
    switch kind {
    case .choice(let choice, _): bitKind = .choice(choice)
    case .number(let shape):
      bitKind = .number(shape)
      isSigned = shape.width.isSigned
    default: return nil
    }
    guard let size = field.format.integerSize, size <= 4 else { return nil }
    var bit = BitField(
      key: key, alias: key == name ? nil : name, label: label(field.name, name), unit: field.unit, shift: 0,
      width: 8 * size, kind: bitKind)
    bit.isSigned = isSigned
    return bit
  }

  private mutating func flagWord(
    of field: OwnField, _ bits: [BitField], isRequired: Bool, _ index: Int
  ) throws(OwnLayoutError) -> BitWord {
    let size = field.format.integerSize ?? 1
    guard flagCount + 8 * size < Int.bitWidth else {
      throw OwnLayoutError(field: index, reason: "is more than conditions can depend on: 7 bytes in all")
    }
    let width =
      if case .integer(let format) = field.format {
        ByteWidth(size: size, isSigned: false, isBigEndian: format.isBigEndian)
      } else { ByteWidth.u8 }
    let condition = try condition(of: field, index)
    for bit in bits {
      flags[bit.alias ?? bit.key] = Flag(field: bit, shift: flagCount, condition: condition)
    }
    defer { flagCount += 8 * size }
    return BitWord(
      width: width, isFlags: true, flagShift: flagCount, isRequired: isRequired, fields: bits,
      presenceMask: isRequired ? 0 : (1 << (8 * size)) - 1)
  }

  // MARK: Kinds

  private func kind(of field: OwnField, _ index: Int) throws(OwnLayoutError) -> LayoutField.Kind {
    func wrong(_ key: String, _ reason: String) -> OwnLayoutError {
      OwnLayoutError(field: index, key: key, reason: reason)
    }
    if !field.format.isNumber {
      let properties: [(key: String, noun: String, isGiven: Bool)] = [
        ("scale", "a scale", field.scale != nil), ("divisor", "a divisor", field.divisor != nil),
        ("offset", "an offset", field.offset != nil), ("unit", "a unit", !field.unit.isEmpty),
        ("values", "names of values", !field.values.isEmpty),
        ("specials", "words for special values", !field.specials.isEmpty),
      ]
      if let property = properties.first(where: \.isGiven) {
        throw wrong(property.key, "has \(property.noun), and is not a number")
      }
    }
    if field.extent != nil, !field.format.isCountable {
      throw wrong("count", "has a count, and is a single time or checksum")
    }
    let scale: LinearScale
    do throws(FormatError) {
      scale = try LinearScale(scale: field.scale, divisor: field.divisor, offset: field.offset)
    } catch { throw wrong(error.text, error.reason) }
    switch field.format {
    case .integer(let format):
      let width = ByteWidth(format)
      if !field.values.isEmpty {
        guard scale.isIdentity, field.unit.isEmpty else {
          throw wrong("values", "has names for its values, so it has neither scale nor unit; use specials")
        }
        let choice = Choice(own: field.values)
        if let stray = choice.numbers.first(where: { !width.range.contains($0) }) {
          throw wrong("values", "has a name for \(stray), which does not fit \(format.word)")
        }
        return field.extent.map { .choices(choice, width, $0) } ?? .choice(choice, width)
      }
      var shape = NumberShape(width: width, scale: scale)
      shape.specials = field.specials.sorted { $0.key < $1.key }.map { .init(raw: $0.key, word: $0.value) }
      if let stray = shape.specials.first(where: { !width.range.contains($0.raw) }) {
        throw wrong("specials", "has a word for \(stray.raw), which does not fit \(format.word)")
      }
      return field.extent.map { .numbers(shape, $0) } ?? .number(shape)
    case .real, .medical:
      guard field.values.isEmpty, field.specials.isEmpty else {
        throw wrong(field.values.isEmpty ? "specials" : "values", "names values, and is not an integer")
      }
      guard scale.divisor == 1 else {
        throw wrong(
          "divisor", "is not an integer, so it is divided only where the quotient ends; use a scale")
      }
      let shape: RealShape
      switch field.format {
      case .real(let format): shape = RealShape(.ieee(format), scale: scale)
      case .medical(let format): shape = RealShape(.medical(format), scale: scale)
      default: preconditionFailure("only formats of real numbers reach this")
      }
      return field.extent.map { .reals(shape, $0) } ?? .real(shape)
    case .bool: return field.extent.map { .choices(.yesOrNo, .u8, $0) } ?? .choice(.yesOrNo, .u8)
    case .utf8: return .text(field.extent ?? .rest)
    case .hex: return .bytes(field.extent ?? .rest)
    case .base64: return .base64(field.extent ?? .rest)
    case .unixTime(let time): return .unixTime(time)
    case .dateTime: return .dateTime
    case .reserved: return .unusedRest
    case .checksum(let checksum): return .checksum(checksum)
    }
  }
}

extension OwnFormat {
  /// The size of an integer or a Boolean; nil for others.
  fileprivate var integerSize: Int? {
    switch self {
    case .integer(let format): format.size
    case .bool: 1
    default: nil
    }
  }
}

extension LayoutField {
  /// True if it takes all bytes up to the end.
  fileprivate var takesRest: Bool {
    switch kind {
    case .numbers(_, .rest), .reals(_, .rest), .choices(_, _, .rest), .text(.rest), .bytes(.rest),
      .base64(.rest),
      .unusedRest:
      true
    default: false
    }
  }
}
