// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import TestSupport
import Testing

@Suite("EventLoop", .timeLimit(.minutes(1)))
struct EventLoopTests {
  private let loop = EventLoop.shared

  /// Runs something on the loop and gives what it returns.
  private func onLoop<Value: Sendable>(_ body: @escaping @Sendable (EventLoop) -> Value) async -> Value {
    let promise = Promise<Value>()
    loop.submit { [loop] in promise.fulfil(body(loop)) }
    return await promise.value
  }

  private actor Guest {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.actorExecutor }
    init(_ loop: EventLoop) { self.loop = loop }
    var isOnLoop: Bool { loop.isCurrent }
  }

  @Test("Actions, actors and tasks that name the loop run on its thread, others do not")
  func thread() async {
    #expect(await onLoop { $0.isCurrent })
    #expect(await Guest(loop).isOnLoop)
    let loop = loop
    #expect(await Task(executorPreference: loop) { loop.isCurrent }.value)
    #expect(!loop.isCurrent)
  }

  @concurrent private func wait(for promise: Promise<Void>) async { await promise.value }

  @Test("A task on the loop runs from one wait to the next without being queued again")
  func steps() async {
    let log = Lock<[String]>([])
    let (promise, done) = (Promise<Void>(), Promise<Void>())
    let loop = loop
    let task = Task(executorPreference: loop) {
      loop.submit {
        promise.fulfil(())
        Task(executorPreference: loop) {
          log.withLock { $0.append("other") }
          done.fulfil(())
        }
      }
      await wait(for: promise)
      log.withLock { $0.append("task") }
    }
    await task.value
    await done.value
    #expect(log.withLock { $0 } == ["task", "other"])
  }

  @Test("Actions of each thread run in their order, and none is lost")
  func submissions() async {
    let log = Lock<[[Int]]>(Array(repeating: [], count: 4))
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<4 {
        group.addTask { [loop] in
          for number in 0..<500 { loop.submit { log.withLock { $0[sender].append(number) } } }
        }
      }
    }
    _ = await onLoop { _ in true }
    #expect(log.withLock { $0 } == Array(repeating: Array(0..<500), count: 4))
  }

  @Test("An action that submits another does not run it itself")
  func nestedSubmission() async {
    let log = Lock<[String]>([])
    let done = Promise<Void>()
    loop.submit { [loop] in
      loop.submit {
        log.withLock { $0.append("inner") }
        done.fulfil(())
      }
      log.withLock { $0.append("outer") }
    }
    await done.value
    #expect(log.withLock { $0 } == ["outer", "inner"])
  }

  // MARK: Timers

  @Test("Timers run in the order of their deadlines, whatever the order of their setting")
  func timerOrder() async {
    let log = Lock<[Int]>([])
    let done = Promise<Void>()
    loop.submit { [loop] in
      let start = ContinuousClock.now
      for offset in [3, 1, 4, -2, 0, 2, -1] {
        _ = loop.schedule(at: start + .milliseconds(offset)) {
          log.withLock { $0.append(offset) }
          if offset == 4 { done.fulfil(()) }
        }
      }
    }
    await done.value
    #expect(log.withLock { $0 } == [-2, -1, 0, 1, 2, 3, 4])
  }

  @Test("A timer does not run before its deadline")
  func timerPunctuality() async {
    let deadline = ContinuousClock.now + .milliseconds(3)
    let ran = Promise<ContinuousClock.Instant>()
    loop.submit { [loop] in _ = loop.schedule(at: deadline) { ran.fulfil(.now) } }
    #expect(await ran.value >= deadline)
  }

  @Test("A cancelled timer does not run")
  func timerCancellation() async {
    let log = Lock<[String]>([])
    let done = Promise<Void>()
    loop.submit { [loop] in
      let start = ContinuousClock.now
      let doomed = loop.schedule(at: start + .milliseconds(1)) { log.withLock { $0.append("doomed") } }
      _ = loop.schedule(at: start + .milliseconds(2)) {
        log.withLock { $0.append("last") }
        done.fulfil(())
      }
      loop.cancel(doomed)
    }
    await done.value
    #expect(log.withLock { $0 } == ["last"])
  }

  @Test("A timer may be cancelled by one that is due at the same time")
  func timerCancelsTimer() async {
    let log = Lock<[String]>([])
    let done = Promise<Void>()
    loop.submit { [loop] in
      let start = ContinuousClock.now
      nonisolated(unsafe) var doomed: TimerID?
      _ = loop.schedule(at: start - .seconds(3)) {
        log.withLock { $0.append("first") }
        if let doomed { loop.cancel(doomed) }
      }
      doomed = loop.schedule(at: start - .seconds(2)) { log.withLock { $0.append("doomed") } }
      _ = loop.schedule(at: start - .seconds(1)) {
        log.withLock { $0.append("last") }
        done.fulfil(())
      }
    }
    await done.value
    #expect(log.withLock { $0 } == ["first", "last"])
  }

  @Test("Sleep ends in time, or with the task")
  func sleep() async throws {
    let loop = loop
    let start = ContinuousClock.now
    try await loop.sleep(for: .milliseconds(2))
    #expect(ContinuousClock.now - start >= .milliseconds(2))
    let sleeper = Task { try await loop.sleep(for: .seconds(3600)) }
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  // MARK: Descriptors

  @Test("A descriptor's handler runs when there is something to read, until it is unwatched")
  func readable() async throws {
    let pipe = try Pipe()
    let bytes = BatchChannel<UInt8>()
    let source = await onLoop { loop in
      loop.watch(pipe.reader, for: .readable) { _ in
        var byte: UInt8 = 0
        if read(pipe.reader, &byte, 1) == 1 { bytes.send(byte) }
      }
    }
    pipe.write([1])
    #expect(await bytes.next()?.elements == [1])
    pipe.write([2])
    #expect(await bytes.next()?.elements == [2])
    await onLoop { $0.unwatch(source) }
    pipe.write([3])
    await onLoop { _ in }
    await onLoop { _ in }
    #expect(pipe.hasInput)
  }

  @Test(
    "What waits in a socket is read and handled before a timer that is overdue, as after a stop of the process"
  )
  func overdueTimer() async throws {
    let pipe = try Pipe()
    pipe.write([1, 2, 3])
    let (log, bytes, hasRun) = (Lock<[String]>([]), BatchChannel<UInt8>(), Promise<Void>())
    let reader = Task(executorPreference: loop) {
      while let batch = await bytes.next() { log.withLock { $0 += batch.elements.map { "byte \($0)" } } }
    }
    let source = await onLoop { loop in
      _ = loop.schedule(at: LoopClock.now - .seconds(1)) {
        log.withLock { $0.append("timer") }
        hasRun.fulfil(())
      }
      return loop.watch(pipe.reader, for: .readable) { _ in
        var byte: UInt8 = 0
        if read(pipe.reader, &byte, 1) == 1 { bytes.send(byte, inTurnOf: loop) }
      }
    }
    await hasRun.value
    #expect(log.withLock { $0 } == ["byte 1", "byte 2", "byte 3", "timer"])
    await onLoop { $0.unwatch(source) }
    bytes.finish()
    await reader.value
  }

  @Test("A timer runs although a source never stops to be ready")
  func busySource() async throws {
    let pipe = try Pipe()
    pipe.write([1])
    let hasRun = Promise<Void>()
    let source = await onLoop { loop in
      _ = loop.schedule(at: LoopClock.now) { hasRun.fulfil(()) }
      return loop.watch(pipe.reader, for: .readable) { _ in }
    }
    await hasRun.value
    await onLoop { $0.unwatch(source) }
  }

  @Test("A source with no requested events is not polled until it has some")
  func interest() async throws {
    let pipe = try Pipe()
    let bytes = BatchChannel<UInt8>()
    let source = await onLoop { loop in
      loop.watch(pipe.reader, for: []) { _ in
        var byte: UInt8 = 0
        if read(pipe.reader, &byte, 1) == 1 { bytes.send(byte) }
      }
    }
    pipe.write([1])
    await onLoop { _ in }
    await onLoop { _ in }
    #expect(pipe.hasInput)
    await onLoop { $0.setInterest(.readable, of: source) }
    #expect(await bytes.next()?.elements == [1])
    await onLoop { $0.unwatch(source) }
  }

  @Test("A handler that unwatches another source keeps it from running, though both are ready")
  func unwatchingWithinARound() async throws {
    let pipes = try [Pipe(), Pipe()]
    let log = Lock<[Int]>([])
    let hasRun = Promise<Void>()
    for pipe in pipes { pipe.write([1]) }
    await onLoop { loop in
      nonisolated(unsafe) var sources: [SourceID] = []
      for (index, pipe) in pipes.enumerated() {
        sources.append(
          loop.watch(pipe.reader, for: .readable) { _ in
            log.withLock { $0.append(index) }
            hasRun.fulfil(())
            for source in sources { loop.unwatch(source) }
          })
      }
    }
    await hasRun.value
    await onLoop { _ in }  // the round of the loop has ended
    #expect(log.withLock { $0 } == [0])
  }

  @Test("The end of the other side is reported as a hang-up")
  func hangUp() async throws {
    let pipe = try Pipe()
    let events = Promise<IOEvents>()
    let source = await onLoop { loop in
      loop.watch(pipe.reader, for: .readable) { seen in events.fulfil(seen) }
    }
    pipe.closeWriter()
    #expect(await events.value.contains(.hangup))
    await onLoop { $0.unwatch(source) }
  }
}

/// A pipe for the handlers above; closed with the last reference.
private final class Pipe: Sendable {
  let reader: Int32
  private let writer: Lock<Int32>

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    reader = ends[0]
    writer = Lock(ends[1])
  }

  deinit {
    close(reader)
    closeWriter()
  }

  func write(_ bytes: [UInt8]) { _ = writer.withLock { Glibc.write($0, bytes, bytes.count) } }

  func closeWriter() {
    writer.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  var hasInput: Bool {
    var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) == 1
  }
}
