// SPDX-License-Identifier: MIT
package import AsyncIO

/// A queue of timed actions: a heap over one timer of the loop, as thousands of advertisements may be due.
///
/// Actions run on the loop, by deadline, then in the order of scheduling; those without a delay run once
/// everything available on the bus is read.
package final class TimerQueue {
  package struct Token: Hashable {
    fileprivate let number: Int
  }

  private struct Entry {
    let deadline: ContinuousClock.Instant
    let number: Int
    let action: () -> Void
    func isBefore(_ other: Entry) -> Bool {
      deadline == other.deadline ? number < other.number : deadline < other.deadline
    }
  }

  private let loop: EventLoop
  private var heap: [Entry] = []
  private var live: Set<Int> = []
  private var lastNumber = 0
  private var timer: (id: TimerID, deadline: ContinuousClock.Instant)?
  /// While true, no action runs; due actions run afterwards.
  package var isPaused = false {
    didSet { expectNext() }
  }

  package init(loop: EventLoop) { self.loop = loop }

  @discardableResult
  package func schedule(after delay: Duration, _ action: @escaping () -> Void) -> Token {
    schedule(at: LoopClock.now + delay, action)
  }

  /// Schedules an action at a time, or in the next turn if it is over.
  @discardableResult
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> Token {
    lastNumber += 1
    live.insert(lastNumber)
    push(Entry(deadline: deadline, number: lastNumber, action: action))
    expectNext()
    return Token(number: lastNumber)
  }

  /// Returns the next time of an action that repeats: counted from the time at which it was due, so that late turns of
  /// the loop do not change its rate.
  ///
  /// An action that is late by more than a second, as after a stop of the process, does not catch up.
  package static func time(
    after due: ContinuousClock.Instant, by interval: Duration, now: ContinuousClock.Instant = LoopClock.now
  ) -> ContinuousClock.Instant {
    let next = due + interval
    return now - next > .seconds(1) ? now : next
  }

  package func cancel(_ token: Token?) {
    if let token { live.remove(token.number) }
  }

  package func cancelAll() {
    heap = []
    live = []
    expectNext()
  }

  private func expectNext() {
    guard !isPaused, let next = heap.first else {
      if let timer { loop.cancel(timer.id) }
      timer = nil
      return
    }
    if let timer {
      guard next.deadline < timer.deadline else { return }
      loop.cancel(timer.id)
    }
    let id = loop.schedule(at: next.deadline) { [weak self] in self?.run() }
    timer = (id, next.deadline)
  }

  private func run() {
    timer = nil
    let now = LoopClock.now
    let newest = lastNumber  // actions scheduled from here on wait for the next turn
    var later: [Entry] = []
    while !isPaused, let next = heap.first, next.deadline <= now {
      _ = pop()
      if next.number > newest {
        later.append(next)
      } else if live.remove(next.number) != nil {
        next.action()
      }
    }
    for entry in later { push(entry) }
    expectNext()
  }

  // MARK: The heap

  private func push(_ entry: Entry) {
    heap.append(entry)
    var index = heap.count - 1
    while index > 0, heap[index].isBefore(heap[(index - 1) / 2]) {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func pop() -> Entry? {
    guard let first = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var index = 0
    while true {
      var smallest = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
        if heap[child].isBefore(heap[smallest]) { smallest = child }
      }
      if smallest == index { return first }
      heap.swapAt(index, smallest)
      index = smallest
    }
  }
}

extension EventLoop {
  /// The loop that all simulations of the process share.
  package static let simulation = EventLoop(name: "bluez-sim")
}
