// SPDX-License-Identifier: MIT

/// What one line of a chart has been, in bounded memory: values that are close in time share a bucket, and the buckets
/// become wider as time goes on.
struct ChartHistory: Sendable {
  /// The values of a short time.
  struct Bucket: Sendable, Hashable {
    /// When the first of them came, in seconds.
    var time: Double
    var first: Double
    var low: Double
    var high: Double
    var last: Double
    /// Whether nothing could come before it: the line is broken there.
    var followsGap: Bool
  }

  /// More buckets are never kept: many times what a terminal or a screen can show.
  static let capacity = 2048

  private(set) var buckets: [Bucket] = []
  /// How long a bucket is, in seconds.
  private(set) var width = 1.0 / 1024
  /// What is older than the newest value by more is forgotten.
  private let window: Double?
  private var isBroken = true

  init(window: Double? = nil) { self.window = window }

  /// The end of what two histories know of the same line.
  ///
  /// - Parameters:
  ///   - window: how much of it, in seconds.
  ///   - coarse: everything.
  ///   - fine: the last part, in more detail.
  init(window: Double, coarse: ChartHistory, fine: ChartHistory) {
    self.window = window
    let border = fine.buckets.first?.time ?? .infinity
    let known = coarse.buckets.prefix { $0.time < border } + fine.buckets
    let newest = known.last?.time ?? 0
    for bucket in known where bucket.time >= newest - window { append(bucket) }
    isBroken = fine.isBroken
    while buckets.count >= ChartHistory.capacity { widen() }
  }

  /// Adds a value.
  ///
  /// - Parameters:
  ///   - value: a finite number.
  ///   - time: when it came, in seconds; a time before the last one counts as that.
  mutating func add(_ value: Double, at time: Double) {
    let time = max(time, buckets.last?.time ?? time)
    let new = Bucket(
      time: time, first: value, low: value, high: value, last: value, followsGap: isBroken)
    isBroken = false
    append(new)
    if let window, let old = buckets.first, old.time < time - 2 * window {
      buckets.removeAll { $0.time < time - window }
    }
    while buckets.count >= ChartHistory.capacity { widen() }
  }

  /// The next value is not connected with the last one.
  mutating func breakLine() { isBroken = true }

  private mutating func append(_ new: Bucket) {
    guard let old = buckets.last, !new.followsGap, index(old) == index(new) else {
      // An array that grows by itself takes twice of what it needs.
      if buckets.count == buckets.capacity {
        buckets.reserveCapacity(min(ChartHistory.capacity, max(16, 2 * buckets.count)))
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

  /// Makes each bucket twice as long; a gap that becomes shorter than a bucket is no longer seen.
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

/// The first few different names of what may be many.
struct BoundedNames: Sendable {
  /// Of more, only their existence is kept.
  static let limit = 12

  private(set) var names: [String] = []
  private var hasMore = false

  var isEmpty: Bool { names.isEmpty }

  mutating func add(_ name: String) {
    if names.contains(name) { return }
    if names.count < BoundedNames.limit { names.append(name) } else { hasMore = true }
  }

  /// All that are kept, and whether there are more: `a, b, …`.
  var text: String { (names + (hasMore ? ["…"] : [])).joined(separator: ", ") }
}
