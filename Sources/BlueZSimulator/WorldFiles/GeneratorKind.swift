// SPDX-License-Identifier: MIT

/// A kind of generated values, as it stands in `on_read` and, with the time between two, in `notifies`.
struct GeneratorKind: Sendable {
  let read: Choice<ReadBehaviour>.Variant
  let notify: Choice<NotifyBehaviour>.Variant

  static let all = [list, counter, sine, walk, clock]

  private struct Timed<Rule: Sendable & Equatable>: Sendable, Equatable {
    var rule: Rule
    var interval: Duration
  }

  private init<Rule: Sendable & Equatable>(
    _ tag: String, _ about: String, _ form: Form<Rule>, blank: Rule,
    make: @escaping @Sendable (Rule) -> ValueGenerator, take: @escaping @Sendable (ValueGenerator) -> Rule?
  ) {
    read = .init(
      Shape<Rule>("read_\(tag)", "what a read gives", blank: blank, [.required(tag, \.self, form, about)])
    ) {
      .next(make($0))
    } take: {
      if case .next(let generator) = $0 { take(generator) } else { nil }
    }
    notify = .init(
      Shape<Timed<Rule>>(
        "notify_\(tag)", "what is notified", blank: Timed(rule: blank, interval: .seconds(1)),
        [
          .required(tag, \.rule, form, about),
          Key("every", \.interval, .interval, "The time between two values. Default: \"1s\"."),
        ])
    ) {
      .generate(make($0.rule), every: $0.interval)
    } take: {
      guard case .generate(let generator, let interval) = $0 else { return nil }
      return take(generator).map { Timed(rule: $0, interval: interval) }
    }
  }

  private static let list = GeneratorKind(
    "list", "These values in turn, for ever.",
    Form<[UInt8]>.value.list("an array of at least one value", atLeast: 1), blank: []
  ) {
    .list($0)
  } take: {
    if case .list(let values) = $0 { values } else { nil }
  }

  private static let counter = GeneratorKind(
    "counter", "Numbers that count.", Shape.counter.form, blank: Shape.counter.blank
  ) {
    .counter($0)
  } take: {
    if case .counter(let counter) = $0 { counter } else { nil }
  }

  private static let sine = GeneratorKind(
    "sine", "Numbers that swing around a middle.", Shape.sine.form, blank: Shape.sine.blank
  ) {
    .sine($0)
  } take: {
    if case .sine(let sine) = $0 { sine } else { nil }
  }

  private static let walk = GeneratorKind(
    "walk", "Numbers that wander by chance, the same way at each run.", Shape.walk.form,
    blank: Shape.walk.blank
  ) {
    .walk($0)
  } take: {
    if case .walk(let walk) = $0 { walk } else { nil }
  }

  private static let clock = GeneratorKind(
    "clock", "The time, UTC: the ten bytes of Current Time (2A2B), or text such as \"2026-04-12 12:34:41\".",
    Choice<ClockFormat>(words: [("current-time", .currentTime), ("text", .text)]).form, blank: .text
  ) {
    .clock($0)
  } take: {
    if case .clock(let format) = $0 { format } else { nil }
  }
}
