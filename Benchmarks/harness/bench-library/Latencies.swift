// SPDX-License-Identifier: MIT
internal import Glibc

/// How long values were on their way, in microseconds.
struct Latencies {
  private var microseconds: [UInt64] = []

  /// Adds a value that begins with the time of its sending.
  mutating func add(_ value: [UInt8]) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let sent = value.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let arrived = UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
    microseconds.append((arrived - min(sent, arrived)) / 1_000)
  }

  /// What so great a part of the values did not exceed.
  func quantile(_ part: Double) -> UInt64 {
    let sorted = microseconds.sorted()
    guard let last = sorted.indices.last else { return 0 }
    return sorted[Int(part * Double(last))]
  }
}
