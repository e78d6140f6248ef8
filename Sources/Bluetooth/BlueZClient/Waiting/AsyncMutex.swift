// SPDX-License-Identifier: MIT
package import AsyncIO

/// Lets one task at a time do something, in the order of their requests.
///
/// BlueZ accepts one Connect per adapter and one request per characteristic at a time, and answers InProgress
/// to others. A radio also makes one connection at a time.
package struct AsyncMutex: Sendable {
  private let turn = AsyncSemaphore(1)

  package init() {}

  package var hasWaiters: Bool { turn.hasWaiters }

  /// True if no task has its turn.
  package var isFree: Bool { turn.isAvailable }

  /// Waits for the task's turn, on the loop's thread; returns false at the deadline or when cancelled.
  package func take(until deadline: Deadline, on loop: EventLoop) async -> Bool {
    if case .taken = await turn.take(until: deadline.instant, on: loop) { true } else { false }
  }

  /// Waits for the task's turn in an operation; throws `cancelled`, or `timedOut` with a message.
  package func take(
    for operation: Operation, on loop: EventLoop, orFailWith message: String
  ) async throws(BLEError) {
    switch await turn.take(until: operation.deadline.instant, on: loop) {
    case .taken: return
    case .cancelled: throw operation.cancelled
    case .timedOut: throw operation.error(.timedOut, message)
    }
  }

  /// Runs `body` in the task's turn; the caller runs on the loop's thread.
  package func withTurn<Result>(on loop: EventLoop, _ body: () async throws -> Result) async throws -> Result
  {
    guard await take(until: .never, on: loop) else { throw CancellationError() }
    defer { release() }
    return try await body()
  }

  package func release() { turn.release() }
}
