// SPDX-License-Identifier: MIT
package import AsyncIO
internal import Dispatch
package import Glibc

/// Skips the time in which nothing happens, for the whole process.
///
/// Time passes as always while anything works: a task of Swift's pool, an event loop, a message bus that one of them is
/// connected to, a program that a test has started (``hold(_:)``). When all of them wait, the next timer is what
/// happens next, so its time has come. Two seconds of BlueZ's then take no time, however busy the machine is.
package final class VirtualTime: LoopObserver {
  private struct Sleep {
    let loop: EventLoop
    let deadline: ContinuousClock.Instant?
    let descriptors: [pollfd]
  }

  private struct State {
    var sleeping: [ObjectIdentifier: Sleep] = [:]
    var awake: Set<ObjectIdentifier> = []
    var jobs = 0
    var holds = 0
    /// Counts what happens, to see that nothing did between two looks.
    var events = 0

    var isIdle: Bool { awake.isEmpty && jobs == 0 && holds == 0 && !sleeping.isEmpty }
  }

  private let state = Lock(State())
  /// Signalled when everything has come to rest.
  private let rest = DispatchSemaphore(value: 0)

  /// The one of the process; nil until ``begin()``.
  package static var current: VirtualTime? { installed.withLock { $0 } }
  private static let installed = Lock<VirtualTime?>(nil)

  private init() {}

  /// Lets the process go by virtual time from now on.
  package static func begin() {
    let (time, isNew) = installed.withLock { installed in
      if let installed { return (installed, false) }
      let time = VirtualTime()
      installed = time
      return (time, true)
    }
    guard isNew else { return }
    LoopClock.observe(by: time)
    CountedPool.install { time.jobsChanged(by: $0) }
    Thread.detach { time.skipForEver() }
  }

  /// Lets time pass as always while `body` runs: it waits for something that happens outside of the process.
  package static func hold<Result, Failure: Error>(
    _ body: () async throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let time = current
    time?.holdsChanged(by: 1)
    defer { time?.holdsChanged(by: -1) }
    return try await body()
  }

  /// The same for what begins in one place and ends in another.
  package func holdsChanged(by count: Int) { change { $0.holds += count } }

  private func jobsChanged(by count: Int) { change { $0.jobs += count } }

  // MARK: Loops

  package func willSleep(
    _ loop: EventLoop, until deadline: ContinuousClock.Instant?, watching descriptors: [pollfd]
  ) {
    change { state in
      state.awake.remove(ObjectIdentifier(loop))
      state.sleeping[ObjectIdentifier(loop)] = Sleep(
        loop: loop, deadline: deadline, descriptors: descriptors)
    }
  }

  package func didWake(_ loop: EventLoop) {
    change { state in
      state.sleeping[ObjectIdentifier(loop)] = nil
      state.awake.insert(ObjectIdentifier(loop))
    }
  }

  package func workElsewhere(changedBy count: Int) { holdsChanged(by: count) }

  private func change(_ body: (inout State) -> Void) {
    let isIdle = state.withLock { state in
      state.events += 1
      body(&state)
      return state.isIdle
    }
    if isIdle { rest.signal() }
  }

  // MARK: Skipping

  private func skipForEver() -> Never {
    while true {
      rest.wait()
      while let (events, sleeps) = state.withLock({ $0.isIdle ? ($0.events, Array($0.sleeping.values)) : nil }
      ) {
        guard let next = sleeps.compactMap(\.deadline).min() else { break }
        if Quiescence.holds(for: sleeps.map(\.descriptors)), state.withLock({ $0.events == events }) {
          skip(to: next, sleeps)
          break
        }
        sched_yield()
      }
    }
  }

  private func skip(to deadline: ContinuousClock.Instant, _ sleeps: [Sleep]) {
    let duration = deadline - LoopClock.now
    if duration > .zero { LoopClock.skip(duration) }
    for sleep in sleeps where sleep.deadline.map({ $0 <= LoopClock.now }) ?? false { sleep.loop.submit {} }
  }
}
