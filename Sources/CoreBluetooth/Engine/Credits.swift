// SPDX-License-Identifier: MIT

/// Room for a limited number of values that bluetoothd has not taken yet.
///
/// A program that has met the limit waits until all values are taken: it then sends many at once.
struct Credits {
  private let limit: Int
  private var count = 0
  /// Whether the program waits for a report that there is room.
  private var isAwaited = false

  /// - Parameter limit: how many values have room.
  init(limit: Int) { self.limit = limit }

  var hasRoom: Bool { count < limit && !isAwaited }

  /// Takes room for a value.
  ///
  /// - Returns: false without room; the program then waits for some.
  mutating func take() -> Bool {
    guard hasRoom else {
      isAwaited = true
      return false
    }
    count += 1
    return true
  }

  /// Takes room for a value that is sent in any case.
  ///
  /// The program waits for room as soon as the last has been taken, since no refusal tells it.
  mutating func takeAlways() {
    count += 1
    if count >= limit { isAwaited = true }
  }

  /// Gives the room of a value back.
  ///
  /// - Returns: whether to report to the program that there is room again.
  mutating func giveBack() -> Bool {
    count = max(0, count - 1)
    guard isAwaited, count == 0 else { return false }
    isAwaited = false
    return true
  }
}
