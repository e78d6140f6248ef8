// SPDX-License-Identifier: MIT
package import AsyncIO

/// Lets one task at a time do something, in the order of their requests.
///
/// BlueZ accepts one Connect per adapter and one request per characteristic at a time, and answers InProgress
/// to others. A radio also makes one connection at a time.
package final class AsyncMutex: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [(ticket: Int, wait: Wait<Void>)] = []
    var lastTicket = 0
  }

  private let state = Lock(State())

  package init() {}

  package var hasWaiters: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Waits for the task's turn, on the loop's thread; returns false at the deadline or when cancelled.
  package func take(until deadline: Deadline, on loop: EventLoop) async -> Bool {
    let place = state.withLock { state -> (ticket: Int, wait: Wait<Void>)? in
      if !state.isTaken {
        state.isTaken = true
        return nil
      }
      state.lastTicket += 1
      let place = (ticket: state.lastTicket, wait: Wait<Void>())
      state.waiting.append(place)
      return place
    }
    guard let place else { return true }
    if case .value = await place.wait.outcome(until: deadline, on: loop) { return true }
    let hasWaited = state.withLock { state in
      let index = state.waiting.firstIndex { $0.ticket == place.ticket }
      if let index { state.waiting.remove(at: index) }
      return index != nil
    }
    if !hasWaited { release() }  // the turn came at the moment the task gave up
    return false
  }

  /// Waits for the task's turn in an operation; throws `cancelled`, or `timedOut` with a message.
  package func take(
    for operation: Operation, on loop: EventLoop, orFailWith message: String
  ) async throws(BLEError) {
    if await take(until: operation.deadline, on: loop) { return }
    if Task.isCancelled { throw operation.cancelled }
    throw operation.error(.timedOut, message)
  }

  /// Runs `body` in the task's turn; the caller runs on the loop's thread.
  package func withTurn<Result>(on loop: EventLoop, _ body: () async throws -> Result) async throws -> Result
  {
    guard await take(until: .never, on: loop) else { throw CancellationError() }
    defer { release() }
    return try await body()
  }

  package func release() {
    let next = state.withLock { state -> Wait<Void>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().wait
    }
    next?.fulfil(())
  }
}
