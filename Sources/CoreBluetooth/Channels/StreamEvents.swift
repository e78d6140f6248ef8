// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// Calls the delegate of a stream on the run loops on which the stream is scheduled.
///
/// On each, a timer without a date stands for a source of events, which Foundation on Linux does not offer: it keeps the
/// run loop alive, and a date set from any thread wakes it.
final class StreamEvents: @unchecked Sendable {
  private struct Schedule {
    let loop: RunLoop
    let mode: RunLoop.Mode
    let timer: Timer
  }

  private struct State {
    weak var stream: Stream?
    var schedules: [Schedule] = []
    var isClosed = false
  }

  private static let never = TimeInterval(1e9)

  private let state = Lock(State())
  private let next: @Sendable () -> Stream.Event?

  /// - Parameter next: returns an event that was not reported yet.
  init(next: @escaping @Sendable () -> Stream.Event?) { self.next = next }

  deinit { for schedule in state.withLock({ $0.schedules }) { schedule.timer.invalidate() } }

  func begin(for stream: Stream) { state.withLock { $0.stream = stream } }

  func schedule(in loop: RunLoop, forMode mode: RunLoop.Mode) {
    let timer = Timer(fire: .distantFuture, interval: Self.never, repeats: true) { [weak self] timer in
      self?.fire(timer)
    }
    let schedule = Schedule(loop: loop, mode: mode, timer: timer)
    let isNew = state.withLock { state in
      guard !state.isClosed, !state.schedules.contains(where: { $0.loop === loop && $0.mode == mode }) else {
        return false
      }
      state.schedules.append(schedule)
      return true
    }
    guard isNew else { return }
    loop.add(timer, forMode: mode)
    signal()
  }

  func remove(from loop: RunLoop, forMode mode: RunLoop.Mode) {
    let removed = state.withLock { state -> Schedule? in
      let index = state.schedules.firstIndex { $0.loop === loop && $0.mode == mode }
      return index.map { state.schedules.remove(at: $0) }
    }
    removed?.timer.invalidate()
  }

  /// Lets a run loop look for events; called on any thread.
  func signal() {
    for schedule in state.withLock({ $0.schedules }) { schedule.timer.fireDate = Date() }
  }

  /// Leaves all run loops, each on its own thread, so that one without other sources ends.
  func close() {
    state.withLock { $0.isClosed = true }
    signal()
  }

  private func fire(_ timer: Timer) {
    let (stream, isClosed) = state.withLock { ($0.stream, $0.isClosed) }
    if isClosed { return timer.invalidate() }
    guard let stream, let delegate = stream.delegate else { return }
    // Each kind once, so that others on the run loop have a turn.
    var reported: Stream.Event = []
    while let event = next() {
      delegate.stream(stream, handle: event)
      guard reported.insert(event).inserted else { return signal() }
    }
  }
}
