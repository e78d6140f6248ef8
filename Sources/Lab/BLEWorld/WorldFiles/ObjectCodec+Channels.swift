// SPDX-License-Identifier: MIT
internal import JSON

extension ObjectCodec<ChannelSpec> {
  static let channel = ObjectCodec(
    "channel", "an L2CAP channel", defaults: ChannelSpec(psm: 0),
    [
      .required("psm", \.psm, .integer(1...255), "Its number; most devices use one from 128 on."),
      Field("does", \.behaviour, .channel, "What it does with packets. Default: \"echo\"."),
    ])
}

extension Codec<ChannelBehaviour> {
  private static let close = OneOf<ChannelBehaviour>.Variant(
    ObjectCodec<Int>(
      "channel_close", "what a channel does", defaults: 0,
      [
        .required(
          "close_after", \.self, .integer(1...1_000_000_000),
          "It sends packets back, and closes the channel after so many bytes.")
      ])
  ) {
    .close(after: $0)
  } take: {
    if case .close(let count) = $0 { count } else { nil }
  }

  static let channel = OneOf<ChannelBehaviour>(words: [("echo", .echo), ("hold", .hold)], [close]).codec
}
