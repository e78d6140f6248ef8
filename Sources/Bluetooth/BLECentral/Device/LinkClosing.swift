// SPDX-License-Identifier: MIT

/// The state of closing the link to one device: whether this manager wants that, and how often BlueZ has refused.
///
/// Only decides: ``LinkCloser`` calls Disconnect.
struct LinkClosing {
  /// The next step after BlueZ refused to close the link.
  enum Step: Equatable {
    /// The task that asks calls Disconnect again after a pause.
    case again(Duration)
    /// That pause ends after the task's time: somebody else calls Disconnect, or nobody.
    case later(Duration)
  }

  /// The longest pause between two calls.
  private let longest: Duration
  /// The number of times that BlueZ has refused; nil while nobody wants the link closed.
  private var refusals: Int?

  init(longestPause longest: Duration = .seconds(30)) { self.longest = longest }

  /// True from the wish to close the link until its end, or until the link is used again.
  var isWanted: Bool { refusals != nil }

  /// True if BlueZ has refused to close the link so far.
  var isRefused: Bool { refusals.map { $0 > 0 } ?? false }

  /// Records the wish; a repeated one does not begin anew.
  mutating func begin() { if refusals == nil { refusals = 0 } }

  /// Records that BlueZ refused; the pauses begin at 0.25 s, and double each time.
  ///
  /// - Parameter left: the time that the task which asks still has; nil without such a task.
  /// - Returns: the next step.
  mutating func refused(left: Duration?) -> Step {
    let before = refusals ?? 0
    refusals = before + 1
    let pause = min(.milliseconds(250 * (1 << min(before, 7))), longest)
    if let left, pause < left { return .again(pause) }
    return .later(pause)
  }

  /// Records that the link has ended, is used again, or stays open because others use it.
  mutating func end() { refusals = nil }
}
