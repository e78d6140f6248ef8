// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import DBus
internal import Glibc

/// One way out of the process: a bounded queue, and a thread that writes what is in it.
///
/// Reading the bus never waits for a slow terminal, a stalled pipe or a full disk: those stop this thread only.
final class Lane: Sendable {
  /// How it ended.
  struct Outcome: Sendable {
    /// How many records were not written.
    var lost = 0
    /// Why it ended early.
    var failure: (any Error)?
    /// Whether it was given up while records waited.
    var isStalled = false
    /// Why what is written at the end could not be written, in words.
    var endFailure: String?
  }

  let name: String
  private let queue: LaneQueue
  private let capacity: Int
  /// Fulfilled when the thread has ended.
  private let ending = Promise<Outcome>()
  /// Fulfilled with the failure that ends the thread early; nil when somebody does not want to wait any more.
  private let failing = Promise<(any Error)?>()
  private let report: @Sendable (String) -> Void
  /// Only the thread uses it.
  private nonisolated(unsafe) let writer: any LaneWriter

  /// How long a failed write waits to be tried again.
  private static let retryTime = Duration.seconds(1)
  /// How often written data is made to outlast a power cut.
  private static let syncTime = Duration.seconds(1)

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - writer: what it writes to; nobody else uses it from now on.
  ///   - capacity: how many bytes may wait.
  ///   - stallTime: a producer does not wait for it when it has taken nothing for so long.
  ///   - report: says something to a person, from any thread.
  init(
    _ writer: any LaneWriter, capacity: Int, stallTime: Duration = .seconds(5),
    report: @escaping @Sendable (String) -> Void
  ) {
    self.writer = writer
    self.capacity = capacity
    self.report = report
    name = writer.name
    queue = LaneQueue(capacity: capacity, stallTime: stallTime)
    WorkerThread.start { [self] in run() }
  }

  // MARK: The loop's side

  /// Queues an event; never waits.
  func send(_ event: StreamEvent) {
    if queue.push(event) {
      report(
        "\(name) takes too little: \(SizeArgument(capacity)) wait (--buffer), more is dropped and counted")
    }
  }

  /// Lets the thread catch up when it is far behind, for a moment.
  func awaitHalf(until limit: ContinuousClock.Instant) { queue.awaitHalf(until: limit) }

  /// Has the writer look again: see ``LaneWriter/refresh()``.
  func nudge() { queue.nudge() }

  /// Waits until writing fails for good.
  ///
  /// - Returns: why; nil when the task was cancelled, or the lane has ended.
  func failure() async -> (any Error)? {
    await withTaskCancellationHandler {
      await failing.value
    } onCancel: { [failing] in
      failing.fulfil(nil)
    }
  }

  /// Lets the lane write what waits, and end.
  ///
  /// - Parameters:
  ///   - patience: how long to wait when the task is cancelled: a reader may never take it.
  ///   - loop: for waiting.
  /// - Returns: how it ended.
  func finish(patience: Duration, on loop: EventLoop) async -> Outcome {
    queue.finish()
    let stalled = { @Sendable [queue, ending] in
      ending.fulfil(Outcome(lost: queue.lostCount + queue.waitingCount, isStalled: true))
    }
    return await withTaskCancellationHandler {
      await ending.value
    } onCancel: {
      _ = RemoteTimer(loop, at: .now + patience, stalled)
    }
  }

  // MARK: The thread

  private func run() {
    var nextSync: ContinuousClock.Instant?
    while true {
      switch queue.take(upTo: writer.batchCost, apart: writer.interval, until: nextSync) {
      case .events(let events):
        guard write(events) else { return }
        if nextSync == nil { nextSync = .now + Lane.syncTime }
      case .nudged: guard refresh() else { return }
      case .timedOut: break
      case .finished:
        return end(Outcome(lost: queue.lostCount, endFailure: close()))
      }
      if let due = nextSync, due <= .now {
        nextSync = sync() ? nil : .now + Lane.syncTime
      }
    }
  }

  /// - Returns: what could not be written at the end.
  @discardableResult
  private func close() -> String? {
    do throws(LaneFailure) {
      try writer.close()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// - Returns: false when nothing can be written any more.
  private func refresh() -> Bool {
    do throws(LaneFailure) {
      try writer.refresh()
      return true
    } catch {
      guard case .final(let reason) = error else { return true }
      fail(reason)
      return false
    }
  }

  private func fail(_ reason: any Error) {
    queue.finish()
    close()
    end(Outcome(lost: queue.lostCount, failure: reason))
  }

  /// - Returns: false when it must be tried again.
  private func sync() -> Bool {
    do throws(LaneFailure) {
      return try writer.sync()
    } catch {
      report("cannot save \(name): \(error)")
      return false
    }
  }

  /// Writes until it succeeds.
  ///
  /// - Returns: false when it never will.
  private func write(_ events: [StreamEvent]) -> Bool {
    var told: String?
    var isLast = false
    while true {
      do throws(LaneFailure) {
        try writer.write(events)
        queue.settled()
        if told != nil { report("\(name) is written to again") }
        return true
      } catch {
        switch error {
        case .final(let error):
          fail(error)
          return false
        case .passing where isLast:
          giveUp(events)
          return false
        case .passing(let reason):
          if told != reason {
            let room = SizeArgument(capacity)
            report("cannot write \(name): \(reason); kept in memory, up to \(room) (--buffer)")
          }
          told = reason
          isLast = queue.pause(Lane.retryTime)
        }
      }
    }
  }

  private func giveUp(_ events: [StreamEvent]) {
    let lost = queue.lostCount + queue.waitingCount + events.reduce(0) { $0 + $1.count }
    close()
    end(Outcome(lost: lost))
  }

  private func end(_ outcome: Outcome) {
    failing.fulfil(outcome.failure)
    ending.fulfil(outcome)
  }
}
