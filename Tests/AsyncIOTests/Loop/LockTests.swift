// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("Lock")
struct LockTests {
  private struct Refusal: Error {}

  @Test("no change of concurrent tasks is lost")
  func concurrency() async {
    let lock = Lock(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 { lock.withLock { $0 += 1 } }
        }
      }
    }
    #expect(lock.withLock { $0 } == 8000)
  }

  @Test("an error leaves the lock open")
  func errors() {
    let lock = Lock(1)
    #expect(throws: Refusal.self) {
      try lock.withLock { value in
        value = 2
        throw Refusal()
      }
    }
    #expect(lock.withLock { $0 } == 2)
  }
}
