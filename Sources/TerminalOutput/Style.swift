// SPDX-License-Identifier: MIT

/// Draws text in colour where colour is wanted, and leaves it alone where it is not.
package struct Style: Sendable, Hashable {
  /// Whether anything is drawn differently at all.
  let isEnabled: Bool

  /// A style that changes nothing.
  package static let plain = Style(isEnabled: false)

  /// The text drawn in the given ways, after which the terminal is as before; an empty text stays empty.
  package func apply(_ styles: TextStyle..., to text: String) -> String {
    guard isEnabled, !styles.isEmpty, !text.isEmpty else { return text }
    let parameters = styles.map { String($0.rawValue) }.joined(separator: ";")
    return "\u{1b}[\(parameters)m\(text)\u{1b}[0m"
  }
}
