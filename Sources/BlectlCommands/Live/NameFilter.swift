// SPDX-License-Identifier: MIT
internal import TerminalOutput

/// The filter of a live scan, typed while its effect shows.
struct NameFilter: Sendable, Hashable {
  /// No name is longer: BlueZ has room for 248 bytes.
  private static let longest = 248

  private(set) var text = ""
  /// Whether keys are its text.
  private(set) var isTyping = false

  /// Lets keys change the text.
  mutating func begin() { isTyping = true }

  /// Shows all devices again.
  mutating func drop() { self = NameFilter() }

  /// Takes a key while it is typed: Enter accepts the text, Esc drops it.
  ///
  /// - Returns: whether the key was for the text.
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

  /// The test of names as DEVICE has it: a part in any case, or a shell pattern; nil lets all pass.
  var pattern: NamePattern? { text.isEmpty ? nil : NamePattern(text) }
}
