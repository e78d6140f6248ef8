// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import JSON

extension Form<ValueFormat> {
  private static let formats = ValueFormat.all.filter { $0.numberSize != nil }

  /// How a number stands in a value.
  static let number: Form<ValueFormat> = Choice(words: formats.map { ($0.word, $0) }).form
}

extension Shape<Counter> {
  static let counter = Shape(
    "counter", "a counter", blank: Counter(NumberFormat(.hex)),
    [
      .required("format", \.number.format, .number, "How the number stands in the value."),
      Key("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      Key("from", \.first, .number, "The first number. Default: 0."),
      Key("step", \.step, .number, "What is added each time. Default: 1."),
      Key("to", \.last, .number, "The last number, after which the count begins again. Default: what fits."),
    ]
  ) { counter, node throws(JSONError) in
    try counter.number.check(counter.first, at: node.at("from"))
    if let last = counter.last { try counter.number.check(last, at: node.at("to")) }
  }
}

extension Shape<Sine> {
  static let sine = Shape(
    "sine", "a sine", blank: Sine(NumberFormat(.hex), around: 0, amplitude: 0, period: 1),
    [
      .required("format", \.number.format, .number, "How the number stands in the value."),
      Key("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      .required("middle", \.middle, .number, "The number in the middle, which is the first."),
      .required("amplitude", \.amplitude, .number, "How far the numbers swing to either side."),
      .required("period", \.period, .integer(1...1_000_000), "How many values one swing takes."),
    ]
  ) { sine, node throws(JSONError) in
    try sine.number.check(sine.middle + sine.amplitude, at: node.at("amplitude"))
    try sine.number.check(sine.middle - sine.amplitude, at: node.at("amplitude"))
  }
}

extension Shape<RandomWalk> {
  static let walk = Shape(
    "walk", "a random walk", blank: RandomWalk(NumberFormat(.hex), from: 0, step: 0, within: 0...0),
    [
      .required("format", \.number.format, .number, "How the number stands in the value."),
      Key("prefix", \.number.prefix, .value, "The bytes before the number. Default: none."),
      .required("from", \.first, .number, "The first number."),
      .required("step", \.step, .number, "How far the next number may be away."),
      .required("least", \.least, .number, "The least number there is."),
      .required("greatest", \.greatest, .number, "The greatest number there is."),
      Key(
        "seed", \.seed, .integer(0...0x1F_FFFF_FFFF_FFFF),
        "Another seed gives another walk, the same one always the same. Default: 1."),
    ]
  ) { walk, node throws(JSONError) in
    try walk.number.check(walk.least, at: node.at("least"))
    try walk.number.check(walk.greatest, at: node.at("greatest"))
    guard walk.least <= walk.first, walk.first <= walk.greatest else {
      throw node.at("from").isNot("a number from \"least\" to \"greatest\"")
    }
  }
}

extension NumberFormat {
  /// Refuses a number that the format does not hold.
  fileprivate func check(_ number: Double, at node: JSONNode) throws(JSONError) {
    guard let bytes = bytes(number) else {
      throw JSONError(node, "expected numbers that fit \(format.word), found \(number)")
    }
    if bytes.count > 512 {
      throw JSONError(node, "expected values of at most 512 bytes, found \(bytes.count)")
    }
  }
}
