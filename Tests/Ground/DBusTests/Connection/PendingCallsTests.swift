// SPDX-License-Identifier: MIT
import Testing

@testable import AsyncIO
@testable import DBus

@Suite("PendingCalls")
struct PendingCallsTests {
  private func waiter(
    path: String = "/", deadline: ContinuousClock.Instant? = nil,
    observer: (@Sendable (PendingCalls.Outcome) -> Void)? = nil
  ) -> PendingCalls.Waiter {
    .init(promise: Promise(), path: path, deadline: deadline, observer: observer)
  }

  @Test("A reply takes the waiter of its serial number, once")
  func take() {
    var calls = PendingCalls()
    calls.add(waiter(path: "/a"), serial: 7)
    calls.add(waiter(path: "/b"), serial: 8)
    #expect(calls.count == 2)
    #expect(calls.take(9) == nil)
    #expect(calls.take(7)?.path == "/a")
    #expect(calls.take(7) == nil)
    #expect(calls.count == 1)
  }

  @Test("Waiters are taken together in the order of their calls")
  func takeAll() {
    var calls = PendingCalls()
    for serial in [5, 3, 9, 1, 7] as [UInt32] {
      calls.add(waiter(path: serial > 4 ? "/far/\(serial)" : "/near/\(serial)"), serial: serial)
    }
    #expect(calls.takeAll { $0.path.hasPrefix("/far") }.map(\.path) == ["/far/5", "/far/7", "/far/9"])
    #expect(calls.count == 2)
    #expect(calls.takeAll { _ in true }.map(\.path) == ["/near/1", "/near/3"])
    #expect(calls.count == 0)
  }

  @Test("The earliest deadline of the waiters is known")
  func deadlines() {
    let now = ContinuousClock.now
    var calls = PendingCalls()
    #expect(calls.earliestDeadline == nil)
    calls.add(waiter(), serial: 1)
    #expect(calls.earliestDeadline == nil)
    calls.add(waiter(deadline: now + .seconds(2)), serial: 2)
    calls.add(waiter(deadline: now + .seconds(1)), serial: 3)
    #expect(calls.earliestDeadline == now + .seconds(1))
    _ = calls.take(3)
    #expect(calls.earliestDeadline == now + .seconds(2))
  }

  @Test("The observer sees the outcome before the task that waits")
  func observer() async {
    let seen = Lock<[String]>([])
    let waiter = waiter { outcome in
      if case .failure(let error) = outcome { seen.withLock { $0.append("observer: \(error.origin)") } }
    }
    waiter.finish(.failure(.timedOut))
    #expect(seen.withLock { $0 } == ["observer: timedOut"])
    guard case .failure(.timedOut) = await waiter.promise.value else {
      Issue.record("the task got something else")
      return
    }
  }
}
