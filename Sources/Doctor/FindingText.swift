// SPDX-License-Identifier: MIT
package import TerminalOutput

/// Formats a finding for a terminal.
package enum FindingText {
  private static let statusWidth = 6
  private static let checkWidth = 12
  private static let indent = statusWidth + checkWidth

  /// Renders the status, the check and the message, and below them the fix; long lines break between words.
  package static func lines(_ finding: Finding, width: Int?, style: Style) -> [String] {
    let color: TextStyle =
      switch finding.status {
      case .ok: .green
      case .warn: .yellow
      case .fail: .red
      }
    let status = finding.status.rawValue
    let head = style.apply(color, to: status) + spaces(statusWidth - status.count)
    let check = finding.check.rawValue
    let line = head + check + spaces(checkWidth - check.count) + TerminalSafe.escaped(finding.message)
    let lines = TextWrap.lines(line, width: width, hanging: indent)
    guard let fix = finding.fix else { return lines }
    return lines
      + TextWrap.lines(
        spaces(indent) + "→ " + style.apply(.bold, to: TerminalSafe.escaped(fix)), width: width,
        hanging: indent + 2)
  }

  private static func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }
}
