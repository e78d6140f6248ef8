// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import BLECentral

@Suite("Wait", .timeLimit(.minutes(1)))
struct WaitTests {
  /// Waits where a manager does: on the loop.
  private func value(_ wait: Wait<Int>, until deadline: Deadline = .never) -> Task<Int?, any Error> {
    Task(executorPreference: EventLoop.shared) {
      try await wait.value(for: Operation("count", until: deadline), on: .shared)
    }
  }

  @Test("The first value ends a wait")
  func value() async throws {
    let wait = Wait<Int>()
    let task = value(wait)
    wait.fulfil(1)
    wait.fulfil(2)
    #expect(try await task.value == 1)
  }

  @Test("A deadline ends a wait without a value")
  func deadline() async throws {
    #expect(try await value(Wait(), until: Deadline(after: .zero)).value == nil)
  }

  @Test("A task that is cancelled stops waiting, with an error that names the operation")
  func cancellation() async {
    let task = value(Wait())
    task.cancel()
    let error = await #expect(throws: BLEError.self) { try await task.value }
    #expect(error?.description == "cannot count: cancelled")
  }
}
