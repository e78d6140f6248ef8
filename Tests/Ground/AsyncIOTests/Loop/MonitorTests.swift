// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("Monitor", .timeLimit(.minutes(1)))
struct MonitorTests {
  @Test("A thread waits until a change makes the value what it waits for, and may change it then")
  func change() async {
    let (monitor, outcome) = (Monitor(0), Promise<Int>())
    WorkerThread.start {
      outcome.fulfil(
        monitor.wait { count in
          guard count >= 3 else { return .wait(until: nil) }
          defer { count = 0 }
          return .done(count)
        })
    }
    for _ in 0..<3 {
      monitor.withLock { $0 += 1 }
      monitor.wake()
    }
    #expect(await outcome.value == 3)
    #expect(monitor.withLock { $0 } == 0)
  }

  @Test("All the threads that wait look at a change")
  func several() async {
    let (monitor, ended) = (Monitor(false), (0..<4).map { _ in Promise<Void>() })
    for promise in ended {
      WorkerThread.start {
        promise.fulfil(monitor.wait { $0 ? .done(()) : .wait(until: nil) })
      }
    }
    monitor.withLock { value in
      value = true
      monitor.wake()
    }
    for promise in ended { await promise.value }
  }

  @Test("A wait until a time looks again then, without a change")
  func time() {
    let monitor = Monitor(0)
    var limit: ContinuousClock.Instant?
    let looks: Int = monitor.wait { looks in
      looks += 1
      if let limit, limit <= .now { return .done(looks) }
      limit = limit ?? .now + .milliseconds(1)
      return .wait(until: limit)
    }
    #expect(looks >= 2)
  }
}
