// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("WorkerThread", .timeLimit(.minutes(1)))
struct WorkerThreadTests {
  private struct Refusal: Error {}

  @Test("A task gets what a closure on another thread returns or throws", arguments: [false, true])
  func result(isRefused: Bool) async {
    let result = await WorkerThread.result { () throws(Refusal) in
      if isRefused { throw Refusal() }
      return 7
    }
    switch result {
    case .success(let value): #expect(value == 7 && !isRefused)
    case .failure: #expect(isRefused)
    case nil: Issue.record("nothing was cancelled")
    }
  }

  @Test("A task that is cancelled does not wait for the thread")
  func cancellation() async {
    let gate = Monitor(false)
    let task = Task { await WorkerThread.result { gate.wait { $0 ? .done(1) : .wait(until: nil) } } }
    task.cancel()
    #expect(await task.value == nil)
    gate.withLock { $0 = true }
    gate.wake()
  }
}
