// SPDX-License-Identifier: MIT
internal import DBus

/// The time of `--duration`: it begins with the subscription, not while the link is made.
final class CollectingTime: Sendable {
  private struct State {
    var end: ContinuousClock.Instant?
    var beginnings = 0
    var begun = Promise<Void>()
  }

  private let duration: Duration
  private let loop: EventLoop
  private let state = Lock(State())

  init(_ duration: Duration, on loop: EventLoop) {
    self.duration = duration
    self.loop = loop
  }

  /// A subscription stands; the first one begins the time.
  func begin() {
    state.withLock { state in
      state.beginnings += 1
      guard state.end == nil else { return }
      state.end = .now + duration
      state.begun.fulfil(())
    }
  }

  /// The only subscription so far was on a link that was going down already: it does not count.
  func beginAnew() {
    state.withLock { state in
      guard state.beginnings == 1 else { return }
      state = State()
    }
  }

  /// Runs `body` until the time is over, which is no error.
  func limit(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let loop = loop
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(executorPreference: loop) { try await body() }
      group.addTask(executorPreference: loop) { try await self.pass() }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  private func pass() async throws {
    while true {
      let begun = state.withLock { $0.begun }
      await withTaskCancellationHandler {
        await begun.value
      } onCancel: {
        begun.fulfil(())
      }
      try Task.checkCancellation()
      guard let end = state.withLock({ $0.end }) else { continue }
      let left = end - .now
      if left <= .zero { return }
      try await loop.sleep(for: left)
    }
  }
}
