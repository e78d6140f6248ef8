// SPDX-License-Identifier: MIT
package import AsyncIO
package import TerminalOutput

/// Writes events to one output, with a bounded queue and a thread that empties it.
///
/// A slow terminal, a stalled pipe or a full disk stops only this thread, never the one that reads the bus.
package final class OutputWorker: Sendable {
  package struct Outcome: Sendable {
    /// The number of records that were not written.
    package var lost = 0
    /// The number of further records in a write that did not return: the kernel does not report how many it
    /// took.
    package var uncertain = 0
    /// The error that ended the worker early.
    package var failure: ConsoleError?
    /// The reason for a failure to close.
    package var endFailure: String?
  }

  package let name: String
  private let queue: OutputQueue
  /// The capacity, in words.
  private let room: String
  /// Fulfilled when the thread ends.
  private let ending = Promise<Outcome>()
  /// Fulfilled with the failure that ends the thread early; nil when a waiting task was cancelled.
  private let failing = Promise<ConsoleError?>()
  private let report: @Sendable (String) -> Void
  private let progress: OutputProgress?
  /// Used only by the thread: those who make an output leave it to its worker.
  private nonisolated(unsafe) let sink: any OutputSink

  /// The time until a failed write is tried again.
  private static let retryTime = Duration.seconds(1)
  /// The interval at which written data is saved against a power cut.
  private static let syncTime = Duration.seconds(1)

  /// Starts the thread, the only user of `sink`; `room` is `capacity` in words; any thread may call `report`.
  package init(
    _ sink: any OutputSink, capacity: Int, room: String, stallTime: Duration = .seconds(5),
    report: @escaping @Sendable (String) -> Void
  ) {
    self.sink = sink
    self.room = room
    self.report = report
    name = sink.name
    progress = sink.progress
    queue = OutputQueue(capacity: capacity, batchCost: sink.batchCost, stallTime: stallTime)
    WorkerThread.start { [self] in run() }
  }

  // MARK: The loop's side

  /// Queues an event; never waits.
  package func send(_ event: StreamEvent) {
    if queue.push(event) {
      report("\(name) is too slow: \(room) wait (--buffer), more is dropped and counted")
    }
  }

  /// Waits a moment for the thread if it is far behind.
  package func awaitHalf(until limit: ContinuousClock.Instant) { queue.awaitHalf(until: limit) }

  /// Calls ``OutputSink/refresh()`` on the thread.
  package func nudge() { queue.nudge() }

  /// Waits until writing fails for good; returns nil if the task was cancelled, or the worker has ended.
  package func failure() async -> ConsoleError? {
    await failing.value(ifCancelled: nil)
  }

  /// Writes the queue, and ends; once cancelled, waits only for `limit`: a reader may never take the rest.
  package func finish(limit: Duration, on loop: EventLoop) async -> Outcome {
    // In this order, since the end of the queue starts the last attempt.
    progress?.end()
    queue.finish()
    let stalled = { @Sendable [queue, ending, progress] in
      let (left, writing) = queue.unwritten
      ending.fulfil(
        progress.map { Outcome(lost: left + $0.left) } ?? Outcome(lost: left, uncertain: writing))
    }
    return await withTaskCancellationHandler {
      await ending.value
    } onCancel: {
      _ = RemoteTimer(loop, at: LoopClock.now + limit, stalled)
    }
  }

  // MARK: The thread

  private func run() {
    var nextSync: ContinuousClock.Instant? = .now + OutputWorker.syncTime
    while true {
      switch queue.take(apart: sink.interval, until: nextSync) {
      case .events(let events):
        guard write(events) else { return }
        if nextSync == nil { nextSync = .now + OutputWorker.syncTime }
      case .nudged: guard refresh() else { return }
      case .timedOut: break
      case .finished:
        return end(Outcome(lost: queue.lostCount, endFailure: close()))
      }
      if let due = nextSync, due <= .now {
        let isSaved = sync()
        if sink.showsAges, !refresh() { return }
        nextSync = isSaved && !sink.showsAges ? nil : .now + OutputWorker.syncTime
      }
    }
  }

  /// - Returns: why it failed.
  @discardableResult
  private func close() -> String? {
    do throws(OutputError) {
      try sink.close()
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// - Returns: false after a final failure.
  private func refresh() -> Bool {
    do throws(OutputError) {
      try sink.refresh()
      return true
    } catch {
      guard case .final(let reason) = error else { return true }
      fail(reason)
      return false
    }
  }

  private func fail(_ reason: ConsoleError) {
    queue.finish()
    close()
    end(Outcome(lost: queue.lostCount, failure: reason))
  }

  /// - Returns: false when it must be tried again.
  private func sync() -> Bool {
    do throws(OutputError) {
      return try sink.sync()
    } catch {
      report("cannot save \(name): \(error)")
      return false
    }
  }

  /// Writes until it succeeds; returns false after a final failure.
  private func write(_ events: [StreamEvent]) -> Bool {
    var reported: String?
    var isLast = false
    while true {
      do throws(OutputError) {
        try sink.write(events)
        queue.settled()
        if reported != nil { report("\(name) can be written again") }
        return true
      } catch {
        switch error {
        case .final(let error):
          fail(error)
          return false
        case .passing where isLast:
          giveUp()
          return false
        case .passing(let reason):
          if reported != reason {
            report("cannot write \(name): \(reason); kept in memory, up to \(room) (--buffer)")
          }
          reported = reason
          isLast = queue.pause(OutputWorker.retryTime)
        }
      }
    }
  }

  private func giveUp() {
    let (left, writing) = queue.unwritten
    close()
    end(Outcome(lost: left + (progress?.left ?? writing)))
  }

  private func end(_ outcome: Outcome) {
    failing.fulfil(outcome.failure)
    ending.fulfil(outcome)
  }
}
