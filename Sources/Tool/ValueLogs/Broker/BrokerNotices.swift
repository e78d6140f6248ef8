// SPDX-License-Identifier: MIT

/// The messages to publish before the next record: the state of the log, and the announcements for Home Assistant.
struct BrokerNotices {
  private(set) var messages: [BrokerMessage] = []
  private let statusTopic: String
  /// True if nothing comes any more.
  private(set) var isEnding = false
  private var greetings = 0
  /// The number of own messages `online` that the broker has not told back.
  private var untold = 0
  /// True if the broker has told back that this log is online: what it had kept came before.
  private(set) var isToldBack = false

  static let online = Array("online".utf8)
  static let offline = Array("offline".utf8)

  init(statusTopic: String) { self.statusTopic = statusTopic }

  mutating func announce(_ new: [BrokerMessage]) { messages += new }

  /// Begins again over a new connection: the broker may have been restarted without its memory.
  ///
  /// A log that ends is no longer online, also if the broker greets only now.
  mutating func greet() {
    messages = [.retained(statusTopic, isEnding ? Self.offline : Self.online)]
    (untold, isToldBack) = (isEnding ? 0 : 1, false)
    greetings += 1
  }

  /// The meaning of a message about the state of a log on this topic.
  enum News: Equatable {
    case none
    /// Another process writes to the topic.
    case shared
    /// The topic said offline, and is about to be corrected: the will of an earlier connection, or `isOthers`.
    case overwritten(isOthers: Bool)
  }

  /// Handles a message of anyone, also this log, about the state.
  ///
  /// Only over the first connection is it sure who has sent it: later, the broker may tell what came from an earlier one.
  mutating func receive(_ payload: [UInt8], isRetained: Bool) -> News {
    guard !isEnding else { return .none }
    switch payload {
    case Self.online where isRetained: return greetings == 1 ? .shared : .none
    case Self.online:
      isToldBack = true
      if untold > 0 {
        untold -= 1
        return .none
      }
      return greetings == 1 ? .shared : .none
    case Self.offline where !isRetained:
      if !messages.contains(where: { $0.topic == statusTopic }) {
        messages.append(.retained(statusTopic, Self.online))
        untold += 1
      }
      return .overwritten(isOthers: greetings == 1)
    default: return .none
    }
  }

  /// Publishes that the log ends, after everything that waits.
  mutating func end() {
    isEnding = true
    messages.append(.retained(statusTopic, Self.offline))
  }

  mutating func removeFirst() { messages.removeFirst() }
}
