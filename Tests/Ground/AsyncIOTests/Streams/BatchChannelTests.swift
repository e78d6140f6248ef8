// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@Suite("BatchChannel", .timeLimit(.minutes(1)))
struct BatchChannelTests {
  @Test("All waiting elements are taken at once, in their order")
  func backlog() async {
    let channel = BatchChannel<Int>()
    for number in 0..<5 { channel.send(number) }
    let batch = await channel.next()
    #expect(batch?.elements == [0, 1, 2, 3, 4])
    #expect(batch?.dropped == 0)
    channel.send(5)
    #expect(await channel.next()?.elements == [5])
  }

  /// Calls a program at its end.
  private final class Probe: Sendable {
    private let ended: @Sendable () -> Void
    init(ended: @escaping @Sendable () -> Void) { self.ended = ended }
    deinit { ended() }
  }

  @Test("A discarded element may use the channel in its deinit")
  func discarding() async {
    let channel = BatchChannel<Probe>()
    channel.send(Probe { [weak channel] in channel?.finish() })
    channel.discardBacklog()
    #expect(await channel.next() == nil)
  }

  @Test("Elements that do not fit are counted with the batch that could not hold them")
  func capacity() async {
    let channel = BatchChannel<Int>(capacity: 3)
    for number in 0..<10 { channel.send(number) }
    let full = await channel.next()
    #expect(full?.elements == [0, 1, 2])
    #expect(full?.dropped == 7)
    channel.send(10)
    let next = await channel.next()
    #expect(next?.elements == [10])
    #expect(next?.dropped == 0)
  }

  @Test("A channel without room still reports how much was lost")
  func noRoom() async {
    let channel = BatchChannel<Int>(capacity: 0)
    channel.send(1)
    let batch = await channel.next()
    #expect(batch?.elements == [])
    #expect(batch?.dropped == 1)
  }

  @Test("A finished channel gives what waits, then nothing, and takes no more")
  func finish() async {
    let channel = BatchChannel<Int>()
    channel.send(1)
    channel.finish()
    channel.send(2)
    #expect(await channel.next()?.elements == [1])
    #expect(await channel.next() == nil)
    #expect(await channel.next() == nil)
  }

  @Test("A waiting consumer goes on when an element, or the end, comes")
  func waiting() async {
    let channel = BatchChannel<Int>()
    let loop = EventLoop.shared
    // On the loop, the consumer waits before what is submitted behind it runs.
    let consumer = Task(executorPreference: loop) {
      loop.submit { channel.send(1) }
      let first = await channel.next()?.elements
      loop.submit { channel.finish() }
      return (first, await channel.next() == nil)
    }
    let (first, isFinished) = await consumer.value
    #expect(first == [1])
    #expect(isFinished)
  }

  @Test("A nudge gives one empty batch, to the task that waits or the next one")
  func nudge() async {
    let channel = BatchChannel<Int>()
    channel.nudge()
    channel.nudge()
    #expect(await channel.next()?.elements == [])
    let loop = EventLoop.shared
    let consumer = Task(executorPreference: loop) {
      loop.submit { channel.nudge() }
      return await channel.next()
    }
    #expect(await consumer.value?.elements == [])
    channel.send(1)
    #expect(await channel.next()?.elements == [1])
  }

  @Test("A nudge that comes with elements is spent on them")
  func nudgeAndElements() async {
    let channel = BatchChannel<Int>()
    channel.nudge()
    channel.send(1)
    #expect(await channel.next()?.elements == [1])
    channel.finish()
    #expect(await channel.next() == nil)
  }

  @Test("An alarm nudges when its time comes, unless it was released")
  func alarm() async {
    let channel = BatchChannel<Int>()
    let loop = EventLoop.shared
    // On the loop's thread, no time comes before the first alarm is released.
    let consumer = Task(executorPreference: loop) {
      _ = ChannelAlarm(.now, for: channel, on: loop)
      let alarm = ChannelAlarm(.now + .milliseconds(2), for: channel, on: loop)
      #expect(await channel.next()?.elements == [])
      #expect(alarm.time <= .now)
    }
    await consumer.value
    channel.send(1)
    #expect(await channel.next()?.elements == [1])
  }

  @Test("Cancellation ends the waiting, now or later", arguments: [false, true])
  func cancellation(isEarly: Bool) async {
    let channel = BatchChannel<Int>()
    let started = Promise<Void>()
    let consumer = Task {
      started.fulfil(())
      while isEarly, !Task.isCancelled { await Task.yield() }
      return await channel.next() == nil
    }
    await started.value
    consumer.cancel()
    #expect(await consumer.value)
  }

  @Test("A cancelled read ends only itself, and takes nothing", arguments: [false, true])
  func readers(isWaiting: Bool) async {
    let channel = BatchChannel<Int>()
    if !isWaiting { channel.send(1) }
    let loop = EventLoop.shared
    let cancelled = Task(executorPreference: loop) {
      let reader = Task(executorPreference: loop) { await channel.next() == nil }
      // Behind the first job of the reader, which then waits.
      if isWaiting { loop.submit { reader.cancel() } } else { reader.cancel() }
      return await reader.value
    }
    #expect(await cancelled.value)
    channel.send(2)
    #expect(await channel.next()?.elements == (isWaiting ? [2] : [1, 2]))
    channel.finish()
    #expect(await channel.next() == nil)
  }

  @Test("Two tasks that wait for one channel end the program, which says why")
  func twoReaders() async throws {
    let end = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let channel = BatchChannel<Int>()
      async let first = channel.next()
      async let second = channel.next()
      _ = await (first, second)
    }
    let text = String(decoding: try #require(end).standardErrorContent, as: UTF8.self)
    #expect(text.contains("two tasks wait for the elements of one channel"))
  }

  @Test("A producer on another thread loses nothing and keeps its order")
  func concurrency() async {
    let channel = BatchChannel<Int>()
    let producer = Task {
      for number in 0..<20_000 { channel.send(number) }
      channel.finish()
    }
    var taken: [Int] = []
    while let batch = await channel.next() { taken += batch.elements }
    await producer.value
    #expect(taken == Array(0..<20_000))
  }
}
