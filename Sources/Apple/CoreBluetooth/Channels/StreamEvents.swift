// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Foundation

/// A stream of a channel, as ``StreamEvents`` sees it.
protocol ChannelStream: Stream {
  /// Returns an event that the program does not know yet, and notes that it does.
  func nextEvent() -> Event?
}

/// The notifications of a stream to the program.
///
/// Threads that wait in `read` or `write` try again, and the delegate is called on the run loops on which the
/// stream is scheduled.
///
/// On each run loop, a timer without a date stands for a source of events, which Foundation on Linux does not offer: it
/// keeps the run loop alive, and a date set from any thread wakes it.
final class StreamEvents: Sendable {
  private struct Schedule {
    let loop: RunLoop
    let mode: RunLoop.Mode
    let timer: Timer
  }

  private struct State {
    weak var stream: (any ChannelStream)?
    var schedules: [Schedule] = []
    var isClosed = false
  }

  private static let never = TimeInterval(1e9)

  private let state = Lock(State())
  private let condition = NSCondition()

  deinit { for schedule in state.withLock({ $0.schedules }) { schedule.timer.invalidate() } }

  func begin(for stream: any ChannelStream) { state.withLock { $0.stream = stream } }

  // MARK: Threads

  /// Waits until there is a result; `attempt` is made again after each ``changed()``.
  func wait<Result>(for attempt: () -> Result?) -> Result {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = attempt() { return result }
      condition.wait()
    }
  }

  /// Wakes waiting threads, and signals that there may be an event.
  ///
  /// Called on any thread.
  func changed() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
    signal()
  }

  // MARK: Run loops

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
    while let event = stream.nextEvent() {
      delegate.stream(stream, handle: event)
      guard reported.insert(event).inserted else { return signal() }
    }
  }
}
