// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The time of `--duration`: it begins with the subscription, not while the link is made.
final class CollectingTime: Sendable {
  private let duration: Duration
  private let loop: EventLoop
  private let begun = Promise<Void>()

  init(_ duration: Duration, on loop: EventLoop) {
    self.duration = duration
    self.loop = loop
  }

  /// A subscription was made; the first one begins the time.
  func begin() { begun.fulfil(()) }

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
    await begun.value(ifCancelled: ())
    try await loop.sleep(for: duration)
  }
}
