// SPDX-License-Identifier: MIT
internal import AsyncIO

/// A deadline that several steps share; nil sets no limit.
package struct Deadline: Sendable {
  package let instant: ContinuousClock.Instant?

  package static let never = Deadline(instant: nil)

  package init(instant: ContinuousClock.Instant?) { self.instant = instant }

  /// - Parameter duration: counted from now; nil sets no limit.
  package init(after duration: Duration?) { instant = duration.map { LoopClock.now + $0 } }

  package var isOver: Bool { instant.map { $0 <= LoopClock.now } ?? false }

  /// The time left, at least zero; nil without a limit.
  package var remaining: Duration? { instant.map { max($0 - LoopClock.now, .zero) } }

  /// This deadline, or a duration from now, whichever is earlier.
  package func within(_ duration: Duration) -> Deadline {
    let other = LoopClock.now + duration
    return Deadline(instant: instant.map { min($0, other) } ?? other)
  }

  /// This deadline, or a duration from now, whichever is later.
  package func notBefore(_ duration: Duration) -> Deadline {
    Deadline(instant: instant.map { max($0, LoopClock.now + duration) })
  }
}
