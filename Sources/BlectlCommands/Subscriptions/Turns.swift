// SPDX-License-Identifier: MIT
internal import AsyncIO

/// Lets one task at a time continue, in the order in which they asked.
///
/// The devices of a group connect so: a radio makes one connection at a time, and one device that does not answer must
/// not use up the time of the others.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [(ticket: Int, promise: Promise<Bool>)] = []
    var lastTicket = 0
  }

  private let state = Lock(State())

  /// Runs `body` when it is its turn.
  ///
  /// - Throws: what `body` throws; `CancellationError`.
  func take<Result>(_ body: () async throws -> Result) async throws -> Result {
    guard await wait() else { throw CancellationError() }
    defer { release() }
    return try await body()
  }

  private func wait() async -> Bool {
    let promise = Promise<Bool>()
    let ticket = state.withLock { state in
      state.lastTicket += 1
      if state.isTaken { state.waiting.append((state.lastTicket, promise)) } else { promise.fulfil(true) }
      state.isTaken = true
      return state.lastTicket
    }
    let isOurs = await promise.value(ifCancelled: false)
    if isOurs { return true }
    let wasWaiting = state.withLock { state in
      let index = state.waiting.firstIndex { $0.ticket == ticket }
      if let index { state.waiting.remove(at: index) }
      return index != nil
    }
    if !wasWaiting { release() }  // our turn came in the moment in which we gave up
    return false
  }

  private func release() {
    let next = state.withLock { state -> Promise<Bool>? in
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst().promise
    }
    next?.fulfil(true)
  }
}
