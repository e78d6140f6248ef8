// SPDX-License-Identifier: MIT

/// Finds values that are missing among those that begin with a counter.
///
/// Test firmware often counts what it sends, in 1, 2 or 4 bytes, the least significant one first. Whether a device does shows
/// in its values.
package struct CounterGaps: Sendable {
  private struct Candidate {
    let width: Int
    var last: UInt32?
    /// The numbers of values that were one more than the value before them, more than that, and neither.
    var steps = 0
    var gaps = 0
    var jumps = 0
    var skipped = 0

    var isCounter: Bool { steps >= 8 && gaps * 2 <= steps && jumps * 10 <= steps }

    mutating func note(_ value: [UInt8]) {
      guard value.count >= width else {
        jumps += 1
        return
      }
      let number = value.prefix(width).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      defer { last = number }
      guard let last else { return }
      let mask = width == 4 ? UInt32.max : UInt32(1) << (8 * width) - 1
      switch (number &- last) & mask {
      case 1: steps += 1
      // Fewer than a quarter of what it can count, so that it is not a jump backwards.
      case let step where step > 1 && step < mask / 4:
        gaps += 1
        skipped += Int(step) - 1
      default: jumps += 1
      }
    }
  }

  private var candidates = [4, 2, 1].map { Candidate(width: $0) }

  package init() {}

  package mutating func note(_ value: [UInt8]) {
    for index in candidates.indices { candidates[index].note(value) }
  }

  /// The number of missing values; nil if the values do not count.
  package var missing: Int? { candidates.first(where: \.isCounter)?.skipped }
}
