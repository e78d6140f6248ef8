// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("Lock")
struct LockTests {
  private struct Refusal: Error {}

  @Test("No change of concurrent tasks is lost")
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

  /// Calls a program at its end.
  private final class Probe: Sendable {
    private let ended: @Sendable () -> Void
    init(ended: @escaping @Sendable () -> Void) { self.ended = ended }
    deinit { ended() }
  }

  @Test("A replaced value is released without the lock")
  func release() {
    let whole = Lock<Probe?>(nil)
    let part = Lock<(probe: Probe?, count: Int)>((nil, 0))
    whole.exchange(
      Probe { [weak whole] in whole?.exchange(nil) })
    whole.exchange(nil)
    part.exchange(
      \.probe,
      Probe { [weak part] in part?.withLock { $0.count += 1 } })
    part.exchange(\.probe, nil)
    #expect(part.withLock { $0.count } == 1)
  }

  @Test("A debug build stops a thread that takes the lock twice, instead of waiting for ever")
  func twice() async {
    await #expect(processExitsWith: .failure) {
      let lock = Lock(1)
      lock.withLock { _ in lock.withLock { $0 += 1 } }
    }
  }

  @Test("An error leaves the lock open")
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
