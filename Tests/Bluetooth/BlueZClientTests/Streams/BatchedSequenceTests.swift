// SPDX-License-Identifier: MIT
import AsyncIO
import Testing

@testable import BlueZClient

@Suite("BatchedSequence", .timeLimit(.minutes(1)))
struct BatchedSequenceTests {
  private let source = BatchSource<Int>(capacity: 3, loop: .shared)
  private let error = BLEError(.disconnected, during: .continue, "gone")

  private func sequence(onEnd: @escaping @Sendable () -> Void = {}) -> BatchedSequence<Int> {
    BatchedSequence(source) { () throws(BLEError) in Lease(onEnd: onEnd) }
  }

  @Test("Elements come one by one or in batches, and each comes once")
  func mixed() async throws {
    for number in 1...3 { source.send(number) }
    var iterator = sequence().makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.nextBatch()?.elements == [2, 3])
    source.send(4)
    #expect(try await iterator.next() == 4)
  }

  @Test("Elements beyond the capacity are counted, and an element stands for them where one can be made")
  func dropped() async throws {
    for number in 1...5 { source.send(number) }
    var iterator = sequence().makeAsyncIterator()
    let batch = try #require(try await iterator.nextBatch())
    #expect(batch.elements == [1, 2, 3] && batch.dropped == 2)
    let marked = BatchSource<Int>(capacity: 1, loop: .shared) { -$0 }
    for number in 1...5 { marked.send(number) }
    var numbers = BatchedSequence(marked) { () throws(BLEError) in Lease {} }.makeAsyncIterator()
    #expect(try await numbers.next() == 1)
    #expect(try await numbers.next() == -4)
  }

  @Test("The first error ends the sequence, behind the elements before it")
  func end() async throws {
    source.send(1)
    source.end(error)
    source.end(BLEError(.failed, during: .continue, "later"))
    source.send(2)
    let sequence = sequence()
    #expect(sequence.end != nil)
    var iterator = sequence.makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    let thrown = await #expect(throws: BLEError.self) { try await iterator.next() }
    #expect(thrown == error)
  }

  @Test("The source of the elements starts with the first request and ends with the iterator")
  func lease() async throws {
    let log = Lock<[String]>([])
    let sequence = BatchedSequence(source) { () throws(BLEError) in
      log.withLock { $0.append("start") }
      return Lease { log.withLock { $0.append("end") } }
    }
    source.send(1)
    #expect(log.withLock { $0 } == [])
    for try await number in sequence where number == 1 { break }
    #expect(log.withLock { $0 } == ["start", "end"])
  }

  @Test("A second iterator is refused while the first one reads, and reads when that is released")
  func secondIterator() async throws {
    let sequence = sequence()
    source.send(1)
    var first: BatchedSequence<Int>.Iterator? = sequence.makeAsyncIterator()
    #expect(try await first?.next() == 1)
    var second = sequence.makeAsyncIterator()
    source.send(2)
    let refusal = await #expect(throws: BLEError.self) { try await second.next() }
    #expect(refusal?.code == .busy)
    #expect(try await first?.next() == 2)
    first = nil
    source.send(3)
    #expect(try await second.next() == 3)
  }

  @Test("A cancelled task still gets what has arrived, then the end; a later task reads on")
  func cancelled() async throws {
    let (sequence, source) = (sequence(), source)
    for number in 1...2 { source.send(number) }
    let reader = Task {
      while !Task.isCancelled { await Task.yield() }
      var iterator = sequence.makeAsyncIterator()
      var seen: [Int] = []
      // A source that is as fast as its reader.
      while let batch = try await iterator.nextBatch() {
        seen += batch.elements
        source.send(3)
      }
      return seen
    }
    reader.cancel()
    #expect(try await reader.value == [1, 2])
    var iterator = sequence.makeAsyncIterator()
    #expect(try await iterator.next() == 3)
  }

  /// Calls a program at its end.
  private final class Probe: Sendable {
    private let ended: @Sendable () -> Void
    init(ended: @escaping @Sendable () -> Void) { self.ended = ended }
    deinit { ended() }
  }

  @Test("An element that was read is released before the wait for the next one")
  func releasedElement() async throws {
    let (source, error) = (BatchSource<Probe>(loop: .shared), error)
    source.send(Probe { source.end(error) })
    let sequence = BatchedSequence(source) { () throws(BLEError) in Lease {} }
    let thrown = await #expect(throws: BLEError.self) { for try await _ in sequence {} }
    #expect(thrown == error)
  }

  @Test("A wait for the next element ends at its limit, or with its task")
  func limit() async throws {
    var iterator: BatchedSequence<Int>.Iterator? = sequence().makeAsyncIterator()
    let late = await #expect(throws: BLEError.self) {
      try await iterator?.next(within: .zero, during: .continue)
    }
    #expect(late?.code == .timedOut)
    iterator = nil
    let sequence = sequence()
    let waiting = Task {
      var iterator = sequence.makeAsyncIterator()
      _ = try await iterator.next(within: nil, during: .continue)
    }
    waiting.cancel()
    let cancelled = await #expect(throws: BLEError.self) { try await waiting.value }
    #expect(cancelled?.code == .cancelled)
  }

  @Test("A deadline gives an empty batch, also after it was moved; without one, a batch has elements")
  func deadline() async throws {
    var iterator = sequence().makeAsyncIterator()
    source.send(1)
    #expect(try await iterator.nextBatch(until: LoopClock.now + .milliseconds(2))?.elements == [1])
    let later = LoopClock.now + .milliseconds(10)
    #expect(try await iterator.nextBatch(until: later)?.elements == [])
    #expect(LoopClock.now >= later)
    source.send(2)
    #expect(try await iterator.nextBatch(until: LoopClock.now + .seconds(3600))?.elements == [2])
    let earlier = LoopClock.now + .milliseconds(2)
    #expect(try await iterator.nextBatch(until: earlier)?.elements == [])
    source.send(3)
    #expect(try await iterator.nextBatch(until: LoopClock.now + .milliseconds(1))?.elements == [3])
    _ = RemoteTimer(source.loop, at: LoopClock.now + .milliseconds(3)) { [source] in source.send(4) }
    #expect(try await iterator.nextBatch()?.elements == [4])
  }
}
