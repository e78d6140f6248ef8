// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Codec<ValueFormat> {
  private static let formats = ValueFormat.all.filter { $0.numberSize != nil }

  static let number: Codec<ValueFormat> = OneOf(words: formats.map { ($0.word, $0) }).codec
}

extension ObjectCodec<Counter> {
  static let counter = ObjectCodec(
    "counter", "a counter", defaults: Counter(NumberFormat(.hex)),
    [
      .required("format", \.number.format, .number, "How the number is encoded."),
      Field("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      Field("from", \.first, .number, "The first number. Default: 0."),
      Field("step", \.step, .number, "The increment. Default: 1."),
      Field(
        "to", \.last, .number,
        "The last number before the counter restarts. Default: the last one that fits the format."),
    ]
  ) { counter, node throws(JSONError) in
    try counter.number.check(counter.first, at: node.at("from"))
    if let last = counter.last { try counter.number.check(last, at: node.at("to")) }
  }
}

extension ObjectCodec<Sine> {
  static let sine = ObjectCodec(
    "sine", "a sine", defaults: Sine(number: NumberFormat(.hex), middle: 0, amplitude: 0, period: 1),
    [
      .required("format", \.number.format, .number, "How the number is encoded."),
      Field("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      .required("middle", \.middle, .number, "The midpoint, which is also the first number."),
      .required("amplitude", \.amplitude, .number, "The largest distance from the midpoint."),
      .required("period", \.period, .integer(1...1_000_000), "The number of values in one period."),
    ]
  ) { sine, node throws(JSONError) in
    try sine.number.check(sine.middle + sine.amplitude, at: node.at("amplitude"))
    try sine.number.check(sine.middle - sine.amplitude, at: node.at("amplitude"))
  }
}

extension ObjectCodec<RandomWalk> {
  static let walk = ObjectCodec(
    "walk", "a random walk", defaults: RandomWalk(NumberFormat(.hex), from: 0, step: 0, within: 0...0),
    [
      .required("format", \.number.format, .number, "How the number is encoded."),
      Field("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      .required("from", \.first, .number, "The first number."),
      .required("step", \.step, .number, "The largest difference between two consecutive numbers."),
      .required("least", \.least, .number, "The lower bound."),
      .required("greatest", \.greatest, .number, "The upper bound."),
      Field(
        "seed", \.seed, .integer(0...0x1F_FFFF_FFFF_FFFF),
        "The seed of the random numbers: equal seeds give equal walks. Default: 1."),
    ]
  ) { walk, node throws(JSONError) in
    try walk.number.check(walk.least, at: node.at("least"))
    try walk.number.check(walk.greatest, at: node.at("greatest"))
    guard walk.least <= walk.first, walk.first <= walk.greatest else {
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
