// SPDX-License-Identifier: MIT
internal import BlectlArguments
internal import TerminalOutput

/// The filter of a live table of devices, applied while it is typed.
struct NameFilter: Sendable, Hashable {
  /// No name is longer: BlueZ stores at most 248 bytes.
  private static let longest = 248

  private(set) var text = ""
  /// True if keys change the text.
  private(set) var isTyping = false

  mutating func begin() { isTyping = true }

  mutating func drop() { self = NameFilter() }

  /// Handles a key of a typed filter: Enter accepts the text, Esc drops it; returns false for other keys.
  mutating func take(_ key: Key) -> Bool {
    switch key {
    case .character(let character): if text.utf8.count < NameFilter.longest { text.append(character) }
    case .backspace: text = String(text.dropLast())
    case .clear: text = ""
    case .enter: isTyping = false
    case .escape: drop()
    default: return false
    }
    return true
  }

  /// Matches names like DEVICE: a part in any case, or a shell pattern; nil matches all.
  var pattern: NamePattern? { text.isEmpty ? nil : NamePattern(text) }

  // MARK: Text

  /// The filter in the line of the state; nil while it is typed, or without one.
  var note: String? { pattern == nil || isTyping ? nil : "/\(TerminalSafe.escaped(text))" }

  /// The line in which it is typed, with its keys.
  func line(columns: Int) -> String {
    let hints = KeyHints([.init("Enter", "accept"), .init("Esc", "drop")])
    return hints.line(after: typed(columns: columns - "  Enter  Esc".utf8.count), columns: columns)
  }

  /// The text with a cursor behind it; only the end of a long text.
  private func typed(columns: Int) -> String {
    var shown = TerminalSafe.escaped(text)[...]
    while DisplayWidth.of(shown) > max(0, columns - 2) { shown.removeFirst() }
    return "/\(shown)_"
  }
}
