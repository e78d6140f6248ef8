// SPDX-License-Identifier: MIT

/// The line on a terminal that shows a wait: a spinner, its reason and its duration; the caller sends it.
package struct ProgressLine: Sendable, Hashable {
  /// The frames of the spinner.
  package enum Spinner: Sendable, Hashable {
    case dots
    case ascii

    /// The frames that a terminal can show: the console of Linux has no dots.
    package init(term: String?) {
      self = term == "linux" || term == "dumb" || term == nil ? .ascii : .dots
    }

    var frames: [String] {
      switch self {
      case .dots: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
      case .ascii: ["|", "/", "-", "\\"]
      }
    }
  }

  /// Removes the line; the cursor is at its start.
  package static let clear = "\r\u{1b}[K"

  /// The reason for the wait, such as `connecting to F0:F1:F2:F3:F4:F5`; it is made safe here.
  package var text: String
  let spinner: Spinner
  let style: Style

  package init(text: String, spinner: Spinner = .dots, style: Style = .plain) {
    self.text = text
    self.spinner = spinner
    self.style = style
  }

  /// Draws a frame, counted from 0, over the last one; truncates the text, so that the line never wraps.
  ///
  /// `elapsed` is the time since the first frame; nil leaves it out.
  package func frame(_ index: Int, elapsed: Duration?, columns: Int) -> String {
    let frames = spinner.frames
    let picture = frames[index % frames.count]
    let seconds = elapsed?.components.seconds ?? 0
    let suffix = seconds > 0 ? " \(seconds)s" : ""
    // One column stays free: a cursor after the last one wraps on some terminals.
    let room = max(0, columns - 1 - 2 - suffix.utf8.count)
    let message = DisplayWidth.truncated(TerminalSafe.escaped(text), to: room)
    return "\r\(style.apply(.cyan, to: picture)) \(message)\(style.apply(.dim, to: suffix))\u{1b}[K"
  }
}
