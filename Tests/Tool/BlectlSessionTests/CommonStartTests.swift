// SPDX-License-Identifier: MIT
import AsyncIO
import BLECentral
import Testing

@testable import BlectlSession

@Suite("The common start of several devices")
struct CommonStartTests {
  private let moments = Lock<[Moment]>([])

  private func start(of count: Int) -> CommonStart {
    CommonStart(of: count) { [moments] moment in moments.withLock { $0.append(moment) } }
  }

  @Test("The start is when the last device is subscribed to, and only once")
  func last() {
    let start = start(of: 2)
    start.arrived()
    #expect(!start.hasBegun)
    start.arrived()
    #expect(start.hasBegun)
    start.left()
    start.arrived()
    #expect(moments.withLock { $0.count } == 1)
    #expect(moments.withLock { $0.first } == start.moment)
  }

  @Test("A device that is lost before it is waited for again")
  func lost() {
    let start = start(of: 2)
    start.arrived()
    start.left()
    start.arrived()
    #expect(!start.hasBegun)
    start.arrived()
    #expect(start.hasBegun)
  }

  @Test("Everyone who waits for the start goes on, and later nobody waits")
  func waiters() async {
    let start = start(of: 1)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 { group.addTask { await start.wait() } }
      group.addTask { start.arrived() }
    }
    await start.wait()
    #expect(start.hasBegun)
  }
}
