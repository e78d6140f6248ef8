// SPDX-License-Identifier: MIT

/// A key that a person has pressed, as far as views know any.
package enum Key: Sendable, Hashable {
  /// A character, or a mark that belongs to the one before it.
  case character(Character)
  case enter
  case escape
  case backspace
  /// Ctrl-U.
  case clear
  case up
  case down
  case pageUp
  case pageDown
  case home
  case end
}
