// SPDX-License-Identifier: MIT

/// The messages to publish before the next record: the state of the log, and the announcements for Home Assistant.
struct BrokerNotices {
  private(set) var messages: [BrokerMessage] = []
  private let statusTopic: String
  /// True if nothing comes any more.
  private(set) var isEnding = false

  static let online = Array("online".utf8)
  static let offline = Array("offline".utf8)

  init(statusTopic: String) { self.statusTopic = statusTopic }

  mutating func announce(_ new: [BrokerMessage]) { messages += new }

  /// Begins again over a new connection: the broker may have been restarted without its memory.
  ///
  /// A log that ends is no longer online, also if the broker greets only now.
  mutating func greet() { messages = [.retained(statusTopic, isEnding ? Self.offline : Self.online)] }

  /// Publishes that the log ends, after everything that waits.
  mutating func end() {
    isEnding = true
    messages.append(.retained(statusTopic, Self.offline))
  }

  mutating func removeFirst() { messages.removeFirst() }
}
