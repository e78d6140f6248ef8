// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import BlueZClient

@Suite("AsyncMutex", .timeLimit(.minutes(1)))
struct AsyncMutexTests {
  /// An owner of a queue, on a loop: jobs run there one after the other, in the order of their coming.
  private actor Owner {
    nonisolated let loop = EventLoop.shared
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }
    private let queue = AsyncMutex()
    private(set) var log: [String] = []

    private var lastNumber = 0
    private var asked: Set<Int> = []

    func take(_ name: String, until deadline: Deadline = .never, as number: Int = 0) async -> Bool {
      asked.insert(number)
      let isOurs = await queue.take(until: deadline, on: loop)
      log.append(isOurs ? name : "not \(name)")
      return isOurs
    }

    func release() { queue.release() }

    /// Stands in line from now on, or has the turn already, without waiting for it.
    func line(_ name: String, until deadline: Deadline = .never) async -> Task<Bool, Never> {
      lastNumber += 1
      let number = lastNumber
      let waiter = Task { await take(name, until: deadline, as: number) }
      while !asked.contains(number) { await Task.yield() }
      return waiter
    }

    /// Gives up and is called, in the same moment.
    func cancelAndRelease(_ waiter: Task<Bool, Never>) {
      waiter.cancel()
      queue.release()
    }

    /// Waits for the end of one who is called and gives up: which came first is not known, but a turn is never lost.
    func passOn(_ waiter: Task<Bool, Never>) async {
      if await waiter.value { queue.release() }
    }

    /// Is called and gives up, in the same moment.
    func releaseAndCancel(_ waiter: Task<Bool, Never>) {
      queue.release()
      waiter.cancel()
    }
  }

  @Test("Tasks have their turns in the order of asking, one at a time")
  func order() async {
    let owner = Owner()
    #expect(await owner.take("a"))
    var waiters: [Task<Bool, Never>] = []
    for name in ["b", "c", "d"] { waiters.append(await owner.line(name)) }
    #expect(await owner.log == ["a"])
    for (index, waiter) in waiters.enumerated() {
      await owner.release()
      #expect(await waiter.value)
      #expect(await owner.log == Array(["a", "b", "c", "d"].prefix(index + 2)))
    }
    await owner.release()
    #expect(await owner.take("e"))
  }

  @Test("A deadline ends the waiting, and the next in line is not forgotten")
  func deadline() async {
    let owner = Owner()
    #expect(await owner.take("a"))
    let hasty = await owner.line("hasty", until: Deadline(after: .milliseconds(1)))
    let patient = await owner.line("patient")
    #expect(await !hasty.value)
    await owner.release()
    #expect(await patient.value)
    #expect(await owner.log == ["a", "not hasty", "patient"])
  }

  @Test("A deadline does not matter if the queue is free")
  func freeQueue() async {
    let owner = Owner()
    #expect(await owner.take("a", until: Deadline(after: .zero)))
  }

  @Test("Cancellation ends the waiting, and the next in line is not forgotten")
  func cancellation() async {
    let owner = Owner()
    #expect(await owner.take("a"))
    let doomed = await owner.line("doomed")
    let patient = await owner.line("patient")
    doomed.cancel()
    #expect(await !doomed.value)
    await owner.release()
    #expect(await patient.value)
  }

  @Test("A turn that comes in the moment of giving up goes to the next in line")
  func handOver() async {
    let owner = Owner()
    #expect(await owner.take("a"))
    let doomed = await owner.line("doomed")
    let patient = await owner.line("patient")
    await owner.cancelAndRelease(doomed)
    await owner.passOn(doomed)
    #expect(await patient.value)
  }

  @Test("A turn that comes in the moment of giving up frees the queue if no task is next")
  func handOverWithoutNext() async {
    let owner = Owner()
    #expect(await owner.take("a"))
    let doomed = await owner.line("doomed")
    await owner.cancelAndRelease(doomed)
    await owner.passOn(doomed)
    #expect(await owner.take("b", until: Deadline(after: .zero)))
  }

  @Test("A turn that came before the cancellation is taken")
  func turnFirst() async {
    let owner = Owner()
    #expect(await owner.take("a"))
    let lucky = await owner.line("lucky")
    await owner.releaseAndCancel(lucky)
    #expect(await lucky.value)
    await owner.release()
    #expect(await owner.take("b"))
  }

  @Test("However many tasks come and give up, all others get a turn, one at a time")
  func crowd() async {
    let owner = Owner()
    let inside = Lock(0)
    let served = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          guard await owner.take("\(number)") else { return false }
          let isAlone = inside.withLock { inside in
            inside += 1
            return inside == 1
          }
          #expect(isAlone)
          await Task.yield()
          inside.withLock { $0 -= 1 }
          await owner.release()
          return true
        }
        if number % 3 == 0 {
          group.addTask {
            let doomed = await owner.line("doomed")
            doomed.cancel()
            if await doomed.value { await owner.release() }
            return false
          }
        }
      }
      return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
    }
    #expect(served == 200)
    #expect(await owner.take("last", until: Deadline(after: .zero)))
  }
}
