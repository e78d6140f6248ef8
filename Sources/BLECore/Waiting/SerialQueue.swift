// SPDX-License-Identifier: MIT
package import AsyncIO

/// Lets one task at a time do something, in the order in which they ask.
///
/// BlueZ accepts one Connect per adapter and one request per characteristic at a time, and answers InProgress to
/// others. Confined to the actor that owns it.
package final class SerialQueue {
  private var isTaken = false
  private var waiting: [(ticket: Int, wait: Wait<Void>)] = []
  private var lastTicket = 0

  package init() {}

  /// Whether a task waits for its turn.
  package var hasWaiters: Bool { !waiting.isEmpty }

  /// Waits for the task's turn.
  ///
  /// - Returns: whether the turn came: false when the deadline came first, or the task was cancelled.
  package func take(until deadline: Deadline, on loop: EventLoop) async -> Bool {
    if !isTaken {
      isTaken = true
      return true
    }
    lastTicket += 1
    let ticket = lastTicket
    let wait = Wait<Void>()
    waiting.append((ticket, wait))
    if case .value = await wait.outcome(until: deadline, on: loop) { return true }
    if let index = waiting.firstIndex(where: { $0.ticket == ticket }) {
      waiting.remove(at: index)
    } else {
      release()  // the turn came at the moment the task gave up
    }
    return false
  }

  /// Waits for the task's turn in an operation.
  ///
  /// - Throws: ``BLEError`` with code `cancelled`, or with `timedOut` and a message when the deadline came first.
  package func take(
    for operation: Operation, on loop: EventLoop, orFailWith message: String
  ) async throws(BLEError) {
    if await take(until: operation.deadline, on: loop) { return }
    if Task.isCancelled { throw operation.cancelled }
    throw operation.error(.timedOut, message)
  }

  /// Gives the turn to the next task.
  package func release() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().wait.fulfil(()) }
  }
}
