// SPDX-License-Identifier: MIT
internal import JSON

extension Form<ReadBehaviour> {
  private static let delay = Choice<ReadBehaviour>.Variant(
    Shape<Duration>(
      "read_delay", "what a read gives", blank: .zero,
      [.required("delay", \.self, .duration, "The value, after this time.")])
  ) {
    .slow($0)
  } take: {
    if case .slow(let delay) = $0 { delay } else { nil }
  }

  private static let error = Choice<ReadBehaviour>.Variant(
    Shape<UInt8>(
      "read_error", "what a read gives", blank: 0,
      [.required("error", \.self, .attError, "Refuse with this ATT error.")])
  ) {
    .fails($0)
  } take: {
    if case .fails(let code) = $0 { code } else { nil }
  }

  /// What reading does.
  static let reading = Choice<ReadBehaviour>(
    words: [("value", .value), ("stall", .stall)], [delay, error] + GeneratorKind.all.map(\.read)
  ).form

  /// What reading a descriptor does.
  static let simpleReading = Choice<ReadBehaviour>(
    words: [("value", .value), ("stall", .stall)], [delay, error]
  ).form
}

extension Form<WriteBehaviour> {
  private static let error = Choice<WriteBehaviour>.Variant(
    Shape<UInt8>(
      "write_error", "what a write does", blank: 0,
      [.required("error", \.self, .attError, "Refuse with this ATT error.")])
  ) {
    .fails($0)
  } take: {
    if case .fails(let code) = $0 { code } else { nil }
  }

  private static let echo = Choice<WriteBehaviour>.Variant(
    Shape<AttributeUUID>(
      "write_echo", "what a write does", blank: AttributeUUID(0),
      [.required("echo", \.self, .characteristic, "This characteristic notifies what is written.")])
  ) {
    .echo(to: $0)
  } take: {
    if case .echo(let target) = $0 { target } else { nil }
  }

  private static let burst = Choice<WriteBehaviour>.Variant(
    Shape<AttributeUUID>(
      "write_burst", "what a write does", blank: AttributeUUID(0),
      [
        .required(
          "burst", \.self, .characteristic,
          "This characteristic notifies so many numbered values as the 16-bit number written says.")
      ])
  ) {
    .burst(to: $0)
  } take: {
    if case .burst(let target) = $0 { target } else { nil }
  }

  private static let answers = Choice<WriteBehaviour>.Variant(
    Shape<[WriteAnswer]>(
      "write_answers", "what a write does", blank: [],
      [
        .required(
          "answers", \.self, Shape.answer.form.list("an array of at least one answer", atLeast: 1),
          "Each answer whose request is what was written is given.")
      ])
  ) {
    .answer($0)
  } take: {
    if case .answer(let answers) = $0 { answers } else { nil }
  }

  /// What writing does.
  static let writing = Choice<WriteBehaviour>(
    words: [("store", .store), ("discard", .discard), ("hang_up", .hangUp), ("stall", .stall)],
    [error, echo, burst, answers]
  ).form
}

extension Shape<WriteAnswer> {
  fileprivate static let answer = Shape(
    "answer", "an answer to a write", blank: WriteAnswer(to: [], with: [], on: AttributeUUID(0)),
    [
      .required("request", \.request, .pattern, "What is written; ?? stands for any byte, which is kept."),
      .required(
        "response", \.response, .pattern, "What is notified; ?? stands for the next byte that was kept."),
      .required("from", \.source, .characteristic, "The characteristic that notifies it."),
    ]
  ) { answer, node throws(JSONError) in
    let (kept, used) = (answer.request.count { $0 == nil }, answer.response.count { $0 == nil })
    guard used > kept else { return }
    throw JSONError(
      node.at("response"),
      "expected as many open bytes as in the request at most, which are \(kept), found \(used)")
  }
}

extension Form<NotifyBehaviour> {
  private static let flood = Choice<NotifyBehaviour>.Variant(
    Shape<Flood>(
      "notify_flood", "what is notified", blank: Flood(),
      [
        .required("flood", \.count, .integer(1...100_000_000), "So many numbered values."),
        Key(
          "per_second", \.perSecond, .integer(1...1_000_000),
          "So many of them a second. Default: as fast as they can be sent."),
      ])
  ) {
    .flood(count: $0.count, perSecond: $0.perSecond)
  } take: {
    if case .flood(let count, let rate) = $0 { Flood(count: count, perSecond: rate) } else { nil }
  }

  private struct Flood {
    var count = 0
    var perSecond: Int?
  }

  private static let replay = Choice<NotifyBehaviour>.Variant(
    Shape<Recording>(
      "notify_replay", "what is notified", blank: Recording(path: ""),
      [
        .required(
          "replay", \.path, .path, "The values of this log (the records of blectl subscribe --json)."),
        Key(
          "characteristic", \.characteristic, .characteristic,
          "Whose values of the log to take. Default: its own."),
        Key("every", \.interval, .interval, "The time between two values. Default: as in the log."),
        Key("repeats", \.repeats, .flag, "Whether to begin anew at the end. Default: false."),
      ])
  ) {
    .replay($0)
  } take: {
    if case .replay(let recording) = $0 { recording } else { nil }
  }

  /// What a characteristic notifies by itself.
  static let notifying = Choice<NotifyBehaviour>(
    words: [("on_demand", .onDemand)], GeneratorKind.all.map(\.notify) + [replay, flood]
  ).form
}
