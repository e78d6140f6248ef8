// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<[FieldSpec]> {
  /// Returns a codec of fields by their names.
  static func fields(_ source: Codec<FieldSpec.Source>) -> Codec {
    members(
      "an object of values by their names, such as {\"temperature\": 21.5}", keys: "^[0-9A-Za-z_ -]+$",
      of: source
    ) {
      FieldSpec($0.key, $1)
    } write: {
      ($0.name, $0.source)
    }
  }
}

extension Codec<FieldSpec.Word> {
  fileprivate static let word = Codec(
    "a number, a text, true or false", .any([.number, .text(pattern: nil, examples: []), .flag])
  ) { node in
    switch node.content {
    case .number(let number): number.real.flatMap { $0.magnitude <= 0x1p53 ? .number($0) : nil }
    case .string(let text): text.utf8.count <= 512 ? .text(text) : nil
    case .bool(let flag): .flag(flag)
    case .null, .array, .object: nil
    }
  } write: { word, json in
    switch word {
    case .number(let number): Codec<Double>.number.write(number, &json)
    case .text(let text): json.value(text)
    case .flag(let flag): json.value(flag)
    }
  }
}

extension Codec<FieldSpec.Source> {
  private static let turns = OneOf<FieldSpec.Source>.Variant(
    ObjectCodec<[FieldSpec.Word]>(
      "value_list", "a value that changes", defaults: [],
      [
        .required(
          "list", \.self, Codec<FieldSpec.Word>.word.list("an array of at least one value", atLeast: 1),
          "These values in turn, repeated forever.")
      ])
  ) {
    .list($0)
  } take: {
    if case .list(let words) = $0 { words } else { nil }
  }

  private static func numbers<Rule: WrittenRule>(_ kind: Rule.Type) -> OneOf<FieldSpec.Source>.Variant {
    OneOf<FieldSpec.Source>.Variant(
      ObjectCodec<Rule>(
        "value_\(Rule.tag)", "a value that changes", defaults: Rule.object.defaults,
        [.required(Rule.tag, \.self, Rule.object.codec, Rule.about)])
    ) {
      .numbers($0.rule)
    } take: {
      if case .numbers(let rule) = $0 { Rule(rule) } else { nil }
    }
  }

  private static let changing = OneOf<FieldSpec.Source>([
    turns, numbers(Counter.self), numbers(Ramp.self), numbers(Sine.self), numbers(RandomWalk.self),
    numbers(RandomNumbers.self),
  ]).codec

  /// A value, or an object that says how it changes.
  static let source: Codec<FieldSpec.Source> = Codec(
    "\(Codec<FieldSpec.Word>.word.expected), or an object",
    .any([Codec<FieldSpec.Word>.word.schema, changing.schema])
  ) { node throws(JSONError) in
    if node.members != nil { return try changing.read(node) }
    return .constant(try Codec<FieldSpec.Word>.word.read(node))
  } write: { source, json in
    if case .constant(let word) = source {
      Codec<FieldSpec.Word>.word.write(word, &json)
    } else {
      changing.write(source, &json)
    }
  }

  /// The same, or an array with one for each element of a list.
  static let elements: Codec<FieldSpec.Source> = Codec(
    "\(source.expected), or an array of them", .any([source.schema, array.schema])
  ) { node throws(JSONError) in
    if node.elements != nil { return .elements(try array.read(node)) }
    return try source.read(node)
  } write: { value, json in
    if case .elements(let elements) = value {
      array.write(elements, &json)
    } else {
      source.write(value, &json)
    }
  }

  private static let array: Codec<[FieldSpec.Source]> = source.list(
    "an array of at least one value", atLeast: 1)
}
