// SPDX-License-Identifier: MIT

/// The last records, each with a number, in bounded memory: each reader has a place in it, and costs nothing else.
struct RecordRing: Sendable {
  /// The records that a reader gets.
  struct Part: Sendable {
    /// Records with their numbers.
    var records: [(number: Int, line: [UInt8])] = []
    /// The number of records that were forgotten before the first of them.
    var missed = 0

    init() {}
  }

  private var lines: [[UInt8]] = []
  /// The position of the oldest record in `lines`, which is cut off from time to time.
  private var head = 0
  private var size = 0
  private let capacity: Int
  /// The number of the newest record; 0 before the first.
  private(set) var last = 0

  /// The cost of a record besides its bytes.
  private static let overhead = 64

  /// `capacity` is in bytes.
  init(capacity: Int) { self.capacity = capacity }

  /// The number of the oldest record that is kept, or the next one.
  private var first: Int { last - (lines.count - head) + 1 }

  mutating func append(_ line: [UInt8]) {
    lines.append(line)
    size += line.count + Self.overhead
    last += 1
    while size > capacity, lines.count - head > 1 {
      size -= lines[head].count + Self.overhead
      lines[head] = []
      head += 1
    }
    if head > 1024, head > lines.count / 2 {
      lines.removeFirst(head)
      head = 0
    }
  }

  /// Returns the records behind number `place`, as many as have `limit` bytes, but at least one if there is one.
  func part(after place: Int, limit: Int) -> Part {
    var part = Part()
    let place = min(max(0, place), last)
    part.missed = max(0, first - 1 - place)
    var next = max(first, place + 1)
    var size = 0
    while next <= last {
      let line = lines[head + next - first]
      if size > 0, size + line.count > limit { break }
      size += line.count
      part.records.append((next, line))
      next += 1
    }
    return part
  }
}
