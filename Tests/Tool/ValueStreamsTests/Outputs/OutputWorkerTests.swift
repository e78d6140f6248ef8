// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import BLECentral
@testable import TerminalOutput
@testable import ValueStreams

@Suite("TimeText")
struct TimeTextTests {
  @Test("Each time has its own text, in the second of the one before or not")
  func texts() {
    var times = TimeText()
    for (seconds, nanoseconds) in [
      (5, 1000), (5, 1000), (5, 999_999_999), (6, 0), (5, 0), (-1, 7000), (0, 7000),
    ] {
      let time = Timestamp(seconds: seconds, nanoseconds: nanoseconds)
      var line = Array("before ".utf8)
      times.append(time, to: &line)
      #expect(String(decoding: line, as: UTF8.self) == "before \(time.utc)")
    }
  }
}

@Suite("OutputWorker")
struct OutputWorkerTests {
  /// Writes to memory, as a test lets it.
  private final class Probe: OutputSink, @unchecked Sendable {
    let name = "the probe"
    let interval: Duration
    let batchCost: Int
    let written = Mutex<[StreamEvent]>([])
    /// How many records each write had.
    let counts = Mutex<[Int]>([])
    let wroteTwice = Promise<Void>()
    /// The failures of the next writes; then writes succeed.
    let failures: Mutex<[OutputError]>
    let began = Promise<Void>()
    let refreshed = Promise<Void>()
    let showsAges: Bool
    private let failsAtEnd: Bool
    /// A pipe that writing waits for, until it is closed.
    private var gate: [Int32] = [-1, -1]

    init(
      failures: [OutputError] = [], isStalled: Bool = false, failsAtEnd: Bool = false,
      interval: Duration = .zero, batchCost: Int = 1 << 20, showsAges: Bool = false
    ) {
      self.showsAges = showsAges
      self.interval = interval
      self.batchCost = batchCost
      self.failsAtEnd = failsAtEnd
      self.failures = Mutex(failures)
      if isStalled { pipe(&gate) }
    }

    deinit { Glibc.close(gate[0]) }

    /// Lets a stalled probe write.
    func release() { Glibc.close(gate[1]) }

    func write(_ events: [StreamEvent]) throws(OutputError) {
      began.fulfil(())
      var byte: UInt8 = 0
      if gate[0] >= 0 { _ = read(gate[0], &byte, 1) }
      if let failure = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw failure }
      written.withLock { $0 += events }
      let count = counts.withLock { counts in
        counts.append(events.reduce(0) { $0 + $1.count })
        return counts.count
      }
      if count == 2 { wroteTwice.fulfil(()) }
    }
    func refresh() { refreshed.fulfil(()) }
    func close() throws(OutputError) { if failsAtEnd { throw .passing("no room") } }

    /// The values that were written, and the counts of the dropped ones, negative.
    var numbers: [Int] {
      written.withLock { events in
        events.flatMap { event -> [Int] in
          switch event {
          case .values(let batch): batch.values.map { Int($0.value[0]) }
          case .dropped(let record): [-record.count]
          default: []
          }
        }
      }
    }
  }

  private let remarks = Remarks()

  private func worker(_ probe: Probe, capacity: Int = 1 << 20) -> OutputWorker {
    OutputWorker(probe, capacity: capacity, room: "1K", stallTime: .seconds(600), report: remarks.add)
  }

  @Test("All events are written, in order, before the worker ends")
  func order() async {
    let probe = Probe()
    let worker = worker(probe)
    for number in UInt8(0)..<200 { worker.send(SampleStream.values([[number]])) }
    let outcome = await worker.finish(limit: .seconds(1), on: .shared)
    #expect(outcome.lost == 0)
    #expect(probe.numbers == Array(0..<200))
  }

  @Test("Events that come soon after a write are gathered, and written together")
  func gathering() async {
    let probe = Probe(interval: .seconds(600))
    let worker = worker(probe)
    worker.send(SampleStream.values([[1]]))
    await probe.began.value
    worker.send(SampleStream.values([[2]]))
    worker.send(SampleStream.values([[3], [4]]))
    // The end does not wait for the interval.
    let outcome = await worker.finish(limit: .seconds(1), on: .shared)
    #expect(outcome.lost == 0)
    #expect(probe.numbers == [1, 2, 3, 4])
    #expect(probe.counts.withLock { $0 } == [1, 3])
  }

  @Test("Gathered events are written as soon as there are enough")
  func enough() async {
    let probe = Probe(interval: .seconds(600), batchCost: 1200)
    let worker = worker(probe)
    worker.send(SampleStream.values([[1]]))
    await probe.began.value
    for number in UInt8(2)..<5 { worker.send(SampleStream.values([[number]])) }
    await probe.wroteTwice.value
    #expect(probe.counts.withLock { $0 } == [1, 2])
    #expect(await worker.finish(limit: .seconds(1), on: .shared).lost == 0)
    #expect(probe.numbers == [1, 2, 3, 4])
  }

  @Test("A sink is refreshed at once, however long its interval is")
  func refreshing() async {
    let probe = Probe(interval: .seconds(600))
    let worker = worker(probe)
    worker.send(SampleStream.values([[1]]))
    await probe.began.value
    worker.nudge()
    await probe.refreshed.value
    #expect(await worker.finish(limit: .seconds(1), on: .shared).lost == 0)
    #expect(probe.numbers == [1])
  }

  @Test("Events that do not fit are counted, and reported in their place")
  func dropping() async {
    let probe = Probe(isStalled: true)
    let worker = worker(probe, capacity: 1024)
    for number in UInt8(0)..<100 { worker.send(SampleStream.values([[number]])) }
    probe.release()
    let outcome = await worker.finish(limit: .seconds(1), on: .shared)
    let numbers = probe.numbers
    let dropped = -numbers.filter { $0 < 0 }.reduce(0, +)
    // One value costs 577 bytes when it comes alone, whether it is being written or waits.
    #expect(numbers == [0, -99])
    #expect(dropped == outcome.lost)
    #expect(remarks.all.count == 1 && remarks.all[0].contains("1K wait (--buffer)"))
  }

  @Test("A batch that fits in part is taken in part")
  func partOfABatch() async {
    let probe = Probe(isStalled: true)
    let worker = worker(probe, capacity: 1024)
    worker.send(SampleStream.values((UInt8(0)..<40).map { [$0] }))
    probe.release()
    let outcome = await worker.finish(limit: .seconds(1), on: .shared)
    #expect(probe.numbers == Array(0..<7) + [-33])
    #expect(outcome.lost == 33)
  }

  /// Takes some of the records of a write, and then none.
  private final class PartialSink: OutputSink, @unchecked Sendable {
    let name = "the broker"
    let interval = Duration.zero
    let batchCost = 1 << 20
    let progress: OutputProgress? = OutputProgress()
    private let taken: Int
    private var hasBegun = false
    let wasEnding = Mutex<[Bool]>([])

    init(taking taken: Int) { self.taken = taken }

    func write(_ events: [StreamEvent]) throws(OutputError) {
      wasEnding.withLock { $0.append(progress?.isEnding == true) }
      if !hasBegun {
        progress?.begin(events.reduce(0) { $0 + $1.count })
        for _ in 0..<taken { progress?.advance() }
      }
      hasBegun = true
      throw .passing("away")
    }

    func close() {}
  }

  @Test("Only the rest of a partial write is counted as lost")
  func partialWrite() async {
    let sink = PartialSink(taking: 7)
    let worker = OutputWorker(sink, capacity: 1 << 20, room: "1K", report: remarks.add)
    worker.send(SampleStream.values((UInt8(0)..<10).map { [$0] }))
    let outcome = await worker.finish(limit: .seconds(1), on: .shared)
    #expect(outcome.lost == 3)
  }

  @Test("The last attempt knows that it is the last, however soon it begins")
  func lastAttempt() async {
    for _ in 0..<1000 {
      let sink = PartialSink(taking: 0)
      let worker = OutputWorker(sink, capacity: 1 << 20, room: "1K", report: remarks.add)
      worker.send(SampleStream.values([[1]]))
      _ = await worker.finish(limit: .seconds(1), on: .shared)
      let wasEnding = sink.wasEnding.withLock { $0 }
      #expect(wasEnding.last == true, "\(wasEnding)")
    }
  }

  @Test("A write that fails for the moment is tried again, and nothing is doubled")
  func retry() async {
    let probe = Probe(failures: [.passing("No space left on device"), .passing("No space left on device")])
    let worker = worker(probe)
    worker.send(SampleStream.values([[1], [2]]))
    await probe.began.value
    let outcome = await worker.finish(limit: .seconds(5), on: .shared)
    // The end asks once more at once: what still fails then is given up.
    #expect(outcome.lost == 0 ? probe.numbers == [1, 2] : probe.numbers.isEmpty && outcome.lost == 2)
    #expect(remarks.all.first?.hasPrefix("cannot write the probe: No space left on device") == true)
  }

  @Test("A write that still fails at the end is given up, and counted")
  func givenUp() async {
    let probe = Probe(failures: Array(repeating: .passing("full"), count: 100))
    let worker = worker(probe)
    worker.send(SampleStream.values([[1], [2]]))
    worker.send(SampleStream.values([[3]]))
    let outcome = await worker.finish(limit: .seconds(5), on: .shared)
    #expect(outcome.lost == 3)
    #expect(probe.numbers.isEmpty)
  }

  @Test("The count of lost records includes those dropped before, once")
  func givenUpAfterDropping() async {
    let probe = Probe(failures: Array(repeating: .passing("full"), count: 100))
    let worker = worker(probe, capacity: 1024)
    worker.send(SampleStream.values([[1]]))
    await probe.began.value
    for number in UInt8(2)...100 { worker.send(SampleStream.values([[number]])) }
    #expect(await worker.finish(limit: .seconds(5), on: .shared).lost == 100)
  }

  @Test("A write that fails for good ends the worker, and says why")
  func final() async {
    let probe = Probe(failures: [.final(ConsoleError.closed)])
    let worker = worker(probe)
    worker.send(SampleStream.values([[1]]))
    #expect(await worker.failure() == .closed)
    #expect(await worker.finish(limit: .seconds(1), on: .shared).failure == .closed)
  }

  @Test("A nudge refreshes the sink, without an event")
  func nudge() async {
    let probe = Probe()
    let worker = worker(probe)
    worker.nudge()
    await probe.refreshed.value
    worker.send(SampleStream.values([[1]]))
    #expect(await worker.finish(limit: .seconds(1), on: .shared).lost == 0)
    #expect(probe.numbers == [1])
  }

  @Test("A sink that shows ages is refreshed when time passes, without an event or a nudge")
  func ages() async {
    let probe = Probe(showsAges: true)
    let worker = worker(probe)
    await probe.refreshed.value
    #expect(probe.numbers.isEmpty)
    #expect(await worker.finish(limit: .seconds(1), on: .shared).lost == 0)
  }

  @Test("Records that cannot be written at the end are reported")
  func endFailure() async {
    let worker = worker(Probe(failsAtEnd: true))
    #expect(await worker.finish(limit: .seconds(1), on: .shared).endFailure == "no room")
  }

  @Test("A reader that takes nothing is left alone soon after a cancellation")
  func stalled() async {
    let probe = Probe(isStalled: true)
    let worker = worker(probe)
    worker.send(SampleStream.values([[1], [2]]))
    await probe.began.value
    worker.send(SampleStream.values([[3]]))
    let finishing = Task { await worker.finish(limit: .milliseconds(50), on: .shared) }
    finishing.cancel()
    let outcome = await finishing.value
    #expect(outcome.lost == 1)
    #expect(outcome.uncertain == 2)
    probe.release()
  }

  @Test("A producer that can be held up waits for an output that moves, and not for one that does not")
  func pacing() async {
    let probe = Probe(isStalled: true)
    let worker = worker(probe, capacity: 2000)
    for number in UInt8(0)..<3 { worker.send(SampleStream.values([[number]])) }
    await probe.began.value
    // Nothing is written meanwhile: it ends when its time is over.
    worker.awaitHalf(until: .now + .milliseconds(1))
    probe.release()
    // It ends as soon as something was written.
    worker.awaitHalf(until: .now + .seconds(600))
    #expect(probe.numbers.first == 0)
    let outcome = await worker.finish(limit: .seconds(1), on: .shared)
    #expect(outcome.lost == 0)
    #expect(probe.numbers == [0, 1, 2])
  }
}
