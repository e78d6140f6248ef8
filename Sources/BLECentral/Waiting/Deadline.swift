// SPDX-License-Identifier: MIT
internal import AsyncIO

/// The end of a time that several steps share; nil is without limit.
struct Deadline: Sendable {
  let instant: ContinuousClock.Instant?

  static let never = Deadline(instant: nil)

  init(instant: ContinuousClock.Instant?) { self.instant = instant }

  /// - Parameter duration: counted from now; nil is without limit.
  init(after duration: Duration?) { instant = duration.map { LoopClock.now + $0 } }

  var isOver: Bool { instant.map { $0 <= LoopClock.now } ?? false }

  /// The time left, at least zero; nil without a limit.
  var remaining: Duration? { instant.map { max($0 - LoopClock.now, .zero) } }

  /// This deadline, or a while from now, whichever is earlier.
  func within(_ duration: Duration) -> Deadline {
    let other = LoopClock.now + duration
    return Deadline(instant: instant.map { min($0, other) } ?? other)
  }
}
