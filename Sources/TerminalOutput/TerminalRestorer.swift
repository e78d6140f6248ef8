// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// Restores the terminal when the process ends while a ``LiveView`` is open or a line is edited (a second Ctrl-C waits for
/// nothing), and for as long as Ctrl-Z stops it.
package enum TerminalRestorer {
  /// Whether a view is open.
  static let isNeeded = Lock(false)

  /// The mode of the terminal before a line editor changed it, and the mode that ``restore()`` replaced.
  private static let mode = Lock<(original: termios, replaced: termios?)?>(nil)

  /// Closes the view, if the terminal takes that at once.
  package static func restore() {
    send(LiveScreen.leaving)
    mode.withLock { mode in
      guard var original = mode?.original else { return }
      var current = termios()
      if tcgetattr(STDIN_FILENO, &current) == 0 { mode?.replaced = current }
      tcsetattr(STDIN_FILENO, TCSADRAIN, &original)
    }
  }

  /// Opens the view again; it has to be drawn.
  package static func undo() {
    send(LiveScreen.entering)
    mode.withLock { mode in
      guard var replaced = mode?.replaced else { return }
      tcsetattr(STDIN_FILENO, TCSADRAIN, &replaced)
      mode?.replaced = nil
    }
  }

  /// Remembers the mode of the terminal on standard input, until ``releaseMode()``.
  package static func keepMode() {
    var current = termios()
    if tcgetattr(STDIN_FILENO, &current) == 0 { mode.withLock { $0 = (current, nil) } }
  }

  /// Gives the terminal the mode that was kept.
  package static func releaseMode() {
    guard var original = mode.withLock({ $0?.original }) else { return }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &original)
    mode.withLock { $0 = nil }
  }

  /// Stops showing what is typed, while nothing reads it.
  package static func hideTyping() {
    var current = termios()
    guard tcgetattr(STDIN_FILENO, &current) == 0 else { return }
    current.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &current)
  }

  private static func send(_ sequence: String) {
    guard isNeeded.withLock({ $0 }) else { return }
    var entry = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    guard poll(&entry, 1, 0) == 1 else { return }
    _ = sequence.withCString { write(STDOUT_FILENO, $0, strlen($0)) }
  }
}
