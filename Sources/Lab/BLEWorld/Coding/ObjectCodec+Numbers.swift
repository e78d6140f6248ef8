// SPDX-License-Identifier: MIT
internal import BLEFormats
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

/// A kind of rule, as a world file writes it.
protocol WrittenRule: Sendable, Equatable {
  /// The key of a rule of this kind, and what it is.
  static var tag: String { get }
  static var about: String { get }
  static var object: ObjectCodec<Self> { get }
  /// The number that comes first, or might, and its key.
  var start: (number: Double, key: String) { get }
  /// The numbers that may not fit an encoding, each with the key that is wrong then.
  var extremes: [(number: Double, key: String)] { get }
  var rule: NumberRule { get }

  /// Returns nil for a rule of another kind.
  init?(_ rule: NumberRule)
}

extension ObjectCodec {
  /// A rule with the encoding of its numbers.
  static func encoded<Rule: WrittenRule>(_ kind: Rule.Type) -> ObjectCodec where Owner == EncodedRule<Rule> {
    ObjectCodec(
      Rule.tag, Rule.object.about, defaults: EncodedRule(rule: Rule.object.defaults),
      ObjectCodec<NumberFormat>.keys.map { $0.lifted(\.number) }
        + Rule.object.keys.map { $0.lifted(\.rule) }
    ) { encoded, node throws(JSONError) in
      for (number, key) in encoded.rule.extremes { try encoded.number.check(number, at: node.at(key)) }
      try Rule.object.check(encoded.rule, node)
    }
  }
}

extension Counter: WrittenRule {
  static let tag = "counter"
  static let about = "A counter."
  static let object = ObjectCodec<Counter>(
    "field_counter", "a counter", defaults: Counter(),
    [
      Field("from", \.first, .number, "The first number. Default: 0."),
      Field("step", \.step, .number, "The increment. Default: 1."),
      Field(
        "to", \.last, .number,
        "The last number before the counter restarts. Default: the last one that fits the format."),
    ])

  var start: (number: Double, key: String) { (first, "from") }
  var extremes: [(number: Double, key: String)] { [start] + (last.map { [($0, "to")] } ?? []) }
  var rule: NumberRule { .counter(self) }

  init?(_ rule: NumberRule) {
    guard case .counter(let counter) = rule else { return nil }
    self = counter
  }
}

extension Ramp: WrittenRule {
  static let tag = "ramp"
  static let about = "A ramp."
  static let object = ObjectCodec<Ramp>(
    "field_ramp", "a ramp", defaults: Ramp(first: 0, last: 0, period: 2),
    [
      .required("from", \.first, .number, "The first number."),
      .required("to", \.last, .number, "The last number, after which the ramp restarts."),
      .required(
        "period", \.period, .integer(2...1_000_000), "The number of values from the first to the last one."),
    ])

  var start: (number: Double, key: String) { (first, "from") }
  var extremes: [(number: Double, key: String)] { [start, (last, "to")] }
  var rule: NumberRule { .ramp(self) }

  init?(_ rule: NumberRule) {
    guard case .ramp(let ramp) = rule else { return nil }
    self = ramp
  }
}

extension Sine: WrittenRule {
  static let tag = "sine"
  static let about = "A sine wave."
  static let object = ObjectCodec<Sine>(
    "field_sine", "a sine", defaults: Sine(middle: 0, amplitude: 0, period: 1),
    [
      .required("middle", \.middle, .number, "The midpoint, which is also the first number."),
      .required("amplitude", \.amplitude, .number, "The largest distance from the midpoint."),
      .required("period", \.period, .integer(1...1_000_000), "The number of values in one period."),
    ])

  var start: (number: Double, key: String) { (middle, "middle") }
  var extremes: [(number: Double, key: String)] {
    [(middle + amplitude, "amplitude"), (middle - amplitude, "amplitude")]
  }
  var rule: NumberRule { .sine(self) }

  init?(_ rule: NumberRule) {
    guard case .sine(let sine) = rule else { return nil }
    self = sine
  }
}

extension RandomWalk: WrittenRule {
  static let tag = "walk"
  static let about = "A random walk, the same in every run."
  static let object = ObjectCodec<RandomWalk>(
    "field_walk", "a random walk", defaults: RandomWalk(from: 0, step: 0, within: 0...0),
    [
      .required("from", \.first, .number, "The first number."),
      .required("step", \.step, .number, "The largest difference between two consecutive numbers."),
      .required("least", \.least, .number, "The lower bound."),
      .required("greatest", \.greatest, .number, "The upper bound."),
      Field(
        "seed", \.seed, .integer(0...0x1F_FFFF_FFFF_FFFF),
        "The seed of the random numbers: equal seeds give equal walks. Default: 1."),
    ]
  ) { walk, node throws(JSONError) in
    guard walk.least <= walk.first, walk.first <= walk.greatest else {
      throw node.at("from").mismatch("a number from \"least\" to \"greatest\"")
    }
  }

  var start: (number: Double, key: String) { (first, "from") }
  var extremes: [(number: Double, key: String)] { [(least, "least"), (greatest, "greatest")] }
  var rule: NumberRule { .walk(self) }

  init?(_ rule: NumberRule) {
    guard case .walk(let walk) = rule else { return nil }
    self = walk
  }
}

extension RandomNumbers: WrittenRule {
  static let tag = "random"
  static let about = "Random numbers, the same in every run."
  static let object = ObjectCodec<RandomNumbers>(
    "field_random", "random numbers", defaults: RandomNumbers(within: 0...0),
    [
      .required("least", \.least, .number, "The lower bound."),
      .required("greatest", \.greatest, .number, "The upper bound."),
      Field(
        "seed", \.seed, .integer(0...0x1F_FFFF_FFFF_FFFF),
        "The seed of the random numbers: equal seeds give equal numbers. Default: 1."),
    ]
  ) { numbers, node throws(JSONError) in
    guard numbers.least <= numbers.greatest else {
      throw node.at("greatest").mismatch("a number that is not below \"least\"")
    }
  }

  var start: (number: Double, key: String) { (least, "least") }
  var extremes: [(number: Double, key: String)] { [start, (greatest, "greatest")] }
  var rule: NumberRule { .random(self) }

  init?(_ rule: NumberRule) {
    guard case .random(let numbers) = rule else { return nil }
    self = numbers
  }
}

extension NumberRule {
  /// The rule by its kind.
  var written: any WrittenRule {
    switch self {
    case .counter(let counter): counter
    case .ramp(let ramp): ramp
    case .sine(let sine): sine
    case .walk(let walk): walk
    case .random(let numbers): numbers
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
