// SPDX-License-Identifier: MIT

extension EventLoop {
  /// Runs bodies on the loop until the first ends or throws; then cancels the others, and waits for their
  /// end.
  package func race(_ bodies: (@Sendable () async throws -> Void)...) async throws { try await race(bodies) }

  /// Runs bodies on the loop until the first ends or throws; then cancels the others, and waits for their
  /// end.
  package func race(_ bodies: [@Sendable () async throws -> Void]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for body in bodies { group.addTask(executorPreference: self) { try await body() } }
      defer { group.cancelAll() }
      try await group.next()
    }
  }

  /// Runs `body` with a time limit, nil for none; reaching the limit is not an error.
  package func limited(
    to duration: Duration?, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let duration else { return try await body() }
    try await race(body, { try await self.sleep(for: duration) })
  }
}
