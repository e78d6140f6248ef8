// SPDX-License-Identifier: MIT
internal import Foundation

/// The threads of the program that wait in `read` or `write`.
final class StreamWaiters: Sendable {
  private let condition = NSCondition()

  /// Waits until there is a result; `attempt` is made again after each ``wake()``.
  func wait<Result>(for attempt: () -> Result?) -> Result {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let result = attempt() { return result }
      condition.wait()
    }
  }

  func wake() {
    condition.lock()
    condition.broadcast()
    condition.unlock()
  }
}
