// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import CPlatform
internal import Glibc

/// A connection to a broker that is reopened; used by one thread at a time, which calls ``advance(_:)``.
final class BrokerConnection {
  private enum State {
    case down
    /// A thread connects, since the host may not answer for minutes.
    case dialing(Dial)
    /// The broker has not answered yet.
    case greeting(until: ContinuousClock.Instant)
    case up
  }

  private let address: BrokerAddress
  private let client: MosquittoClient
  /// The topics to which each new connection subscribes.
  private let topics: [String]
  private var state = State.down
  private var delay = BrokerConnection.firstDelay
  private var nextDial = ContinuousClock.now
  /// The reason for the end of the last attempt, or of the last connection; nil before.
  private(set) var failure: BrokerFailure?
  /// The number of times it was connected.
  private(set) var greetings = 0

  private static let firstDelay = Duration.milliseconds(500)
  private static let longestDelay = Duration.seconds(30)
  /// The time limit for the broker to answer a connection.
  private static let greetingTime = Duration.seconds(10)

  init(_ address: BrokerAddress, client: MosquittoClient, topics: [String] = []) {
    self.address = address
    self.client = client
    self.topics = topics
  }

  var isUp: Bool { if case .up = state { true } else { false } }

  /// True if it failed, and does not yet try again.
  var isPausing: Bool { if case .down = state { failure != nil && nextDial > .now } else { false } }

  /// Waits at most the given time for the broker, or until `wake`, an eventfd, is signalled; then does the work that is due.
  func advance(_ time: Duration, wokenBy wake: Int32) {
    guard isUp, let socket = client.socket else { return advance(time) }
    let events = Int16(client.wantsWrite ? POLLIN | POLLOUT : POLLIN)
    var entries = [
      pollfd(fd: socket, events: events, revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&entries, 2, Int32(max(0, Int(time / .milliseconds(1)))))
    casyncio_eventfd_drain(wake)
    advance(.zero)
  }

  /// Does the work that is due, and waits at most the given time for the broker.
  func advance(_ time: Duration) {
    let milliseconds = max(0, Int(time / .milliseconds(1)))
    switch state {
    case .down:
      let left = Int((nextDial - .now) / .milliseconds(1))
      if left > 0 {
        _ = poll(nil, 0, Int32(min(left, milliseconds)))
      } else {
        state = .dialing(Dial(client, to: address))
      }
    case .dialing(let dial):
      switch dial.outcome(within: milliseconds) {
      case nil: break
      case .success: state = .greeting(until: .now + BrokerConnection.greetingTime)
      case .failure(let failure): fail(failure)
      }
    case .greeting(let limit):
      guard loop(milliseconds) else { return }
      if client.isAccepted {
        state = .up
        delay = BrokerConnection.firstDelay
        greetings += 1
        subscribe()
      } else if limit <= .now {
        fail(BrokerFailure(.unreachable, "the broker does not answer"))
      }
    case .up: _ = loop(milliseconds)
    }
  }

  private func subscribe() {
    do throws(BrokerFailure) {
      for topic in topics { try client.subscribe(to: topic) }
    } catch {
      fail(error)
    }
  }

  /// - Returns: false when the connection ended.
  private func loop(_ milliseconds: Int) -> Bool {
    do throws(BrokerFailure) {
      try client.loop(milliseconds: milliseconds)
      return true
    } catch {
      fail(error)
      return false
    }
  }

  private func fail(_ failure: BrokerFailure) {
    self.failure = failure
    state = .down
    // The clients of a broker should not all return at the same moment.
    nextDial = .now + delay * Double.random(in: 0.75...1.25)
    delay = min(delay * 2, BrokerConnection.longestDelay)
  }

  /// Shortens the pause before the next attempt, since little time is left.
  func hurry() { nextDial = min(nextDial, .now + BrokerConnection.firstDelay) }

  func drop(_ reason: String) { fail(BrokerFailure(.unreachable, reason)) }

  /// Publishes over a connection that is up; returns the number of the message, or throws if it is invalid.
  func publish(_ message: BrokerMessage) throws(BrokerFailure) -> Int32 {
    try client.publish(topic: message.topic, payload: message.payload, isRetained: message.isRetained)
  }

  /// Nil until it has connected: the client belongs to that thread.
  private var ownClient: MosquittoClient? { if case .dialing = state { nil } else { client } }

  func nextAcknowledged() -> Int32? { ownClient?.nextAcknowledged() }

  func nextMessage() -> ReceivedMessage? { ownClient?.nextMessage() }

  func takeMissed() -> Int { ownClient?.takeMissed() ?? 0 }

  var isSubscriptionRefused: Bool { ownClient?.isSubscriptionRefused ?? false }

  /// Disconnects properly, so that the broker does not publish the will.
  func close() {
    guard isUp else { return }
    client.disconnect()
    _ = loop(0)
    state = .down
  }
}

/// One attempt to connect, on its own thread.
private final class Dial: Sendable {
  private let result = Monitor<Result<Void, BrokerFailure>?>(nil)

  init(_ client: MosquittoClient, to address: BrokerAddress) {
    WorkerThread.start { [self] in
      let outcome = Result { () throws(BrokerFailure) in try client.connect(to: address) }
      result.withLock { $0 = outcome }
      result.wake()
    }
  }

  /// The result; nil if there is none within that time.
  func outcome(within milliseconds: Int) -> Result<Void, BrokerFailure>? {
    let limit = ContinuousClock.now + .milliseconds(milliseconds)
    return result.wait { $0 != nil || limit <= .now ? .done($0) : .wait(until: limit) }
  }
}
