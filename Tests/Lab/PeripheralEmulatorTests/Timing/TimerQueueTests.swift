// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import PeripheralEmulator

@Suite("Timer queue")
struct TimerQueueTests {
  /// Runs `body` with timers on the loop and waits until it calls its argument.
  private func onLoop(
    _ body: @escaping @Sendable (TimerQueue, @escaping @Sendable ([Int]) -> Void) -> Void
  ) async -> [Int] {
    let result = Promise<[Int]>()
    EventLoop.simulation.submit {
      // Nothing else keeps it alive until it has run.
      let timers = Unmanaged.passRetained(TimerQueue(loop: .simulation))
      body(timers.takeUnretainedValue()) { result.fulfil($0) }
    }
    return await result.value
  }

  @Test("Actions run by deadline then in their order")
  func actionsRunDeadline() async {
    let order = await onLoop { timers, done in
      let seen = Recorder()
      timers.schedule(after: .milliseconds(20)) { done(seen.numbers + [4]) }
      timers.schedule(after: .zero) { seen.numbers.append(1) }
      timers.schedule(after: .milliseconds(5)) { seen.numbers.append(3) }
      timers.schedule(after: .zero) { seen.numbers.append(2) }
    }
    #expect(order == [1, 2, 3, 4])
  }

  @Test("A withdrawn action does not run")
  func withdrawnActionDoes() async {
    let order = await onLoop { timers, done in
      let seen = Recorder()
      let token = timers.schedule(after: .milliseconds(1)) { seen.numbers.append(1) }
      timers.cancel(token)
      timers.schedule(after: .milliseconds(5)) { done(seen.numbers) }
    }
    #expect(order == [])
  }

  @Test("An action scheduled by an action waits for the next turn")
  func whatActionSchedules() async {
    let order = await onLoop { timers, done in
      let seen = Recorder()
      timers.schedule(after: .zero) {
        seen.numbers.append(1)
        timers.schedule(after: .zero) { done(seen.numbers + [3]) }
      }
      timers.schedule(after: .zero) { seen.numbers.append(2) }
    }
    #expect(order == [1, 2, 3])
  }

  @Test("What repeats keeps its rate however late it is carried out, unless it is late by more than a second")
  func rate() {
    let due = LoopClock.now
    let interval = Duration.milliseconds(10)
    for lateness in [Duration.zero, .microseconds(500), .milliseconds(15), .seconds(1)] {
      #expect(TimerQueue.time(after: due, by: interval, now: due + lateness) == due + interval)
    }
    let muchLater = due + .seconds(3600)
    #expect(TimerQueue.time(after: due, by: interval, now: muchLater) == muchLater)
  }

  @Test("Ten thousand repetitions, each of them late, take ten thousand intervals")
  func noDrift() {
    let start = LoopClock.now
    let interval = Duration.microseconds(10_500)
    var due = start
    for number in 0..<10_000 {
      let now = due + interval + .microseconds(number * 7919 % 1_000_000)
      due = TimerQueue.time(after: due, by: interval, now: now)
    }
    #expect(due == start + interval * 10_000)
  }

  @Test("An action whose time is over runs in the next turn")
  func over() async {
    let order = await onLoop { timers, done in
      let seen = Recorder()
      timers.schedule(after: .zero) { done(seen.numbers + [2]) }
      timers.schedule(at: LoopClock.now - .seconds(5)) { seen.numbers.append(1) }
    }
    #expect(order == [1, 2])
  }

  @Test("A paused queue catches up")
  func pausedQueueCatches() async {
    let order = await onLoop { timers, done in
      let seen = Recorder()
      timers.isPaused = true
      timers.schedule(after: .zero) { seen.numbers.append(1) }
      timers.schedule(after: .milliseconds(1)) { done(seen.numbers + [2]) }
      timers.isPaused = false
    }
    #expect(order == [1, 2])
  }
}

private final class Recorder { var numbers: [Int] = [] }
