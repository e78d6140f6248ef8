// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

/// A kind of generated values for `on_read` and, with an interval, for `notifies` and for advertised data.
struct GeneratorKind: Sendable {
  let read: OneOf<ReadBehaviour>.Variant
  let notify: OneOf<NotifyBehaviour>.Variant
  let advertise: OneOf<AdvertisedChanges>.Variant

  static let all = [
    list, GeneratorKind(Counter.self), GeneratorKind(Ramp.self), GeneratorKind(Sine.self),
    GeneratorKind(RandomWalk.self), GeneratorKind(RandomNumbers.self), clock, layout,
  ]

  private struct Timed<Rule: Sendable & Equatable>: Sendable, Equatable {
    var rule: Rule
    var interval: Duration
  }

  /// The first key is the tag of the kind.
  private init<Rule: Sendable & Equatable>(
    _ keys: [Field<Rule>], defaults: Rule,
    check: @escaping @Sendable (Rule, JSONNode) throws(JSONError) -> Void = { _, _ throws(JSONError) in },
    make: @escaping @Sendable (Rule) -> ValueGenerator, take: @escaping @Sendable (ValueGenerator) -> Rule?
  ) {
    let tag = keys[0].name
    func timed(_ name: String, _ kind: String, _ aboutInterval: String) -> ObjectCodec<Timed<Rule>> {
      let interval = Field<Timed<Rule>>(
        "every", \.interval, .interval, "\(aboutInterval) Default: \"1s\".")
      return ObjectCodec<Timed<Rule>>(
        "\(name)_\(tag)", kind, defaults: Timed(rule: defaults, interval: .seconds(1)),
        keys.map { $0.lifted(\.rule) } + [interval]
      ) { timed, node throws(JSONError) in
        try check(timed.rule, node)
      }
    }
    read = .init(
      ObjectCodec<Rule>("read_\(tag)", "the result of a read", defaults: defaults, keys, check: check)
    ) {
      .next(make($0))
    } take: {
      if case .next(let generator) = $0 { take(generator) } else { nil }
    }
    notify = .init(timed("notify", "notifications", "The time between two values.")) {
      .generate(make($0.rule), every: $0.interval)
    } take: {
      guard case .generate(let generator, let interval) = $0 else { return nil }
      return take(generator).map { Timed(rule: $0, interval: interval) }
    }
    advertise = .init(timed("advertise", "data that changes", "How long each value is advertised.")) {
      .generate(make($0.rule), every: $0.interval)
    } take: {
      guard case .generate(let generator, let interval) = $0 else { return nil }
      return take(generator).map { Timed(rule: $0, interval: interval) }
    }
  }

  private init<Rule: WrittenRule>(_ kind: Rule.Type) {
    let object = ObjectCodec.encoded(kind)
    self.init([.required(Rule.tag, \.self, object.codec, Rule.about)], defaults: object.defaults) {
      .numbers($0.rule.rule, $0.number)
    } take: {
      guard case .numbers(let rule, let number) = $0 else { return nil }
      return Rule(rule).map { EncodedRule(rule: $0, number: number) }
    }
  }

  private static let list = GeneratorKind(
    [
      .required(
        "list", \.self, Codec<[UInt8]>.value.list("an array of at least one value", atLeast: 1),
        "These values in turn, repeated forever.")
    ], defaults: []
  ) {
    .list($0)
  } take: {
    if case .list(let values) = $0 { values } else { nil }
  }

  private static let clock = GeneratorKind(
    [
      .required(
        "clock", \.self, OneOf<ClockFormat>(words: [("current-time", .currentTime), ("text", .text)]).codec,
        "The current time, UTC: the ten bytes of Current Time (2A2B), or text such as \"2026-04-12 12:34:41\"."
      )
    ], defaults: .text
  ) {
    .clock($0)
  } take: {
    if case .clock(let format) = $0 { format } else { nil }
  }

  private static let layout = GeneratorKind(
    [
      .required("layout", \.layout, .layout, "The fields in the order of the bytes, as in a profile."),
      Field("fields", \.fields, .fields(.elements), "Values of the fields, by name. Default: zero."),
    ], defaults: LayoutRule(.empty)
  ) { rule, node throws(JSONError) in
    try rule.check(node)
  } make: {
    .layout($0)
  } take: {
    if case .layout(let rule) = $0 { rule } else { nil }
  }
}
