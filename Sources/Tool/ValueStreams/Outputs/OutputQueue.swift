// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc

/// Events on their way to the thread of an ``OutputWorker``, bounded by bytes; the others are counted.
///
/// Events count until they are written, because they are kept until then. It is Sendable because a mutex guards its state:
/// a ``Lock`` has no conditions.
final class OutputQueue: @unchecked Sendable {
  enum Turn {
    case events([StreamEvent])
    /// The queue is empty, but the sink must redraw.
    case nudged
    case timedOut
    /// The queue is empty, and no more events come.
    case finished
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signalled by an event or the end.
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Signalled when something was written.
  private let progress = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int
  /// The most that is taken at once, unless one event alone costs more.
  private let batchCost: Int

  /// Events that are taken together: packed when they come, because to move them later takes as long as to write them.
  private struct Batch {
    var events: [StreamEvent]
    var cost: Int
  }

  // Guarded by the mutex.
  private var waiting: [Batch] = []
  private var waitingCost = 0
  private var writingCost = 0
  private var writingCount = 0
  private var dropped: DroppedRecord?
  private var lost = 0
  private var isFinished = false
  private var isNudged = false
  /// The cost of waiting events at which the thread is woken.
  ///
  /// The thread is woken once, and sets this before it waits again.
  private var wakeCost = Int.max
  /// The time of the last write.
  private var lastWrite: ContinuousClock.Instant?
  /// The time of the last write, or of the last arrival in the empty queue.
  private var lastProgress = ContinuousClock.now

  /// Producers do not wait for an output that has taken nothing for this time.
  private let stallTime: Duration

  init(capacity: Int, batchCost: Int, stallTime: Duration) {
    self.capacity = capacity
    self.batchCost = batchCost
    self.stallTime = stallTime
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_cond_init(progress, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_cond_destroy(progress)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    progress.deallocate()
    mutex.deallocate()
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  // MARK: The loop's side

  /// Adds an event, or counts it as lost; returns true for the first loss since the last loss record.
  func push(_ event: StreamEvent) -> Bool {
    locked {
      if isFinished { return false }
      if waitingCost + writingCost == 0 { lastProgress = .now }
      defer { wake() }
      var room = capacity - waitingCost - writingCost
      // Losses are reported once half is free.
      if let record = dropped {
        guard room >= capacity / 2 else {
          drop(event.count, since: record)
          return false
        }
        append(.dropped(record))
        dropped = nil
        room = capacity - waitingCost - writingCost
      }
      let cost = event.cost
      let isLarge = cost > min(room, OutputQueue.sliceCost)
      guard isLarge, case .values(var batch) = event else {
        if cost > room { return drop(1, since: nil) }
        append(event)
        return false
      }
      while let slice = batch.removeFirst(costing: min(room, OutputQueue.sliceCost)) {
        append(.values(slice))
        room -= slice.cost
      }
      return batch.values.isEmpty ? false : drop(batch.values.count, since: nil)
    }
  }

  /// Waits until half of the capacity is free, unless the output is stalled: for a producer that can pause.
  func awaitHalf(until limit: ContinuousClock.Instant) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while waitingCost + writingCost > capacity / 2, !isFinished,
      lastProgress.duration(to: .now) < stallTime
    {
      if !wait(for: progress, until: limit) { return }
    }
  }

  /// The most that one event in the queue costs, which bounds each write.
  private static let sliceCost = 64 * 1024

  private func wake() {
    guard waitingCost >= wakeCost else { return }
    wakeCost = .max
    pthread_cond_signal(condition)
  }

  private func append(_ event: StreamEvent) {
    let cost = event.cost
    waitingCost += cost
    guard let last = waiting.indices.last, waiting[last].cost + cost <= batchCost else {
      return waiting.append(Batch(events: [event], cost: cost))
    }
    waiting[last].events.append(event)
    waiting[last].cost += cost
  }

  @discardableResult
  private func drop(_ count: Int, since record: DroppedRecord?) -> Bool {
    var record = record ?? DroppedRecord(time: .now, count: 0)
    record.count += count
    lost += count
    dropped = record
    return true
  }

  var lostCount: Int { locked { lost } }

  /// The records that were lost or still wait, and those that are being written.
  var unwritten: (left: Int, writing: Int) {
    locked { (lost + waiting.reduce(0) { $0 + $1.events.recordCount }, writingCount) }
  }

  /// Allows no more events; the waiting ones are still written.
  func finish() {
    locked {
      guard !isFinished else { return }
      isFinished = true
      if let dropped { append(.dropped(dropped)) }
      dropped = nil
      pthread_cond_broadcast(condition)
    }
  }

  func nudge() {
    locked {
      isNudged = true
      pthread_cond_broadcast(condition)
    }
  }

  // MARK: The thread's side

  /// Waits for events, and takes them.
  ///
  /// - Parameters:
  ///   - interval: how long events gather after the last write, unless that much waits.
  ///   - limit: when to stop waiting.
  /// - Returns: the events, or another reason to wake.
  func take(apart interval: Duration, until limit: ContinuousClock.Instant?) -> Turn {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if let end = lastWrite.map({ $0 + interval }) {
      // First, so that a stream wakes the thread once for each interval.
      let enough = min(batchCost, capacity / 2)
      while !isFinished, waitingCost < enough, .now < end {
        if waiting.isEmpty, isNudged || limit.map({ $0 <= .now }) ?? false { break }
        wakeCost = enough
        _ = wait(until: waiting.isEmpty ? min(end, limit ?? end) : end)
      }
    }
    while waiting.isEmpty, !isFinished, !isNudged {
      wakeCost = 1
      if !wait(until: limit) { return .timedOut }
    }
    defer {
      isNudged = false
      wakeCost = .max
    }
    if waiting.isEmpty { return isFinished ? .finished : .nudged }
    let batch = waiting.removeFirst()
    waitingCost -= batch.cost
    writingCost = batch.cost
    writingCount = batch.events.recordCount
    return .events(batch.events)
  }

  /// Ends the write of the events that were taken last, successful or not.
  func settled() {
    locked {
      writingCost = 0
      writingCount = 0
      lastProgress = .now
      lastWrite = lastProgress
      pthread_cond_signal(progress)
    }
  }

  /// Waits while more events may come; returns true if none will.
  func pause(_ duration: Duration) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let end = ContinuousClock.now + duration
    while !isFinished, wait(until: end) {}
    return isFinished
  }

  /// - Returns: false at the limit.
  private func wait(
    for event: UnsafeMutablePointer<pthread_cond_t>? = nil, until limit: ContinuousClock.Instant?
  ) -> Bool {
    let event = event ?? condition
    guard let limit else {
      pthread_cond_wait(event, mutex)
      return true
    }
    let left = limit - .now
    guard left > .zero else { return false }
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let (seconds, attoseconds) = left.components
    let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
    time.tv_sec += Int(seconds) + nanoseconds / 1_000_000_000
    time.tv_nsec = nanoseconds % 1_000_000_000
    return pthread_cond_timedwait(event, mutex, &time) != ETIMEDOUT
  }
}
