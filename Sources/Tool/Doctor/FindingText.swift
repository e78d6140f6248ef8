// SPDX-License-Identifier: MIT
package import TerminalOutput

/// Formats a finding for a terminal.
package enum FindingText {
  static let statusWidth = 6
  private static let checkWidth = 12
  private static let indent = statusWidth + checkWidth

  /// Renders the status, the check and the message, and below them the fix; long lines break between words.
  package static func lines(_ finding: Finding, width: Int?, style: Style) -> [String] {
    let head = word(finding.status, style) + padded(finding.check.rawValue, to: checkWidth)
    let line = head + TerminalSafe.escaped(finding.message)
    let lines = TextWrap.lines(line, width: width, hanging: indent)
    guard let fix = finding.fix else { return lines }
    return lines
      + TextWrap.lines(
        padded("", to: indent) + "→ " + style.apply(.bold, to: TerminalSafe.escaped(fix)), width: width,
        hanging: indent + 2)
  }

  /// The coloured word of a status, padded to its column.
  static func word(_ status: Finding.Status, _ style: Style) -> String {
    let color: TextStyle =
      switch status {
      case .ok: .green
      case .warn: .yellow
      case .fail: .red
      }
    let word = status.rawValue
    return style.apply(color, to: word) + padded("", to: statusWidth - word.count)
  }

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
