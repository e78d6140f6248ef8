// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<BeaconSpec> {
  static let beacon = OneOf<BeaconSpec>(BeaconFormat.allCases.map(variant)).codec

  private static func variant(_ format: BeaconFormat) -> OneOf<BeaconSpec>.Variant {
    OneOf<BeaconSpec>.Variant(ObjectCodec<BeaconSpec>.beacon(format)) {
      $0
    } take: {
      $0.format == format ? $0 : nil
    }
  }
}

extension ObjectCodec<BeaconSpec> {
  fileprivate static func beacon(_ format: BeaconFormat) -> ObjectCodec {
    var keys: [Field<BeaconSpec>] = [
      .required(
        format.rawValue, \.values, .values,
        "Its values, by the names that 'scan --json' gives them, with or without their units."),
      Field("every", \.interval, .interval, "How long the values stay the same. Default: \"1s\"."),
    ]
    if format.isEncryptable {
      keys += [
        Field("key", \.key, .bindKey, "The key that encrypts the data. Default: none."),
        Field(
          "packet_counter", \.firstCounter, .integer(0...UInt32.max),
          "The counter of the first encrypted packet. Default: 0."),
      ]
    }
    return ObjectCodec("beacon_\(format.rawValue)", "a beacon", defaults: BeaconSpec(format, []), keys)
  }
}

extension Codec<BindKey> {
  /// Its errors do not contain the text.
  fileprivate static let bindKey = Codec(
    "a key of 32 hexadecimal digits", .text(pattern: "^([0-9A-Fa-f]{2}[: ]?){16}$", examples: [])
  ) { node throws(JSONError) in
    guard let key = node.string.flatMap({ try? BindKey(parsing: $0) }), key.hasSixteenBytes else {
      throw JSONError(node, "expected a key of 32 hexadecimal digits")
    }
    return key
  } write: { key, json in
    json.value(key.secretText)
  }
}

extension BindKey {
  fileprivate var hasSixteenBytes: Bool { secretText.utf8.count == 32 }
}

extension Codec<[BeaconValue]> {
  fileprivate static let values = Codec(
    "an object of values by their names, such as {\"temperature\": 21.5}",
    .dictionary(keys: "^[0-9A-Za-z_ -]+$", of: Codec<BeaconValue.Source>.source.schema)
  ) { node throws(JSONError) in
    guard let members = node.members else {
      throw node.mismatch("an object of values by their names, such as {\"temperature\": 21.5}")
    }
    var mistakes = JSONMistakes()
    let values = members.compactMap { member in
      mistakes.collect { () throws(JSONError) in
        BeaconValue(member.key, try Codec<BeaconValue.Source>.source.read(member.value))
      }
    }
    try mistakes.rethrow()
    return values
  } write: { values, json in
    json.object { json in
      for value in values {
        json.key(value.name)
        Codec<BeaconValue.Source>.source.write(value.source, &json)
      }
    }
  }
}

extension Codec<BeaconValue.Word> {
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

extension Codec<BeaconValue.Source> {
  private static let list = OneOf<BeaconValue.Source>.Variant(
    ObjectCodec<[BeaconValue.Word]>(
      "value_list", "a value that changes", defaults: [],
      [
        .required(
          "list", \.self, Codec<BeaconValue.Word>.word.list("an array of at least one value", atLeast: 1),
          "These values in turn, repeated forever.")
      ])
  ) {
    .list($0)
  } take: {
    if case .list(let words) = $0 { words } else { nil }
  }

  private static func numbers<Rule: WrittenRule>(_ kind: Rule.Type) -> OneOf<BeaconValue.Source>.Variant {
    OneOf<BeaconValue.Source>.Variant(
      ObjectCodec<Rule>(
        "value_\(Rule.tag)", "a value that changes", defaults: Rule.object.defaults,
        [.required(Rule.tag, \.self, Rule.object.codec, Rule.about)])
    ) {
      .numbers($0.rule)
    } take: {
      if case .numbers(let rule) = $0 { Rule(rule) } else { nil }
    }
  }

  private static let changing = OneOf<BeaconValue.Source>([
    list, numbers(Counter.self), numbers(Sine.self), numbers(RandomWalk.self),
  ]).codec

  fileprivate static let source = Codec(
    "\(Codec<BeaconValue.Word>.word.expected), or an object",
    .any([Codec<BeaconValue.Word>.word.schema, changing.schema])
  ) { node throws(JSONError) in
    if node.members != nil { return try changing.read(node) }
    return .constant(try Codec<BeaconValue.Word>.word.read(node))
  } write: { source, json in
    if case .constant(let word) = source {
      Codec<BeaconValue.Word>.word.write(word, &json)
    } else {
      changing.write(source, &json)
    }
  }
}
