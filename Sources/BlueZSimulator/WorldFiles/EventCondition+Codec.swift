// SPDX-License-Identifier: MIT
internal import JSON

extension EventCondition {
  /// What an event waits for.
  static let form = Choice<EventCondition>([
    .init(
      connected, make: { .connected($0) },
      take: { if case .connected(let fields) = $0 { fields } else { nil } }),
    .init(
      operations, make: { .operations($0) },
      take: { if case .operations(let fields) = $0 { fields } else { nil } }),
  ]).form

  private static let connected = Shape<Connected>(
    "when_connected", "a link that comes up", blank: Connected(),
    [
      .required(
        "connected", \.device, Form.address, "The address of the peripheral to which a link comes up."),
      Key("after", \.after, Form.duration, "How much later it happens."),
      Key("repeat", \.repeats, Form.flag, "Whether it happens at each link, not at the first only."),
    ])

  private static let operations = Shape<Operations>(
    "when_operations", "so many reads and writes on a link", blank: Operations(),
    [
      .required("operations", \.count, Form.integer(1...1_000_000), "At which read or write on a link."),
      .required("device", \.device, Form.address, "The address of the peripheral."),
      Key("repeat", \.repeats, Form.flag, "Whether it happens on each link, not on the first only."),
    ])
}

extension CommandFields {
  /// When an event happens; nil where nothing is said of it.
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
