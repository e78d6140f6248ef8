// SPDX-License-Identifier: MIT
internal import JSON

extension Codec<WorldEvent.Trigger> {
  /// The trigger of an event without a time.
  static let condition = OneOf<WorldEvent.Trigger>([
    .init(connected) {
      .connected(device: $0.device, after: $0.delay, repeats: $0.repeats)
    } take: {
      guard case .connected(let device, let delay, let repeats) = $0 else { return nil }
      return Condition(device: device, delay: delay, repeats: repeats)
    },
    .init(operations) {
      .operations(device: $0.device, $0.count, repeats: $0.repeats)
    } take: {
      guard case .operations(let device, let count, let repeats) = $0 else { return nil }
      return Condition(device: device, count: count, repeats: repeats)
    },
  ]).codec

  private struct Condition: Sendable {
    var device = ""
    var count = 1
    var delay = Duration.zero
    var repeats = false
  }

  private static let repeats = Field<Condition>(
    "repeat", \.repeats, .flag, "Whether it happens on every link instead of only the first.")

  private static let connected = ObjectCodec<Condition>(
    "when_connected", "a new link", defaults: Condition(),
    [
      .required("connected", \.device, .address, "The address of the peripheral."),
      Field("after", \.delay, .duration, "The delay after the link is established."), repeats,
    ])

  private static let operations = ObjectCodec<Condition>(
    "when_operations", "a number of reads and writes on a link", defaults: Condition(),
    [
      .required("operations", \.count, .integer(1...1_000_000), "The number of reads and writes on a link."),
      .required("device", \.device, .address, "The address of the peripheral."), repeats,
    ])
}

extension CommandPlace {
  /// The trigger of an event, which has a time or a condition.
  var trigger: WorldEvent.Trigger {
    get { condition ?? .time(at ?? .zero, every: every) }
    set {
      if case .time(let delay, let interval) = newValue {
        (at, every, condition) = (delay, interval, nil)
      } else {
        (at, every, condition) = (nil, nil, newValue)
      }
    }
  }
}
