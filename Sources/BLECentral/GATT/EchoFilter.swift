// SPDX-License-Identifier: MIT

/// Keeps the answers to reads out of the notifications.
///
/// BlueZ signals `Value` for both. For a read of our own it does so exactly once, directly before the reply, on the
/// same ordered stream. While a read is under way, the newest value is therefore held back until the next message shows
/// which it was. A read is under way until its reply comes, even when its caller has given up.
struct EchoFilter<Value> {
  private var reads: Int
  private var held: Value?

  /// - Parameter reads: how many reads are under way already.
  init(reads: Int = 0) { self.reads = reads }

  /// A read of ours was sent.
  mutating func readBegan() { reads += 1 }

  /// A value was signalled.
  ///
  /// - Returns: the value to deliver now, if any.
  mutating func signalled(_ value: Value) -> Value? {
    guard reads > 0 else { return value }
    defer { held = value }
    return held
  }

  /// The reply of a read arrived: of one that succeeded, the value held is the echo; a failed one has none.
  ///
  /// - Returns: the value to deliver now, if any.
  mutating func readEnded(isSuccess: Bool) -> Value? {
    reads -= 1
    defer { held = nil }
    return isSuccess ? nil : held
  }
}
