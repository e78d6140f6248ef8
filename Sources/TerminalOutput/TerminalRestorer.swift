// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Restores the terminal when the process ends while a ``LiveView`` is open (a second Ctrl-C waits for nothing), and for
/// as long as Ctrl-Z stops it.
package enum TerminalRestorer {
  /// Whether a view is open.
  static let isNeeded = Lock(false)

  /// Closes the view, if the terminal takes that at once.
  package static func restore() { send(LiveScreen.leaving) }

  /// Opens the view again; it has to be drawn.
  package static func undo() { send(LiveScreen.entering) }

  private static func send(_ sequence: String) {
    guard isNeeded.withLock({ $0 }) else { return }
    var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1 else { return }
    _ = sequence.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }
}
