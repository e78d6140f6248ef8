// SPDX-License-Identifier: MIT

/// A kind of generated values for `on_read` and, with an interval, for `notifies`.
struct GeneratorKind: Sendable {
  let read: OneOf<ReadBehaviour>.Variant
  let notify: OneOf<NotifyBehaviour>.Variant

  static let all = [list, counter, sine, walk, clock]

  private struct Timed<Rule: Sendable & Equatable>: Sendable, Equatable {
    var rule: Rule
    var interval: Duration
  }

  private init<Rule: Sendable & Equatable>(
    _ tag: String, _ about: String, _ codec: Codec<Rule>, defaults: Rule,
    make: @escaping @Sendable (Rule) -> ValueGenerator, take: @escaping @Sendable (ValueGenerator) -> Rule?
  ) {
    read = .init(
      ObjectCodec<Rule>(
        "read_\(tag)", "the result of a read", defaults: defaults, [.required(tag, \.self, codec, about)])
    ) {
      .next(make($0))
    } take: {
      if case .next(let generator) = $0 { take(generator) } else { nil }
    }
    notify = .init(
      ObjectCodec<Timed<Rule>>(
        "notify_\(tag)", "notifications", defaults: Timed(rule: defaults, interval: .seconds(1)),
        [
          .required(tag, \.rule, codec, about),
          Field("every", \.interval, .interval, "The time between two values. Default: \"1s\"."),
        ])
    ) {
      .generate(make($0.rule), every: $0.interval)
    } take: {
      guard case .generate(let generator, let interval) = $0 else { return nil }
      return take(generator).map { Timed(rule: $0, interval: interval) }
    }
  }

  private static let list = GeneratorKind(
    "list", "These values in turn, repeated forever.",
    Codec<[UInt8]>.value.list("an array of at least one value", atLeast: 1), defaults: []
  ) {
    .list($0)
  } take: {
    if case .list(let values) = $0 { values } else { nil }
  }

  private static let counter = GeneratorKind(
    "counter", "A counter.", ObjectCodec.counter.codec, defaults: ObjectCodec.counter.defaults
  ) {
    .counter($0)
  } take: {
    if case .counter(let counter) = $0 { counter } else { nil }
  }

  private static let sine = GeneratorKind(
    "sine", "A sine wave.", ObjectCodec.sine.codec, defaults: ObjectCodec.sine.defaults
  ) {
    .sine($0)
  } take: {
    if case .sine(let sine) = $0 { sine } else { nil }
  }

  private static let walk = GeneratorKind(
    "walk", "A random walk, the same in every run.", ObjectCodec.walk.codec,
    defaults: ObjectCodec.walk.defaults
  ) {
    .walk($0)
  } take: {
    if case .walk(let walk) = $0 { walk } else { nil }
  }

  private static let clock = GeneratorKind(
    "clock",
    "The current time, UTC: the ten bytes of Current Time (2A2B), or text such as \"2026-04-12 12:34:41\".",
    OneOf<ClockFormat>(words: [("current-time", .currentTime), ("text", .text)]).codec, defaults: .text
  ) {
    .clock($0)
  } take: {
    if case .clock(let format) = $0 { format } else { nil }
  }
}
