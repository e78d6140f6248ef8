// SPDX-License-Identifier: MIT
internal import AsyncIO
package import BLEFormats
internal import CPlatform
package import ValueStreams

/// Takes commands from an MQTT broker, and publishes their answers, over a connection and on a thread of its own: neither a slow
/// log nor slow commands hold up the other.
package final class BrokerControl: Sendable {
  /// Carries out a request, and gives its outcome once, on any thread.
  package typealias Performing =
    @Sendable (RemoteRequest, @escaping @Sendable (RemoteOutcome) -> Void) -> Void

  private struct State {
    /// The messages that wait to be published.
    var outgoing: [BrokerMessage] = []
    var memory = CommandMemory()
    /// The retained announcements of what can be controlled, by topic, which each new connection publishes.
    var announced: [String: BrokerMessage] = [:]
    /// The answers that did not fit.
    var dropped = 0
    var isEnding = false
    var controls: HomeAssistantControls
  }

  private let name: String
  private let topic: String
  private let perform: Performing
  private let report: @Sendable (String) -> Void
  private let state: Lock<State>
  /// Signalled when something is to be published.
  private let wake = OwnedDescriptor(adopting: casyncio_eventfd())
  private let ended = Promise<Void>()
  /// The connection until the thread takes it over.
  private let connection: Lock<BrokerConnection?>

  private static let step = Duration.milliseconds(100)
  /// The time limit for the last answers.
  private static let endTime = Duration.seconds(1)
  /// The maximum number of waiting answers, such as while the broker is away.
  private static let mostOutgoing = 10_000

  /// Prepares the connection, which ``start()`` opens; `name` appears in messages, and has no password, and `version` is that
  /// of the program.
  package init(
    name: String, address: BrokerAddress, credentials: BrokerCredentials, version: String,
    report: @escaping @Sendable (String) -> Void, perform: @escaping Performing
  ) throws(BrokerFailure) {
    (self.name, topic, self.report, self.perform) = (name, address.topic, report, perform)
    state = Lock(State(controls: HomeAssistantControls(topic: address.topic, version: version)))
    connection = Lock(
      BrokerConnection(
        address, client: try MosquittoClient(to: address, credentials),
        topics: CommandTopic.filters(under: address.topic)))
  }

  /// Takes commands from now on, over every outage of the broker.
  package func start() {
    WorkerThread.start { [self] in
      if let connection = connection.exchange(nil) { run(over: connection) }
      ended.fulfil(())
    }
  }

  /// Publishes the last answers, which takes at most a second, and ends; called once.
  package func finish() async {
    state.withLock { $0.isEnding = true }
    casyncio_eventfd_signal(wake.raw)
    await ended.value
  }

  /// Announces to Home Assistant how a characteristic can be written: when that is new, and over each new connection.
  package func announce(_ control: LayoutControl, of origin: ValueOrigin) {
    state.withLock { state in
      guard let message = state.controls.add(control, of: origin) else { return }
      let former = state.announced.updateValue(message, forKey: message.topic)
      if former?.payload == message.payload { return }
      state.outgoing.removeAll { $0.topic == message.topic }
      state.outgoing.append(message)
    }
    casyncio_eventfd_signal(wake.raw)
  }

  private func publish(_ message: BrokerMessage) {
    state.withLock { state in
      if state.outgoing.count < Self.mostOutgoing {
        state.outgoing.append(message)
      } else {
        state.dropped += 1
      }
    }
    casyncio_eventfd_signal(wake.raw)
  }

  // MARK: The thread

  private func run(over connection: BrokerConnection) {
    var outstanding: Set<Int32> = []
    var greetings = 0
    var told: String?
    var end: ContinuousClock.Instant?
    while true {
      connection.advance(Self.step, wokenBy: wake.raw)
      tell(of: connection, &told)
      if greetings != connection.greetings {
        greetings = connection.greetings
        repeatAnnouncements()
      }
      while let message = connection.nextMessage() { take(message) }
      while let number = connection.nextAcknowledged() { outstanding.remove(number) }
      // Asked first: after that, no more answers come.
      let isEnding = state.withLock { $0.isEnding }
      let isIdle = send(over: connection, &outstanding)
      guard isEnding else { continue }
      let limit = end ?? .now + Self.endTime
      end = limit
      if isIdle || !connection.isUp || limit <= .now { break }
    }
    connection.close()
  }

  /// Reports outages, and what was lost.
  private func tell(of connection: BrokerConnection, _ told: inout String?) {
    let missed = connection.takeMissed()
    if missed > 0 { report("\(missed) commands from \(name) were lost: too many came at once") }
    let dropped = state.withLock { state in
      defer { state.dropped = 0 }
      return state.dropped
    }
    if dropped > 0 { report("\(dropped) answers to commands from \(name) were lost: too many wait") }
    var problem: String?
    if connection.isUp {
      if connection.isSubscriptionRefused { problem = "the broker refuses the subscription" }
      if problem == nil, told != nil { report("commands can be taken from \(name) again") }
    } else {
      guard connection.isPausing, let failure = connection.failure else { return }
      problem = "\(failure.reason); trying again"
    }
    if let problem, problem != told { report("cannot take commands from \(name): \(problem)") }
    told = problem
  }

  private func repeatAnnouncements() {
    state.withLock { state in
      let waiting = Set(state.outgoing.map(\.topic))
      let missing = state.announced.values.filter { !waiting.contains($0.topic) }
      state.outgoing += missing.sorted { $0.topic < $1.topic }
    }
  }

  /// Hands as many messages to the connection as may be on their way; returns whether none is left.
  private func send(over connection: BrokerConnection, _ outstanding: inout Set<Int32>) -> Bool {
    while connection.isUp, outstanding.count < MosquittoClient.window {
      let room = MosquittoClient.window - outstanding.count
      let next = state.withLock { state in
        defer { state.outgoing.removeFirst(min(room, state.outgoing.count)) }
        return Array(state.outgoing.prefix(room))
      }
      if next.isEmpty { return outstanding.isEmpty }
      for message in next {
        do throws(BrokerFailure) {
          outstanding.insert(try connection.publish(message))
        } catch {
          report("cannot answer a command from \(name): \(error.reason)")
        }
      }
    }
    return false
  }

  // MARK: Commands

  /// Carries out a command, unless it was carried out; answers it in any case.
  private func take(_ message: ReceivedMessage) {
    guard let place = CommandTopic(message.topic, under: topic) else { return }
    let payload: CommandPayload
    let request: RemoteRequest
    do throws(CommandPayload.Fault) {
      guard let bytes = message.payload else {
        throw CommandPayload.Fault(reason: "the payload is too long")
      }
      payload = try CommandPayload(bytes)
      if message.isRetained {
        throw CommandPayload.Fault(reason: "a retained message is not carried out", id: payload.id)
      }
      request = try payload.request(at: place)
    } catch {
      return publish(.answer(.failed(error.reason), id: error.id, at: place))
    }
    guard let id = payload.id else {
      return perform(request) { [self] in publish(.answer($0, id: nil, at: place)) }
    }
    let key = CommandMemory.Key(topic: place, id: id)
    switch state.withLock({ $0.memory.take(key) }) {
    case .answered(let answer): publish(answer)
    case .underWay: break
    case .new:
      perform(request) { [self] outcome in
        let answer = BrokerMessage.answer(outcome, id: id, at: place)
        state.withLock { $0.memory.answer(key, answer) }
        publish(answer)
      }
    }
  }
}
