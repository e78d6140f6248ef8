// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Codec<ValueFormat> {
  private static let formats = ValueFormat.all.filter { $0.numberSize != nil }

  static let number: Codec<ValueFormat> = OneOf(words: formats.map { ($0.word, $0) }).codec
}

/// A rule of one kind, and the encoding of its numbers.
struct EncodedRule<Rule: Sendable & Equatable>: Sendable, Equatable {
  var rule: Rule
  var number = NumberFormat(.hex)
}

extension ObjectCodec<NumberFormat> {
  fileprivate static let keys: [Field<NumberFormat>] = [
    .required("format", \.format, .number, "How the number is encoded."),
    Field("prefix", \.prefix, .value, "The bytes before the number. Default: none."),
  ]
}

extension ObjectCodec<Counter> {
  fileprivate static let keys: [Field<Counter>] = [
    Field("from", \.first, .number, "The first number. Default: 0."),
    Field("step", \.step, .number, "The increment. Default: 1."),
    Field(
      "to", \.last, .number,
      "The last number before the counter restarts. Default: the last one that fits the format."),
  ]

  static let counter = ObjectCodec("field_counter", "a counter", defaults: Counter(), keys)
}

extension ObjectCodec<EncodedRule<Counter>> {
  static let counter = ObjectCodec(
    "counter", "a counter", defaults: EncodedRule(rule: Counter()),
    ObjectCodec<NumberFormat>.keys.map { $0.lifted(\.number) }
      + ObjectCodec<Counter>.keys.map { $0.lifted(\.rule) }
  ) { counter, node throws(JSONError) in
    try counter.number.check(counter.rule.first, at: node.at("from"))
    if let last = counter.rule.last { try counter.number.check(last, at: node.at("to")) }
  }
}

extension ObjectCodec<Sine> {
  fileprivate static let keys: [Field<Sine>] = [
    .required("middle", \.middle, .number, "The midpoint, which is also the first number."),
    .required("amplitude", \.amplitude, .number, "The largest distance from the midpoint."),
    .required("period", \.period, .integer(1...1_000_000), "The number of values in one period."),
  ]
  fileprivate static let none = Sine(middle: 0, amplitude: 0, period: 1)

  static let sine = ObjectCodec("field_sine", "a sine", defaults: none, keys)
}

extension ObjectCodec<EncodedRule<Sine>> {
  static let sine = ObjectCodec(
    "sine", "a sine", defaults: EncodedRule(rule: ObjectCodec<Sine>.none),
    ObjectCodec<NumberFormat>.keys.map { $0.lifted(\.number) }
      + ObjectCodec<Sine>.keys.map { $0.lifted(\.rule) }
  ) { sine, node throws(JSONError) in
    try sine.number.check(sine.rule.middle + sine.rule.amplitude, at: node.at("amplitude"))
    try sine.number.check(sine.rule.middle - sine.rule.amplitude, at: node.at("amplitude"))
  }
}

extension ObjectCodec<RandomWalk> {
  fileprivate static let keys: [Field<RandomWalk>] = [
    .required("from", \.first, .number, "The first number."),
    .required("step", \.step, .number, "The largest difference between two consecutive numbers."),
    .required("least", \.least, .number, "The lower bound."),
    .required("greatest", \.greatest, .number, "The upper bound."),
    Field(
      "seed", \.seed, .integer(0...0x1F_FFFF_FFFF_FFFF),
      "The seed of the random numbers: equal seeds give equal walks. Default: 1."),
  ]
  fileprivate static let none = RandomWalk(from: 0, step: 0, within: 0...0)

  static let walk = ObjectCodec("field_walk", "a random walk", defaults: none, keys) {
    walk, node throws(JSONError) in
    try walk.check(at: node)
  }
}

extension ObjectCodec<EncodedRule<RandomWalk>> {
  static let walk = ObjectCodec(
    "walk", "a random walk", defaults: EncodedRule(rule: ObjectCodec<RandomWalk>.none),
    ObjectCodec<NumberFormat>.keys.map { $0.lifted(\.number) }
      + ObjectCodec<RandomWalk>.keys.map { $0.lifted(\.rule) }
  ) { walk, node throws(JSONError) in
    try walk.number.check(walk.rule.least, at: node.at("least"))
    try walk.number.check(walk.rule.greatest, at: node.at("greatest"))
    try walk.rule.check(at: node)
  }
}

extension RandomWalk {
  fileprivate func check(at node: JSONNode) throws(JSONError) {
    guard least <= first, first <= greatest else {
      throw node.at("from").mismatch("a number from \"least\" to \"greatest\"")
    }
  }
}

extension NumberFormat {
  /// Refuses a number that does not fit the format.
  fileprivate func check(_ number: Double, at node: JSONNode) throws(JSONError) {
    guard let bytes = bytes(number) else {
      throw JSONError(node, "expected numbers that fit \(format.word), found \(number)")
    }
    if bytes.count > 512 {
      throw JSONError(node, "expected values of at most 512 bytes, found \(bytes.count)")
    }
  }
}
