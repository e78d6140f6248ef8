// SPDX-License-Identifier: MIT

/// Keeps the answers to reads out of the notifications.
///
/// BlueZ signals `Value` for both. For each of our reads it does so exactly once, directly before the reply,
/// on the same ordered stream. During a read, the filter therefore holds back the newest value until the next
/// message shows which one it was. A read lasts until its reply comes, even if its caller gave up.
struct EchoFilter<Value> {
  private var reads: Int
  private var held: Value?

  /// - Parameter reads: how many reads are already under way.
  init(reads: Int = 0) { self.reads = reads }

  mutating func readBegan() { reads += 1 }

  /// Handles a signalled value, and returns the value to deliver now, if any.
  mutating func signalled(_ value: Value) -> Value? {
    guard reads > 0 else { return value }
    defer { held = value }
    return held
  }

  /// Handles the reply to a read: if it succeeded, the held value is its echo; returns the value to deliver,
  /// if any.
  mutating func readEnded(isSuccess: Bool) -> Value? {
    reads -= 1
    defer { held = nil }
    return isSuccess ? nil : held
  }
}
