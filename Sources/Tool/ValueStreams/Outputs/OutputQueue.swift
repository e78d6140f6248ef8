// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral

/// Events on their way to the thread of an ``OutputWorker``, bounded by bytes; the others are counted.
///
/// Events count until they are written, because they are kept until then.
final class OutputQueue: Sendable {
  enum Turn {
    case events([StreamEvent])
    /// The queue is empty, but the sink must redraw.
    case nudged
    case timedOut
    /// The queue is empty, and no more events come.
    case finished
  }

  /// Events that are taken together: packed when they come, because to move them later takes as long as to write them.
  fileprivate struct Batch {
    var events: [StreamEvent]
    var cost: Int
  }

  fileprivate struct State {
    let capacity: Int
    /// The most that is taken at once, unless one event alone costs more.
    let batchCost: Int
    var waiting: [Batch] = []
    var waitingCost = 0
    var writingCost = 0
    var writingCount = 0
    var dropped: DroppedRecord?
    var lost = 0
    var isFinished = false
    var isNudged = false
    /// The cost of waiting events at which the thread is woken.
    ///
    /// The thread is woken once, and sets this before it waits again.
    var wakeCost = Int.max
    /// The time of the last write.
    var lastWrite: ContinuousClock.Instant?
    /// The time of the last write, or of the last arrival in the empty queue.
    var lastProgress = ContinuousClock.now

    init(capacity: Int, batchCost: Int) { (self.capacity, self.batchCost) = (capacity, batchCost) }

    var load: Int { waitingCost + writingCost }
    var room: Int { capacity - load }
  }

  private let state: Monitor<State>

  /// Producers do not wait for an output that has taken nothing for this time.
  private let stallTime: Duration

  init(capacity: Int, batchCost: Int, stallTime: Duration) {
    state = Monitor(State(capacity: capacity, batchCost: batchCost))
    self.stallTime = stallTime
  }

  // MARK: The loop's side

  /// Adds an event, or counts it as lost; returns true for the first loss since the last loss record.
  func push(_ event: StreamEvent) -> Bool {
    state.withLock { state in
      if state.isFinished { return false }
      let isFirstLoss = state.push(event)
      if state.waitingCost >= state.wakeCost {
        state.wakeCost = .max
        self.state.wake()
      }
      return isFirstLoss
    }
  }

  /// Waits until half of the capacity is free, unless the output is stalled: for a producer that can pause.
  func awaitHalf(until limit: ContinuousClock.Instant) {
    state.wait { state in
      let now = ContinuousClock.now
      let isStalled = state.lastProgress.duration(to: now) >= stallTime
      let isOver = state.load <= state.capacity / 2 || state.isFinished || isStalled || limit <= now
      return isOver ? .done(()) : .wait(until: limit)
    }
  }

  var lostCount: Int { state.withLock { $0.lost } }

  /// The records that were lost or still wait, and those that are being written.
  var unwritten: (left: Int, writing: Int) {
    state.withLock { state in
      (state.lost + state.waiting.reduce(0) { $0 + $1.events.recordCount }, state.writingCount)
    }
  }

  /// Allows no more events; the waiting ones are still written.
  func finish() {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      if let dropped = state.dropped.take() { state.append(.dropped(dropped)) }
    }
    state.wake()
  }

  func nudge() {
    state.withLock { $0.isNudged = true }
    state.wake()
  }

  // MARK: The thread's side

  /// Waits for events, and takes them.
  ///
  /// - Parameters:
  ///   - interval: how long events gather after the last write, unless that much waits.
  ///   - limit: when to stop waiting.
  /// - Returns: the events, or another reason to wake.
  func take(apart interval: Duration, until limit: ContinuousClock.Instant?) -> Turn {
    state.wait { state in
      let now = ContinuousClock.now
      let isIdle = state.waiting.isEmpty && !state.isFinished
      let isOver = limit.map { $0 <= now } ?? false
      // First, so that a stream wakes the thread once for each interval.
      let enough = min(state.batchCost, state.capacity / 2)
      if let end = state.lastWrite.map({ $0 + interval }), now < end, !state.isFinished,
        state.waitingCost < enough, !(isIdle && (state.isNudged || isOver))
      {
        state.wakeCost = enough
        return .wait(until: isIdle ? min(end, limit ?? end) : end)
      }
      if isIdle, !state.isNudged {
        state.wakeCost = 1
        return isOver ? .done(.timedOut) : .wait(until: limit)
      }
      defer { (state.isNudged, state.wakeCost) = (false, .max) }
      if state.waiting.isEmpty { return .done(state.isFinished ? .finished : .nudged) }
      let batch = state.waiting.removeFirst()
      state.waitingCost -= batch.cost
      (state.writingCost, state.writingCount) = (batch.cost, batch.events.recordCount)
      return .done(.events(batch.events))
    }
  }

  /// Ends the write of the events that were taken last, successful or not.
  func settled() {
    state.withLock { state in
      (state.writingCost, state.writingCount) = (0, 0)
      state.lastProgress = .now
      state.lastWrite = state.lastProgress
    }
    state.wake()
  }

  /// Waits while more events may come; returns true if none will.
  func pause(_ duration: Duration) -> Bool {
    let end = ContinuousClock.now + duration
    return state.wait { $0.isFinished || end <= .now ? .done($0.isFinished) : .wait(until: end) }
  }
}

extension OutputQueue.State {
  /// The most that one event in the queue costs, which bounds each write.
  private static let sliceCost = 64 * 1024

  mutating func push(_ event: StreamEvent) -> Bool {
    if load == 0 { lastProgress = .now }
    // Losses are reported once half is free.
    if let record = dropped {
      guard room >= capacity / 2 else {
        drop(event.count, since: record)
        return false
      }
      append(.dropped(record))
      dropped = nil
    }
    let isLarge = event.cost > min(room, Self.sliceCost)
    guard isLarge, case .values(var batch) = event else {
      if event.cost > room { return drop(1, since: nil) }
      append(event)
      return false
    }
    while let slice = batch.removeFirst(costing: min(room, Self.sliceCost)) { append(.values(slice)) }
    return batch.values.isEmpty ? false : drop(batch.values.count, since: nil)
  }

  mutating func append(_ event: StreamEvent) {
    let cost = event.cost
    waitingCost += cost
    guard let last = waiting.indices.last, waiting[last].cost + cost <= batchCost else {
      return waiting.append(OutputQueue.Batch(events: [event], cost: cost))
    }
    waiting[last].events.append(event)
    waiting[last].cost += cost
  }

  @discardableResult
  private mutating func drop(_ count: Int, since record: DroppedRecord?) -> Bool {
    var record = record ?? DroppedRecord(time: .now, count: 0)
    record.count += count
    lost += count
    dropped = record
    return true
  }
}
