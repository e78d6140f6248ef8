// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("Promise")
struct PromiseTests {
  @Test("A value given before a task waits is there at once, and stays")
  func fulfilledFirst() async {
    let promise = Promise<Int>()
    promise.fulfil(1)
    #expect(await promise.value == 1)
    #expect(await promise.value == 1)
  }

  @Test("The first value wins")
  func firstWins() async {
    let promise = Promise<Int>()
    promise.fulfil(1)
    promise.fulfil(2)
    #expect(await promise.value == 1)
  }

  @Test("A waiting task is resumed when the value comes")
  func awaitedFirst() async {
    let promise = Promise<Int>()
    let loop = EventLoop.shared
    // Both run on the loop: the task has begun to wait before the value is given behind it.
    let waiter = Task(executorPreference: loop) {
      loop.submit { promise.fulfil(3) }
      return await promise.value
    }
    #expect(await waiter.value == 3)
  }

  @Test("If many tasks give a value at once, one wins, and the waiting task sees the winner")
  func race() async {
    for _ in 0..<200 {
      let promise = Promise<Int>()
      let seen = await withTaskGroup(of: Int?.self) { group in
        group.addTask { await promise.value }
        for number in 1...4 {
          group.addTask {
            promise.fulfil(number)
            return nil
          }
        }
        var seen: Int?
        for await value in group where value != nil { seen = value }
        return seen
      }
      let kept = await promise.value
      #expect(seen == kept)
      #expect((1...4).contains(kept))
    }
  }

  @Test(
    "A cancellation handler may end the waiting, before it begins or while it lasts",
    arguments: [false, true])
  func cancellation(isEarly: Bool) async {
    let promise = Promise<String>()
    let started = Promise<Void>()
    let waiter = Task {
      if !isEarly { started.fulfil(()) }
      while isEarly, !Task.isCancelled { await Task.yield() }
      return await withTaskCancellationHandler {
        await promise.value
      } onCancel: {
        promise.fulfil("cancelled")
      }
    }
    if !isEarly { await started.value }
    waiter.cancel()
    #expect(await waiter.value == "cancelled")
  }

  @Test("The end of a wait is not the value: the next wait gets that", arguments: [false, true])
  func secondWait(isCancelled: Bool) async {
    let promise = Promise<String>()
    let loop = EventLoop.shared
    let first = Task(executorPreference: loop) {
      let waiter = Task(executorPreference: loop) {
        await promise.value(
          until: isCancelled ? nil : LoopClock.now, on: loop, ifLate: "late", ifCancelled: "cancelled")
      }
      if isCancelled { waiter.cancel() }
      return await waiter.value
    }
    #expect(await first.value == (isCancelled ? "cancelled" : "late"))
    let second = Task(executorPreference: loop) {
      loop.submit { promise.fulfil("value") }
      return await promise.value(ifCancelled: "cancelled")
    }
    #expect(await second.value == "value")
  }

  @Test("Two tasks that wait for one promise end the program, which says why")
  func twoWaiters() async throws {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let promise = Promise<Int>()
      async let first = promise.value
      async let second = promise.value
      _ = await (first, second)
    }
    let text = String(decoding: try #require(end).standardErrorContent, as: UTF8.self)
    #expect(text.contains("two tasks wait for one promise"))
  }
}
