// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Testing

@testable internal import BLECentral

@Suite("UnconfirmedWrites", .timeLimit(.minutes(1)))
struct UnconfirmedWritesTests {
  @Test("Half a window is sent while the other half is confirmed")
  func halves() async throws {
    let writes = UnconfirmedWrites()
    #expect(writes.room(upTo: 8) == 4)
    writes.add(4, 0..<4, at: LoopClock.now)
    let first = try #require(await writes.next())
    #expect((first.count, first.commands) == (4, 0..<4))
    writes.asked()
    #expect(await writes.waitForRoom(upTo: 8))
    #expect(writes.room(upTo: 8) == 4)
    writes.add(4, 4..<8, at: LoopClock.now)
    #expect(writes.confirmed(first) == 4)
    #expect(await writes.next()?.commands == 4..<8)
    writes.asked()
    #expect(await writes.waitForRoom(upTo: 8))
    #expect(writes.room(upTo: 8) == 4)
  }

  @Test("No value overtakes the request that confirms those before")
  func order() async throws {
    let writes = UnconfirmedWrites()
    #expect(await writes.waitForRoom(upTo: 8))
    writes.add(4, 0..<4, at: LoopClock.now)
    let first = try #require(await writes.next())
    let room = Task { await writes.waitForRoom(upTo: 8) }
    writes.add(4, 4..<8, at: LoopClock.now)
    _ = writes.confirmed(first)
    // The request for the second part is not asked yet.
    writes.asked()
    let second = try #require(await writes.next())
    room.cancel()
    #expect(await !room.value)
    writes.asked()
    #expect(await writes.waitForRoom(upTo: 8))
    #expect(writes.confirmed(second) == 8)
    #expect(await writes.waitForRoom(upTo: 8))
  }

  @Test(
    "However the window grows, no part is larger than its half: a small one has a large one in its way else")
  func balance() async throws {
    let writes = UnconfirmedWrites()
    writes.add(2, 0..<2, at: LoopClock.now)
    let first = try #require(await writes.next())
    writes.asked()
    for (window, room) in [(4, 2), (16, 6)] {
      #expect(await writes.waitForRoom(upTo: window))
      #expect(writes.room(upTo: window) == room)
      writes.add(room, 2..<2 + room, at: LoopClock.now)
    }
    let waiting = Task { await writes.waitForRoom(upTo: 16) }
    waiting.cancel()
    #expect(await !waiting.value)
    #expect(writes.confirmed(first) == 2)
    #expect(await writes.next()?.count == 8)
  }

  @Test("One confirmation stands for everything that was sent since the last one began")
  func together() async throws {
    let writes = UnconfirmedWrites()
    writes.add(1, 5..<6, at: LoopClock.now)
    writes.add(2, 7..<9, at: LoopClock.now)
    writes.end()
    let part = try #require(await writes.next())
    #expect((part.count, part.commands) == (3, 5..<9))
    #expect(writes.confirmed(part) == 3)
    #expect(await writes.next() == nil)
  }

  @Test("A smaller window takes nothing back, and lets at least one value follow")
  func smallest() async {
    let writes = UnconfirmedWrites()
    #expect(writes.room(upTo: 1) == 1)
    writes.add(4, 0..<4, at: LoopClock.now)
    let waiting = Task { await writes.waitForRoom(upTo: 4) }
    waiting.cancel()
    #expect(await !waiting.value)
  }
}
