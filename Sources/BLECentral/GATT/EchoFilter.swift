// SPDX-License-Identifier: MIT

/// Keeps the answers of reads out of the notifications.
///
/// BlueZ signals `Value` for both. For our own read it does so exactly once, directly before the reply, on the same
/// ordered stream: so while a read is under way the newest value is held back until the next message tells which it was.
struct EchoFilter<Value> {
  private var isReading = false
  private var held: Value?

  /// A read of ours was sent.
  mutating func readBegan() { isReading = true }

  /// A value was signalled.
  ///
  /// - Returns: the value to deliver now, if any.
  mutating func signalled(_ value: Value) -> Value? {
    guard isReading else { return value }
    defer { held = value }
    return held
  }

  /// The reply of the read arrived: of a read that succeeded, the value held is the echo; a failed one has none.
  ///
  /// - Returns: the value to deliver now, if any.
  mutating func readEnded(isSuccess: Bool) -> Value? {
    isReading = false
    defer { held = nil }
    return isSuccess ? nil : held
  }
}
