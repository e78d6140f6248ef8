// SPDX-License-Identifier: MIT

/// A way to draw text on a terminal; the raw value is its SGR parameter.
package enum TextStyle: Int, Sendable, Hashable, CaseIterable {
  case bold = 1
  case dim = 2
  case red = 31
  case green = 32
  case yellow = 33
  case blue = 34
  case magenta = 35
  case cyan = 36
}

/// Draws text in colour if colour is wanted.
package struct Style: Sendable, Hashable {
  let isEnabled: Bool

  package static let plain = Style(isEnabled: false)

  /// The text drawn in the given styles, after which the terminal is as before; an empty text stays empty.
  package func apply(_ styles: TextStyle..., to text: String) -> String {
    guard isEnabled, !styles.isEmpty, !text.isEmpty else { return text }
    let parameters = styles.map { String($0.rawValue) }.joined(separator: ";")
    return "\u{1b}[\(parameters)m\(text)\u{1b}[0m"
  }
}

/// The condition for coloured output: the value of `--color`.
package enum ColorMode: String, Sendable, CaseIterable {
  case auto
  case always
  case never

  /// Returns whether a stream is coloured: `--color` decides, then in this order `NO_COLOR` (not empty),
  /// `CLICOLOR_FORCE` (neither empty nor `0`), `TERM=dumb`, and whether it is a terminal.
  func isColored(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let value = environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    return isTerminal && environment("TERM") != "dumb"
  }
}
