// SPDX-License-Identifier: MIT
internal import Histories

/// A number over time, while a database is read; times are in microseconds since 1970.
struct SQLiteLine {
  struct Key: Hashable {
    /// The row of the device.
    let device: Int
    let source: String
    let field: String
  }

  private(set) var history: ChartHistory
  let first: Int
  private(set) var last: Int

  init(points: Int, at time: Int) {
    history = ChartHistory(capacity: points)
    (first, last) = (time, time)
  }

  /// Adds a number, whose time is not before the last one.
  mutating func add(_ number: Double, at time: Int, _ gaps: SQLiteGaps, of device: Int) {
    if gaps.exist(between: last, and: time, of: device) { history.breakLine() }
    history.add(number, at: Double(time) / 1e6)
    last = time
  }
}
