// SPDX-License-Identifier: MIT

/// One line of a chart in bounded memory: values close in time share a bucket, and buckets widen with time.
package struct ChartHistory: Sendable {
  /// The values of a short time.
  package struct Bucket: Sendable, Hashable {
    /// The time of the first of them, in seconds.
    package internal(set) var time: Double
    package internal(set) var first: Double
    package internal(set) var low: Double
    package internal(set) var high: Double
    package internal(set) var last: Double
    /// True if the line is broken before it, because no values could come.
    package internal(set) var followsGap: Bool

    /// Values whose extremes are `low` and `high`: finite numbers, and a time in seconds.
    package init(
      time: Double, first: Double, low: Double, high: Double, last: Double, followsGap: Bool = false
    ) {
      (self.time, self.first, self.low, self.high) = (time, first, low, high)
      (self.last, self.followsGap) = (last, followsGap)
    }
  }

  /// The maximum number of buckets: many times what a terminal or a screen can show.
  package static let capacity = 2048

  package private(set) var buckets: [Bucket] = []
  /// The length of a bucket in seconds.
  package private(set) var width = 1.0 / 1024
  /// Values that are older than the newest one by more seconds are dropped.
  private let window: Double?
  /// There are fewer buckets than that.
  private let capacity: Int
  private var isBroken = true
  /// The time of the last value, in seconds.
  private var newest = -Double.infinity
  /// The number of values in a row that are earlier than the last one.
  private var early = 0

  /// Values of several sources can come in another order than they were measured, by this many seconds at most.
  private static let tolerance = 2.0

  /// `window` is in seconds; `capacity` may be smaller than the usual one.
  package init(window: Double? = nil, capacity: Int = ChartHistory.capacity) {
    self.window = window
    self.capacity = max(2, capacity)
  }

  /// Joins histories of a line: `coarse` has everything, `fine` the end in detail; `window` is in seconds.
  package init(window: Double, coarse: ChartHistory, fine: ChartHistory) {
    self.init(window: window, capacity: coarse.capacity)
    let border = fine.buckets.first?.time ?? .infinity
    let known = coarse.buckets.prefix { $0.time < border } + fine.buckets
    let newest = known.last?.time ?? 0
    for bucket in known where bucket.time >= newest - window { append(bucket) }
    isBroken = fine.isBroken
    self.newest = max(coarse.newest, fine.newest)
    while buckets.count >= capacity { widen() }
  }

  /// Returns the part from `start` on, with fewer than `limit` buckets.
  package func thinned(from start: Double, to limit: Int) -> ChartHistory {
    var result = ChartHistory(window: nil, capacity: min(limit, capacity))
    result.width = width
    for bucket in buckets where bucket.time >= start { result.append(bucket) }
    while result.buckets.count >= result.capacity { result.widen() }
    return result
  }

  /// Adds a value, a finite number, at a time in seconds.
  ///
  /// A time a little before the last one counts as that one. Of two values in a row that are earlier, the clock was set back:
  /// what lies after the second one is dropped, since its time was wrong. A single one is dropped itself.
  package mutating func add(_ value: Double, at time: Double) {
    add(Bucket(time: time, first: value, low: value, high: value, last: value))
  }

  /// Adds values of a short time, which are joined.
  package mutating func add(_ joined: Bucket) {
    if joined.time < newest - Self.tolerance {
      early += 1
      if early < 2 { return }
      setBack(to: joined.time)
    }
    early = 0
    // Of one value alone, the time may be wrong: none is dropped for it.
    let certain = min(newest, joined.time)
    newest = max(newest, joined.time)
    var new = joined
    let time = max(joined.time, buckets.last?.time ?? joined.time)
    (new.time, new.followsGap) = (time, joined.followsGap || isBroken)
    isBroken = false
    append(new)
    if let window, let old = buckets.first, old.time < certain - 2 * window {
      buckets.removeAll { $0.time < certain - window }
    }
    while buckets.count >= capacity { widen() }
  }

  /// Drops values after a time: the clock was set back to it.
  package mutating func setBack(to time: Double) {
    buckets.removeAll { $0.time > time }
    isBroken = true
    newest = time
  }

  /// Separates the next value from the last one.
  package mutating func breakLine() { isBroken = true }

  private mutating func append(_ new: Bucket) {
    guard let old = buckets.last, !new.followsGap, index(old) == index(new) else {
      // An array that grows by itself takes twice the memory that it needs.
      if buckets.count == buckets.capacity {
        buckets.reserveCapacity(min(capacity, max(16, 2 * buckets.count)))
      }
      buckets.append(new)
      return
    }
    buckets[buckets.count - 1] = Bucket(
      time: old.time, first: old.first, low: min(old.low, new.low), high: max(old.high, new.high),
      last: new.last, followsGap: old.followsGap)
  }

  private func index(_ bucket: Bucket) -> Int {
    Int(exactly: (bucket.time / width).rounded(.down)) ?? .max
  }

  /// Doubles the length of each bucket; a gap that becomes shorter than a bucket is no longer visible.
  private mutating func widen() {
    width *= 2
    let old = buckets
    buckets.removeAll(keepingCapacity: true)
    for var bucket in old {
      if let last = buckets.last, index(last) == index(bucket) { bucket.followsGap = false }
      append(bucket)
    }
  }
}
