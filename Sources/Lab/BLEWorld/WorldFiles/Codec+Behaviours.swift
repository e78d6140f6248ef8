// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import JSON

extension Codec<ReadBehaviour> {
  private static let delay = OneOf<ReadBehaviour>.Variant(
    ObjectCodec<Duration>(
      "read_delay", "the result of a read", defaults: .zero,
      [.required("delay", \.self, .duration, "Return the value after this time.")])
  ) {
    .slow($0)
  } take: {
    if case .slow(let delay) = $0 { delay } else { nil }
  }

  private static let error = OneOf<ReadBehaviour>.Variant(
    ObjectCodec<UInt8>(
      "read_error", "the result of a read", defaults: 0,
      [.required("error", \.self, .attError, "Refuse with this ATT error.")])
  ) {
    .fails($0)
  } take: {
    if case .fails(let code) = $0 { code } else { nil }
  }

  static let reading = OneOf<ReadBehaviour>(
    words: [("value", .value), ("stall", .stall)], [delay, error] + GeneratorKind.all.map(\.read)
  ).codec

  static let simpleReading = OneOf<ReadBehaviour>(
    words: [("value", .value), ("stall", .stall)], [delay, error]
  ).codec
}

extension Codec<WriteBehaviour> {
  private static let error = OneOf<WriteBehaviour>.Variant(
    ObjectCodec<UInt8>(
      "write_error", "the effect of a write", defaults: 0,
      [.required("error", \.self, .attError, "Refuse with this ATT error.")])
  ) {
    .fails($0)
  } take: {
    if case .fails(let code) = $0 { code } else { nil }
  }

  private static let echo = OneOf<WriteBehaviour>.Variant(
    ObjectCodec<BluetoothUUID>(
      "write_echo", "the effect of a write", defaults: BluetoothUUID(0),
      [
        .required(
          "echo", \.self, .characteristic, "This characteristic notifies the bytes that were written.")
      ])
  ) {
    .echo(to: $0)
  } take: {
    if case .echo(let target) = $0 { target } else { nil }
  }

  private static let burst = OneOf<WriteBehaviour>.Variant(
    ObjectCodec<BluetoothUUID>(
      "write_burst", "the effect of a write", defaults: BluetoothUUID(0),
      [
        .required(
          "burst", \.self, .characteristic,
          "This characteristic sends N numbered notifications, where N is the 16-bit number that was written."
        )
      ])
  ) {
    .burst(to: $0)
  } take: {
    if case .burst(let target) = $0 { target } else { nil }
  }

  private static let answers = OneOf<WriteBehaviour>.Variant(
    ObjectCodec<[WriteAnswer]>(
      "write_answers", "the effect of a write", defaults: [],
      [
        .required(
          "answers", \.self, ObjectCodec.answer.codec.list("an array of at least one answer", atLeast: 1),
          "Every answer whose request matches the bytes written is sent.")
      ])
  ) {
    .answer($0)
  } take: {
    if case .answer(let answers) = $0 { answers } else { nil }
  }

  static let writing = OneOf<WriteBehaviour>(
    words: [("store", .store), ("discard", .discard), ("hang_up", .hangUp), ("stall", .stall)],
    [error, echo, burst, answers]
  ).codec
}

extension ObjectCodec<WriteAnswer> {
  fileprivate static let answer = ObjectCodec(
    "answer", "an answer to a write", defaults: WriteAnswer(to: [], with: [], on: BluetoothUUID(0)),
    [
      .required("request", \.request, .pattern, "The bytes to match; ?? matches any byte and captures it."),
      .required(
        "response", \.response, .pattern, "The bytes to notify; ?? is replaced by the next captured byte."),
      .required("from", \.source, .characteristic, "The characteristic that sends the notification."),
      Field(
        "more", \.allowsMore, .flag, "Whether more bytes may follow those of the request. Default: false."),
    ]
  ) { answer, node throws(JSONError) in
    let (kept, used) = (answer.request.count { $0 == nil }, answer.response.count { $0 == nil })
    guard used > kept else { return }
    throw JSONError(
      node.at("response"),
      "expected at most \(kept) ?? as in the request, found \(used)")
  }
}

extension Codec<NotifyBehaviour> {
  private static let flood = OneOf<NotifyBehaviour>.Variant(
    ObjectCodec<Flood>(
      "notify_flood", "notifications", defaults: Flood(),
      [
        .required(
          "flood", \.count, .integer(1...100_000_000), "The number of notifications, which are numbered."),
        Field(
          "per_second", \.perSecond, .integer(1...1_000_000),
          "Notifications per second. Default: as fast as possible."),
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

  private static let replay = OneOf<NotifyBehaviour>.Variant(
    ObjectCodec<Recording>(
      "notify_replay", "notifications", defaults: Recording(path: ""),
      [
        .required(
          "replay", \.path, .path, "Replay the values of this log, written by blectl subscribe --json."),
        Field(
          "characteristic", \.characteristic, .characteristic,
          "The characteristic in the log. Default: the one that replays it."),
        Field("every", \.interval, .interval, "The time between two values. Default: as in the log."),
        Field("repeats", \.repeats, .flag, "Whether to start again at the end. Default: false."),
      ])
  ) {
    .replay($0)
  } take: {
    if case .replay(let recording) = $0 { recording } else { nil }
  }

  static let notifying = OneOf<NotifyBehaviour>(
    words: [("on_demand", .onDemand)], GeneratorKind.all.map(\.notify) + [replay, flood]
  ).codec
}
