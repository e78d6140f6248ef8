// SPDX-License-Identifier: MIT

/// Limits the number of values that bluetoothd has not read yet.
///
/// A program that reached the limit waits until all values are read; it then sends many at once.
struct Credits {
  private let limit: Int
  private var count = 0
  /// True if the program waits for a report that there is room.
  private var isAwaited = false

  init(limit: Int) { self.limit = limit }

  var hasRoom: Bool { count < limit && !isAwaited }

  /// Takes room for a value; returns false without room, for which the program then waits.
  mutating func take() -> Bool {
    guard hasRoom else {
      isAwaited = true
      return false
    }
    count += 1
    return true
  }

  /// Takes room for a value that is sent in any case; after the last one, the program waits for room.
  mutating func takeAlways() {
    count += 1
    if count >= limit { isAwaited = true }
  }

  /// Gives the room of a value back; returns whether to report to the program that there is room again.
  mutating func giveBack() -> Bool {
    count = max(0, count - 1)
    guard isAwaited, count == 0 else { return false }
    isAwaited = false
    return true
  }
}
