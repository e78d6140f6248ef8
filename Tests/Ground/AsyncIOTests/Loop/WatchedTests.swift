// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Testing

@Suite("Watched values", .timeLimit(.minutes(1)))
struct WatchedTests {
  @Test("A change wakes the tasks whose condition is met, and the others wait on")
  func conditions() async {
    let number = Watched(0)
    let reached = (1...3).map { goal in Task { await number.wait { $0 >= goal } } }
    for _ in 1...2 { number.change { $0 += 1 } }
    #expect(await reached[0].value)
    #expect(await reached[1].value)
    reached[2].cancel()
    #expect(await !reached[2].value)
    // A task that is cancelled does not hinder later ones.
    let last = Task { await number.wait { $0 == 4 } }
    for _ in 1...2 { number.change { $0 += 1 } }
    #expect(await last.value)
  }

  @Test("A condition that is met needs no change, and a cancelled task is told that it is")
  func metAlready() async {
    let number = Watched(1)
    #expect(await number.wait { $0 == 1 })
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await number.wait { $0 == 1 }
    }
    #expect(await cancelled.value)
  }

  @Test("Access without a change wakes no task")
  func access() async {
    let number = Watched(0)
    let looks = Watched(0)
    let waiting = Task {
      await number.wait { value in
        looks.change { $0 += 1 }
        return value == 1
      }
    }
    await looks.wait { $0 == 1 }
    number.withLock { $0 = 5 }
    number.change { $0 = 1 }
    #expect(await waiting.value)
    let count = looks.withLock { $0 }
    #expect(count == 2)
  }

  @Test("Any change ends a wait for one")
  func changes() async {
    let number = Watched(0)
    let waiting = Task { await number.waitForChange() }
    let changing = Task {
      while !Task.isCancelled {
        number.change { _ in }
        await Task.yield()
      }
    }
    await waiting.value
    changing.cancel()
  }
}
