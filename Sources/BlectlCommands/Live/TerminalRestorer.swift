// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Restores the terminal while a ``LiveView`` is open, when a second Ctrl-C ends the process at once, and while Ctrl-Z stops
/// it.
enum TerminalRestorer {
  /// Whether a view is open.
  static let isNeeded = Lock(false)

  /// Closes the view, if the terminal accepts output without blocking.
  static func run() { send(LiveScreen.leaving) }

  /// Reopens the view, which must then be redrawn.
  static func undo() { send(LiveScreen.entering) }

  private static func send(_ sequence: String) {
    guard isNeeded.withLock({ $0 }) else { return }
    var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1 else { return }
    _ = sequence.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }
}
