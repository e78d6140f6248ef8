// SPDX-License-Identifier: MIT
package import JSON

/// The distribution of durations, such as the times until answers.
package struct LatencySummary: Sendable {
  package let shortest: Duration
  package let median: Duration
  package let p90: Duration
  package let p99: Duration
  package let longest: Duration

  /// Summarizes durations in any order; fails without any.
  package init?(_ durations: [Duration]) {
    guard !durations.isEmpty else { return nil }
    let sorted = durations.sorted()
    /// The smallest duration that so many of a hundred do not exceed.
    func rank(_ percent: Int) -> Duration { sorted[max(0, (sorted.count * percent + 99) / 100 - 1)] }
    (shortest, longest) = (sorted[0], sorted[sorted.count - 1])
    (median, p90, p99) = (rank(50), rank(90), rank(99))
  }

  /// The durations with their names, in order.
  var all: [(name: String, duration: Duration)] {
    [("min", shortest), ("p50", median), ("p90", p90), ("p99", p99), ("max", longest)]
  }

  /// Writes the durations in milliseconds, with microseconds.
  package func write(to json: inout JSONWriter) {
    for (name, duration) in all { json.field(name, (duration / .microseconds(1)).rounded() / 1000) }
  }
}
