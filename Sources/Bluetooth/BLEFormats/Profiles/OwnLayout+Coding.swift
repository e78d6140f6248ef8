// SPDX-License-Identifier: MIT
package import JSON

/// A layout as a profile or a world writes it, and what that means.
package struct OwnLayout: Sendable, Hashable {
  /// A part of a layout: the text between two fields, or an element of the array.
  enum Part: Sendable, Hashable {
    case compact(String)
    case field(OwnField)
  }

  var parts: [Part]
  /// True if it is a single text and no array.
  var isText: Bool
  package var layout: ValueLayout

  /// The layout without fields.
  package static let empty = OwnLayout(parts: [], isText: true, layout: ValueLayout("", parts: []))

  package static func == (left: Self, right: Self) -> Bool {
    left.parts == right.parts && left.isText == right.isText
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

extension OwnLayout {
  /// Creates a layout from a text, as ``ValueLayout/init(compact:)`` reads it.
  ///
  /// - Throws: an error with the wrong word.
  package init(compact text: String) throws(FormatError) {
    self.init(parts: [.compact(text)], isText: true, layout: try ValueLayout(compact: text))
  }
}

extension Codec<OwnLayout> {
  private static let expected =
    "a layout: a text such as \"temperature=i16*0.01°C battery=u8%\", or an array of fields"

  private static let word = Codec<String>.text("a field such as \"battery=u8%\"", atMost: 200)

  package static let layout = Codec(
    expected,
    .any([
      .text(pattern: nil, examples: ["temperature=i16*0.01°C battery=u8%"]),
      .list(of: .any([word.schema, ObjectCodec<OwnField>.field.codec.schema]), atLeast: 1),
    ])
  ) { node throws(JSONError) in
    if let text = node.string { return try compact(text, node) }
    guard let elements = node.elements, !elements.isEmpty else { throw node.mismatch(expected) }
    return try array(elements)
  } write: { layout, json in
    if layout.isText, case .compact(let text)? = layout.parts.first { return json.value(text) }
    json.array { json in
      for part in layout.parts {
        switch part {
        case .compact(let text): json.value(text)
        case .field(let field): ObjectCodec<OwnField>.field.codec.write(field, &json)
        }
      }
    }
  }

  private static func compact(_ text: String, _ node: JSONNode) throws(JSONError) -> OwnLayout {
    do throws(FormatError) {
      return try OwnLayout(compact: text)
    } catch {
      throw JSONError(node, "expected a layout, found a wrong word: \(error)")
    }
  }

  private static func array(_ elements: [JSONNode]) throws(JSONError) -> OwnLayout {
    var mistakes = JSONMistakes()
    var parts: [OwnLayout.Part] = []
    var fields: [OwnField] = []
    for element in elements {
      mistakes.collect { () throws(JSONError) in
        guard element.string != nil else {
          let field = try ObjectCodec<OwnField>.field.read(element)
          parts.append(.field(field))
          fields.append(field)
          return
        }
        let text = try word.read(element)
        do throws(FormatError) { fields.append(try CompactField(text).parse()) } catch {
          throw JSONError(element, "expected a field, found a wrong word: \(error)")
        }
        parts.append(.compact(text))
      }
    }
    try mistakes.rethrow()
    do throws(OwnLayoutError) {
      return OwnLayout(parts: parts, isText: false, layout: try ValueLayout(name: "", fields))
    } catch {
      var place = elements[error.field]
      if let key = error.key { place = place.at(key) }
      if let index = error.index { place = place.at("\(index)") }
      throw JSONError(place, "expected a possible layout; this field \(error.reason)")
    }
  }
}

extension ObjectCodec<OwnField> {
  static let field = ObjectCodec(
    "field", "a field", defaults: OwnField(.reserved),
    [
      .required("format", \.format, .format, "How its bytes are read."),
      Field(
        "name", \.name, .text("a name such as \"wheel_speed\"", atMost: 64),
        "Its name. Default: value, or value_1, value_2 and so on. Bytes without a meaning have none."),
      Field(
        "count", \.extent, Codec.extent.optional,
        "The number of elements, or of bytes: a number; \"rest\" for all to the end; the format of the count before "
          + "them. Default: one element; for texts and bytes, all to the end."),
      Field("scale", \.scale, Codec.decimal.optional, "The factor. Default: 1."),
      Field("divisor", \.divisor, Codec.decimal.optional, "What the product is divided by. Default: 1."),
      Field("offset", \.offset, Codec.decimal.optional, "What is added in the end. Default: 0."),
      Field("unit", \.unit, .text("a unit such as \"°C\"", atMost: 32), "The unit. Default: none."),
      Field("values", \.values, .numberNames, "The names of its numbers. Default: none."),
      Field(
        "specials", \.specials, .numberNames, "Words for raw numbers that are no measurement. Default: none."),
      Field(
        "bits", \.bits, ObjectCodec<OwnBits>.bits.codec.list("an array of bit fields", atLeast: 1),
        "The fields in its bits. Default: none."),
      Field(
        "when", \.conditions, .conditions,
        "The values of earlier fields with which it is present: their names and values, or the name of one that must "
          + "be true. Default: always."),
      Field("optional", \.isOptional, .flag, "Whether it may be missing at the end. Default: false."),
    ])
}

extension ObjectCodec<OwnBits> {
  static let bits = ObjectCodec(
    "bits", "a bit field", defaults: OwnBits("", 0...0),
    [
      .required("name", \.name, .text("a name such as \"mode\"", atMost: 64), "Its name."),
      .required(
        "bits", \.range, .bitRange, "Its bit, or its lowest and highest bit. The lowest of all is 0."),
      Field("signed", \.isSigned, .flag, "Whether its highest bit is that of the sign. Default: false."),
      Field("scale", \.scale, Codec.decimal.optional, "The factor. Default: 1."),
      Field("divisor", \.divisor, Codec.decimal.optional, "What the product is divided by. Default: 1."),
      Field("offset", \.offset, Codec.decimal.optional, "What is added in the end. Default: 0."),
      Field("unit", \.unit, .text("a unit such as \"°C\"", atMost: 32), "The unit. Default: none."),
      Field("values", \.values, .numberNames, "The names of its numbers. Default: none."),
    ])
}

extension Codec<OwnFormat> {
  static let format = OneOf(words: OwnFormat.all).codec
}

extension Codec<DecimalNumber> {
  /// A number with the digits that were written.
  static let decimal = Codec("a number", .number) { node in
    if case .number(let number) = node.content { DecimalNumber(number.text) } else { nil }
  } write: { number, json in
    json.literal(number.description)
  }
}

extension Codec<Extent> {
  private static let words: [(String, Extent)] = [
    ("rest", .rest), ("u8", .counted(.u8)), ("u16", .counted(.u16)),
    ("u16be", .counted(ByteWidth(size: 2, isSigned: false, isBigEndian: true))),
  ]

  static let extent = Codec(
    "a number from 1 to \(Extent.longestValue), \"rest\", \"u8\", \"u16\" or \"u16be\"",
    .any([.integer(1...Extent.longestValue), .words(words.map(\.0))])
  ) { node in
    if let text = node.string { return words.first { $0.0 == text }?.1 }
    return node.integer.flatMap { (1...Extent.longestValue).contains($0) ? .fixed($0) : nil }
  } write: { extent, json in
    if case .fixed(let count) = extent { return json.value(count) }
    if let word = words.first(where: { $0.1 == extent }) { json.value(word.0) }
  }
}

extension Codec<ClosedRange<Int>> {
  static let bitRange = Codec(
    "a bit such as 4, or bits such as \"0-3\"",
    .any([.integer(0...63), .text(pattern: "^[0-9]{1,2}(-[0-9]{1,2})?$", examples: ["0-3"])])
  ) { node in
    if let bit = node.integer { return (0...63).contains(bit) ? bit...bit : nil }
    let parts = (node.string ?? "").split(separator: "-", omittingEmptySubsequences: false)
    let bits = parts.compactMap { part in
      part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) : nil
    }
    guard (1...2).contains(parts.count), bits.count == parts.count, bits[0] <= bits[bits.count - 1],
      bits[bits.count - 1] < 64
    else { return nil }
    return bits[0]...bits[bits.count - 1]
  } write: { range, json in
    if range.count == 1 {
      json.value(range.lowerBound)
    } else {
      json.value("\(range.lowerBound)-\(range.upperBound)")
    }
  }
}

extension Codec<[Int: String]> {
  private static let expected = "names such as [\"off\", \"on\"] or {\"0\": \"off\", \"255\": \"error\"}"

  /// Names of 0, 1, 2 and so on, or by number.
  static let numberNames = Codec(
    expected,
    .any([
      .list(of: name.schema, atLeast: 1),
      .dictionary(keys: "^(-?[0-9]+|0[xX][0-9A-Fa-f]+)$", of: name.schema),
    ])
  ) { node throws(JSONError) in
    var names: [Int: String] = [:]
    var mistakes = JSONMistakes()
    if let elements = node.elements, !elements.isEmpty {
      for (index, element) in elements.enumerated() {
        mistakes.collect { () throws(JSONError) in names[index] = try name.read(element) }
      }
    } else if let members = node.members, !members.isEmpty {
      for member in members {
        mistakes.collect { () throws(JSONError) in
          guard let number = number(member.key) else {
            throw JSONError(
              member.place, member.value.pointer,
              "expected a number such as \"255\" or \"0xff\", found "
                + JSONText.quoted(member.key))
          }
          names[number] = try name.read(member.value)
        }
      }
    } else {
      throw node.mismatch(expected)
    }
    try mistakes.rethrow()
    return names
  } write: { names, json in
    json.object { json in
      for (number, name) in names.sorted(by: { $0.key < $1.key }) { json.field("\(number)", name) }
    }
  }

  private static let name = Codec<String>.word("a name of 1 to 64 bytes") { text in
    (1...64).contains(text.utf8.count) ? text : nil
  } text: {
    $0
  }

  private static func number(_ text: String) -> Int? {
    text.hasPrefix("0x") || text.hasPrefix("0X") ? Int(text.dropFirst(2), radix: 16) : Int(text)
  }
}

extension Codec<[OwnCondition]> {
  private static let expected =
    "the name of an earlier field, or names and values such as {\"mode\": \"fast\"}"

  static let conditions = Codec(
    expected,
    .any([
      .text(pattern: nil, examples: ["has_battery"]),
      .dictionary(keys: "^[a-z][a-z0-9_]*$", of: .any([.text(pattern: nil, examples: []), .number, .flag])),
    ])
  ) { node in
    if let name = node.string { return [OwnCondition(name: name, value: "true")] }
    guard let members = node.members, !members.isEmpty else { return nil }
    let conditions = members.compactMap { member -> OwnCondition? in
      switch member.value.content {
      case .string(let text): OwnCondition(name: member.key, value: text)
      case .number(let number): OwnCondition(name: member.key, value: number.text)
      case .bool(let flag): OwnCondition(name: member.key, value: flag ? "true" : "false")
      case .null, .array, .object: nil
      }
    }
    return conditions.count == members.count ? conditions : nil
  } write: { conditions, json in
    json.object { json in
      for condition in conditions { json.field(condition.name, condition.value) }
    }
  }
}
