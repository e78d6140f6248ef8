// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// Counts values and times while a link is measured.
package final class BenchTally: Sendable {
  private struct State {
    var count = 0
    var bytes = 0
    var uncertain = 0
    var start = LoopClock.now
    var end: ContinuousClock.Instant?
    var latencies: [Duration] = []
    var gaps = CounterGaps()
    var last: Timestamp?
  }

  private let state = Lock(State())

  package init() {}

  package var count: Int { state.withLock { $0.count } }
  package var bytes: Int { state.withLock { $0.bytes } }

  /// Begins to measure.
  func start() { state.withLock { $0.start = LoopClock.now } }

  /// Records values that were certainly written or read.
  func add(_ count: Int, bytes: Int, after latency: Duration? = nil) {
    state.withLock { state in
      state.count += count
      state.bytes += bytes
      if let latency { state.latencies.append(latency) }
    }
  }

  /// Records a notification and its distance from the one before.
  func add(_ value: ReceivedValue) {
    state.withLock { state in
      state.count += 1
      state.bytes += value.value.count
      state.gaps.note(value.value)
      if let last = state.last { state.latencies.append(value.time.duration(since: last)) }
      state.last = value.time
    }
  }

  /// Records writes without response that may have been lost with the link.
  func addUncertain(_ count: Int) { state.withLock { $0.uncertain += count } }

  /// Stops the time.
  func end() { state.withLock { $0.end = LoopClock.now } }

  /// Adds what was counted to a result.
  package func fill(_ result: inout BenchResult) {
    let state = state.withLock { $0 }
    (result.count, result.bytes, result.uncertain) = (state.count, state.bytes, state.uncertain)
    result.elapsed = (state.end ?? LoopClock.now) - state.start
    result.latency = LatencySummary(state.latencies)
    result.missing = state.gaps.missing
  }
}
