// SPDX-License-Identifier: MIT
internal import JSON

extension EventCondition {
  /// The trigger of an event.
  static let codec = OneOf<EventCondition>([
    .init(
      connected, make: { .connected($0) },
      take: { if case .connected(let fields) = $0 { fields } else { nil } }),
    .init(
      operations, make: { .operations($0) },
      take: { if case .operations(let fields) = $0 { fields } else { nil } }),
  ]).codec

  private static let connected = ObjectCodec<Connected>(
    "when_connected", "a new link", defaults: Connected(),
    [
      .required(
        "connected", \.device, Codec.address, "The address of the peripheral."),
      Field("after", \.after, Codec.duration, "The delay after the link is established."),
      Field("repeat", \.repeats, Codec.flag, "Whether it happens on every link instead of only the first."),
    ])

  private static let operations = ObjectCodec<Operations>(
    "when_operations", "a number of reads and writes on a link", defaults: Operations(),
    [
      .required(
        "operations", \.count, Codec.integer(1...1_000_000), "The number of reads and writes on a link."),
      .required("device", \.device, Codec.address, "The address of the peripheral."),
      Field("repeat", \.repeats, Codec.flag, "Whether it happens on every link instead of only the first."),
    ])
}

extension CommandObject {
  /// The trigger of an event; nil without one.
  var trigger: WorldEvent.Trigger? {
    get {
      if let at { return .time(at, every: every) }
      return switch condition {
      case .connected(let when): .connected(device: when.device, after: when.after, repeats: when.repeats)
      case .operations(let when): .operations(device: when.device, when.count, repeats: when.repeats)
      case nil: nil
      }
    }
    set {
      (at, every, condition) = (nil, nil, nil)
      switch newValue {
      case .time(let delay, let interval): (at, every) = (delay, interval)
      case .connected(let device, let after, let repeats):
        condition = .connected(.init(device: device, after: after, repeats: repeats))
      case .operations(let device, let count, let repeats):
        condition = .operations(.init(count: count, device: device, repeats: repeats))
      case nil: break
      }
    }
  }
}
