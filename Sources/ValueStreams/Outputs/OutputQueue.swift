// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc

/// Events on their way to the thread of an ``OutputWorker``: bounded by bytes, and what does not fit is counted.
///
/// Events that are being written count too, because they are kept until that has succeeded.
final class OutputQueue: @unchecked Sendable {
  /// What the thread finds.
  enum Turn {
    case events([StreamEvent])
    /// Nothing waits, but the sink is to draw again.
    case nudged
    /// The time is over.
    case timedOut
    /// Nothing waits, and nothing will come.
    case finished
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signalled when something comes, or the end does.
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  /// Signalled when something was written.
  private let progress = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let capacity: Int

  // All behind the mutex.
  private var waiting: [StreamEvent] = []
  private var waitingCost = 0
  private var writingCost = 0
  private var writingCount = 0
  private var dropped: DroppedRecord?
  private var lost = 0
  private var isFinished = false
  private var isNudged = false
  /// How much must wait until the thread is woken; it is woken once, and sets this before it waits again.
  private var wakeCost = Int.max
  /// When something was last written.
  private var lastWrite: ContinuousClock.Instant?
  /// When something was last written, or came into the empty queue.
  private var lastProgress = ContinuousClock.now

  /// Producers do not wait for an output that has taken nothing for so long.
  private let stallTime: Duration

  init(capacity: Int, stallTime: Duration) {
    self.capacity = capacity
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

  /// Adds an event; what does not fit is counted, and reported in a record of its own as soon as half is free.
  ///
  /// - Returns: whether this was the first loss since the last such record.
  func push(_ event: StreamEvent) -> Bool {
    locked {
      if isFinished { return false }
      if waitingCost + writingCost == 0 { lastProgress = .now }
      defer { wake() }
      var room = capacity - waitingCost - writingCost
      if let record = dropped {
        guard room >= capacity / 2 else {
          drop(event.count, since: record)
          return false
        }
        append(.dropped(record))
        dropped = nil
        room = capacity - waitingCost - writingCost
      }
      guard case .values(var batch) = event else {
        if event.cost > room { return drop(1, since: nil) }
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

  /// Waits until half of the room is free, unless the output does not move at all: for a producer that can pause.
  ///
  /// - Parameter limit: until when at most.
  func awaitHalf(until limit: ContinuousClock.Instant) {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while waitingCost + writingCost > capacity / 2, !isFinished,
      lastProgress.duration(to: .now) < stallTime
    {
      if !wait(for: progress, until: limit) { return }
    }
  }

  /// The most that one event in the queue costs, so that what is taken together can be bounded.
  private static let sliceCost = 64 * 1024

  private func wake() {
    guard waitingCost >= wakeCost else { return }
    wakeCost = .max
    pthread_cond_signal(condition)
  }

  private func append(_ event: StreamEvent) {
    waiting.append(event)
    waitingCost += event.cost
  }

  @discardableResult
  private func drop(_ count: Int, since record: DroppedRecord?) -> Bool {
    var record = record ?? DroppedRecord(time: .now, count: 0)
    record.count += count
    lost += count
    dropped = record
    return true
  }

  /// How many records were lost so far because the queue was full.
  var lostCount: Int { locked { lost } }

  /// How many records were lost or still wait, and how many are being written.
  var unwritten: (left: Int, writing: Int) { locked { (lost + waiting.recordCount, writingCount) } }

  /// Nothing more comes; what waits is still written.
  func finish() {
    locked {
      guard !isFinished else { return }
      isFinished = true
      if let dropped { append(.dropped(dropped)) }
      dropped = nil
      pthread_cond_broadcast(condition)
    }
  }

  /// Wakes the thread without an event.
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
  ///   - cost: the most that is taken, unless the first event alone costs more.
  ///   - interval: how long events gather after the last write, unless that much waits.
  ///   - limit: until when to wait.
  /// - Returns: what to do.
  func take(upTo cost: Int, apart interval: Duration, until limit: ContinuousClock.Instant?) -> Turn {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while waiting.isEmpty, !isFinished, !isNudged {
      wakeCost = 1
      if !wait(until: limit) { return .timedOut }
    }
    defer {
      isNudged = false
      wakeCost = .max
    }
    if waiting.isEmpty, !isFinished { return .nudged }
    if waiting.isEmpty { return .finished }
    if let end = lastWrite.map({ $0 + interval }) {
      let enough = min(cost, capacity / 2)
      while !isFinished, waitingCost < enough {
        wakeCost = enough
        if !wait(until: end) { break }
      }
    }
    var count = 0
    var taken = 0
    while count < waiting.count, count == 0 || taken + waiting[count].cost <= cost {
      taken += waiting[count].cost
      count += 1
    }
    let events = Array(waiting[..<count])
    waiting.removeFirst(count)
    waitingCost -= taken
    writingCost = taken
    writingCount = events.recordCount
    return .events(events)
  }

  /// What was taken last is written, or abandoned.
  func settled() {
    locked {
      writingCost = 0
      writingCount = 0
      lastProgress = .now
      lastWrite = lastProgress
      pthread_cond_signal(progress)
    }
  }

  /// Waits, but no longer than events may still come.
  ///
  /// - Returns: whether no more events come.
  func pause(_ duration: Duration) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    let end = ContinuousClock.now + duration
    while !isFinished, wait(until: end) {}
    return isFinished
  }

  /// - Returns: false when the time is over.
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
