// SPDX-License-Identifier: MIT

package struct TimerID: Hashable, Sendable {
  let number: Int
}

/// The timers of one loop; they are few (deadlines of calls and waits), so a plain array is enough.
struct TimerTable {
  private struct Entry {
    let id: TimerID
    let deadline: ContinuousClock.Instant
    let action: () -> Void
  }

  private var entries: [Entry] = []
  private var lastNumber = 0

  mutating func add(_ deadline: ContinuousClock.Instant, action: @escaping () -> Void) -> TimerID {
    lastNumber += 1
    let id = TimerID(number: lastNumber)
    entries.append(Entry(id: id, deadline: deadline, action: action))
    return id
  }

  mutating func remove(_ id: TimerID) { entries.removeAll { $0.id == id } }

  var isEmpty: Bool { entries.isEmpty }

  var next: ContinuousClock.Instant? { entries.lazy.map(\.deadline).min() }

  /// Returns the timeout for poll(2) in milliseconds: -1 without timers.
  ///
  /// It is rounded up, so that the timer is due when poll returns.
  func millisecondsToNext() -> Int32 {
    guard let next else { return -1 }
    let (seconds, attoseconds) = (next - LoopClock.now).components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let milliseconds =
      min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(milliseconds)
  }

  func due(at time: ContinuousClock.Instant) -> [TimerID] {
    entries.filter { $0.deadline <= time }
      .sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }.map(\.id)
  }

  /// Removes and returns a timer; nil if an earlier action cancelled it.
  mutating func take(_ id: TimerID) -> (() -> Void)? {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
    return entries.remove(at: index).action
  }
}

extension EventLoop {
  /// Runs `action` once on the loop's thread, at or after `deadline`; call on that thread.
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> TimerID {
    checkIsolated()
    return timers.add(deadline, action: action)
  }

  /// Cancels a timer that has not run; call on the loop's thread.
  package func cancel(_ id: TimerID) {
    checkIsolated()
    timers.remove(id)
  }

  /// Suspends the task for a time, or until it is cancelled, without using a thread of Swift's pool.
  package func sleep(for duration: Duration) async throws(CancellationError) {
    let promise = Promise<Bool>()
    let timer = RemoteTimer(self, at: LoopClock.now + duration) { promise.fulfil(true) }
    let elapsed = await promise.value(ifCancelled: false)
    if elapsed { return }
    timer.cancel()
    throw CancellationError()
  }
}

/// A timer that can be set and cancelled from any thread.
package final class RemoteTimer: Sendable {
  private let loop: EventLoop
  private let slot = Lock<TimerID?>(nil)

  package init(
    _ loop: EventLoop, at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
  ) {
    self.loop = loop
    loop.submit { [self] in
      let timer = loop.schedule(at: deadline) { action() }
      slot.withLock { $0 = timer }
    }
  }

  /// Cancels the timer, unless it has run.
  package func cancel() {
    loop.submit { [loop, slot] in
      if let timer = slot.withLock({ $0 }) { loop.cancel(timer) }
    }
  }
}
