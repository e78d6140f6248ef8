// SPDX-License-Identifier: MIT
internal import Glibc
package import ValueStreams

/// A log at an MQTT broker, with one message per record.
///
/// A write is complete when the broker has acknowledged each of its messages. Until then its records wait
/// here, and later ones in the queue, so an absent broker costs nothing that fits the buffer. A message whose
/// acknowledgement is lost with the connection is sent again (QoS 1).
package final class BrokerLog: OutputSink {
  package let name: String
  package let progress: OutputProgress? = OutputProgress()
  package let interval = Duration.milliseconds(5)
  package let batchCost = 64 * 1024
  package let sightings: DeviceSightings?

  private let connection: BrokerConnection
  private var format: BrokerRecords
  private var homeAssistant: HomeAssistant?
  private var records: [BrokerMessage] = []
  /// The number of them that were handed to the connection.
  private var publishedCount = 0
  private var notices: BrokerNotices
  /// The numbers of unacknowledged messages; true for records.
  private var outstanding: [Int32: Bool] = [:]
  /// The value of ``BrokerConnection/greetings`` for which the state was published.
  private var greetings = 0
  private let report: @Sendable (String) -> Void
  private var hasWarned = false

  /// The time of the broker's last acknowledgement, or of the start of the current write.
  private var lastProgress = ContinuousClock.now

  /// The time that a write waits for the broker to acknowledge anything, or to return, before it fails for
  /// now.
  private static let limits = (acknowledging: Duration.seconds(20), connecting: Duration.seconds(1))
  /// The same once no more records come.
  private static let lastLimits = (acknowledging: Duration.seconds(5), connecting: Duration.seconds(5))
  /// The time that the log waits for a connection between two writes.
  private static let careTime = Duration.milliseconds(500)
  /// The time that a log that ends waits to hear what the broker has kept.
  private static let tellingTime = Duration.seconds(2)
  /// The longest wait for the network in one step.
  private static let step = Duration.milliseconds(100)

  /// Prepares a log, which ``connect(within:)`` connects; `name` appears in messages, and has no password.
  ///
  /// With `settings`, it announces devices to Home Assistant.
  package init(
    name: String, address: BrokerAddress, credentials: BrokerCredentials,
    announces settings: HomeAssistantSettings? = nil, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(BrokerFailure) {
    (self.name, self.report) = (name, report)
    format = BrokerRecords(topic: address.topic)
    homeAssistant = settings.map { HomeAssistant($0, topic: address.topic, report: report) }
    sightings = settings?.sightings
    notices = BrokerNotices(statusTopic: format.statusTopic)
    let client = try MosquittoClient(to: address, credentials)
    try client.setWill(topic: format.statusTopic, payload: BrokerNotices.offline)
    // The state is the last: the broker tells back that the log is online after everything that it has kept.
    let topics = (settings == nil ? [] : HomeAssistant.topics) + [format.statusTopic]
    connection = BrokerConnection(address, client: client, topics: topics)
  }

  /// Blocks until the broker accepts the connection; a log without one can be written, and tries again.
  package func connect(within time: Duration?) throws(BrokerFailure) {
    let limit = time.map { ContinuousClock.now + $0 }
    while !connection.isUp {
      connection.advance(BrokerLog.step)
      if connection.isPausing, let failure = connection.failure { throw failure }
      if let limit, limit <= .now {
        throw BrokerFailure(.unreachable, "the broker does not answer")
      }
    }
  }

  // MARK: Writing

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    // After a failure, the same events come again: messages that the broker has are not sent again.
    if records.isEmpty { prepare(events) }
    try deliver()
    records = []
    publishedCount = 0
  }

  private func prepare(_ events: [StreamEvent]) {
    for event in events {
      homeAssistant?.take(event, at: .now)
      records += format.messages(of: event)
    }
    progress?.begin(records.count)
    lastProgress = .now
  }

  private var isDone: Bool {
    publishedCount == records.count && notices.messages.isEmpty && outstanding.isEmpty
  }

  /// Publishes the waiting messages until the broker has acknowledged them.
  private func deliver() throws(OutputError) {
    // The last attempt of a write shares its time with the one before.
    if progress?.isEnding != true { lastProgress = .now }
    while true {
      try publish()
      if isDone { return }
      let isEnding = progress?.isEnding == true
      if isEnding { connection.hurry() }
      connection.advance(BrokerLog.step)
      if takeAcknowledged() { lastProgress = .now }
      let limits = isEnding ? BrokerLog.lastLimits : BrokerLog.limits
      let waited = lastProgress.duration(to: .now)
      if connection.isUp {
        guard waited > limits.acknowledging else { continue }
        connection.drop("the broker does not answer")
      } else if waited <= limits.connecting {
        continue
      }
      throw OutputError(connection.failure?.reason ?? "the broker does not answer")
    }
  }

  /// Hands as many messages to the connection as may be on their way.
  private func publish() throws(OutputError) {
    guard connection.isUp else { return }
    if greetings != connection.greetings {
      greetings = connection.greetings
      notices.greet()
      homeAssistant?.greet(at: .now)
    }
    while let message = connection.nextMessage() { receive(message) }
    // Only then, so that states that change while the broker is slow are published once.
    if notices.messages.isEmpty, !notices.isEnding, let new = homeAssistant?.messages(at: .now) {
      notices.announce(new)
    }
    while outstanding.count < MosquittoClient.window {
      let isRecord = notices.messages.isEmpty
      guard let message = isRecord ? nextRecord : notices.messages.first else { return }
      do throws(BrokerFailure) {
        outstanding[try connection.publish(message)] = isRecord
      } catch {
        throw OutputError(error.reason)
      }
      if isRecord { publishedCount += 1 } else { notices.removeFirst() }
    }
  }

  private func receive(_ message: ReceivedMessage) {
    guard message.topic == format.statusTopic else {
      homeAssistant?.receive(message, at: .now)
      return
    }
    guard let payload = message.payload else { return }
    switch notices.receive(payload, isRetained: message.isRetained) {
    case .none: break
    case .shared: warnOfOthers()
    case .overwritten(let isOthers):
      // The other one has also published states of devices, which it has perhaps never heard.
      homeAssistant?.renew(at: .now)
      if isOthers { warnOfOthers() }
    }
  }

  private func warnOfOthers() {
    guard !hasWarned else { return }
    hasWarned = true
    report("another program writes to \(name), too: each needs a topic of its own")
  }

  private var nextRecord: BrokerMessage? { publishedCount < records.count ? records[publishedCount] : nil }

  /// - Returns: whether the broker acknowledged anything.
  private func takeAcknowledged() -> Bool {
    var hasAny = false
    while let number = connection.nextAcknowledged() {
      guard let isRecord = outstanding.removeValue(forKey: number) else { continue }
      if isRecord { progress?.advance() }
      hasAny = true
    }
    return hasAny
  }

  // MARK: Between writes

  package func sync() throws(OutputError) -> Bool {
    let limit = ContinuousClock.now + BrokerLog.careTime
    repeat {
      try publish()
      connection.advance(isIdle ? .zero : BrokerLog.step)
      _ = takeAcknowledged()
    } while !isIdle && limit > .now
    return false
  }

  /// True if nothing is under way: it waits for the next attempt, or the broker knows the state.
  private var isIdle: Bool {
    connection.isUp
      ? greetings == connection.greetings && notices.messages.isEmpty && outstanding.isEmpty
      : connection.isPausing
  }

  package func close() throws(OutputError) {
    let isCleaning = homeAssistant?.isCleaningDue == true
    if connection.isUp {
      if isCleaning { awaitTelling() }
      end()
    }
    if isCleaning, homeAssistant?.isCleaningDue == true || !isDone {
      throw OutputError("the broker was too slow for --home-assistant-clean, and keeps what it has")
    }
  }

  /// Waits until the broker has told what it had kept: the command may have been very short.
  private func awaitTelling() {
    let limit = ContinuousClock.now + BrokerLog.tellingTime
    while connection.isUp, !notices.isToldBack, limit > .now {
      try? publish()
      connection.advance(BrokerLog.step)
      _ = takeAcknowledged()
    }
  }

  private func end() {
    if greetings == connection.greetings, var last = homeAssistant {
      notices.announce(last.messages(at: .now, everything: true))
      if notices.isToldBack { notices.announce(last.cleanAtEnd()) }
      homeAssistant = last
    }
    notices.end()
    lastProgress = .now
    try? deliver()
    // If the state could not be published, the will does it.
    if isDone { connection.close() }
  }
}
