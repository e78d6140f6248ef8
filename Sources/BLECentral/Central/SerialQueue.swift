// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Lets one task at a time do something, in the order in which they asked.
///
/// BlueZ takes one Connect an adapter and one request a characteristic at a time, and answers InProgress to others.
/// Confined to the actor that owns it.
final class SerialQueue {
  private var isTaken = false
  private var waiting: [(ticket: Int, promise: Promise<Bool>)] = []
  private var lastTicket = 0

  /// Whether anybody waits for a turn.
  var hasWaiters: Bool { !waiting.isEmpty }

  /// Waits for its turn.
  ///
  /// - Returns: whether it came: false when the deadline came first, or the task was cancelled.
  func take(
    until deadline: Deadline, on loop: EventLoop, isolation: isolated any Actor = #isolation
  ) async -> Bool {
    if !isTaken {
      isTaken = true
      return true
    }
    lastTicket += 1
    let ticket = lastTicket
    let promise = Promise<Bool>()
    waiting.append((ticket, promise))
    let timer = deadline.instant.map { loop.schedule(at: $0) { promise.fulfil(false) } }
    let isOurs = await withTaskCancellationHandler {
      await promise.value
    } onCancel: {
      promise.fulfil(false)
    }
    if let timer { loop.cancel(timer) }
    if isOurs { return true }
    if let index = waiting.firstIndex(where: { $0.ticket == ticket }) {
      waiting.remove(at: index)
    } else {
      release()  // our turn came in the moment in which we gave up
    }
    return false
  }

  /// Lets the next one go on.
  func release() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().promise.fulfil(true) }
  }
}
