// SPDX-License-Identifier: MIT
internal import JSON

/// The state of the reception by one host.
struct PageReception: Sendable {
  private var state = PageModel.Listening.unknown
  /// The state while nothing is heard, though nothing is known to be missing.
  private var silence: PageModel.Listening?

  static let events: Set<String> = [
    "started", "interrupted", "resumed", "recovering", "recovered", "silent", "heard", "state",
  ]

  /// The state: of what is missing, before that of a silence.
  var listening: PageModel.Listening { if case .interrupted = state { state } else { silence ?? state } }

  /// Takes a record of one of the events.
  mutating func take(_ event: String, _ record: JSONNode, _ time: String) {
    let interrupted = PageModel.Listening.interrupted(reason: record["reason"]?.string ?? "", since: time)
    switch event {
    case "started", "resumed": state = .listening(adapter: record["adapter"]?.string)
    case "interrupted": state = interrupted
    case "recovering", "silent": silence = interrupted
    case "recovered", "heard": silence = nil
    default:
      guard let word = record["state"]?.string else { return }
      state =
        word == "on" ? .listening(adapter: nil) : .interrupted(reason: "Bluetooth: \(word)", since: time)
    }
  }
}
