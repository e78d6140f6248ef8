// SPDX-License-Identifier: MIT
package import TerminalOutput

/// Formats the steps of an attempt with a device, and its diagnosis.
package enum DeviceStageText {
  private static let stageWidth = 12

  /// Renders a step for a terminal; long lines break between words.
  package static func lines(_ stage: DeviceStage, width: Int?, style: Style) -> [String] {
    let name = FindingText.padded(stage.kind.rawValue, to: stageWidth)
    return lines(time(stage) + name, stage.status, stage.message, width: width, style: style)
  }

  /// Renders the result, then each cause with its evidence and what helps, the weightiest first.
  package static func lines(_ diagnosis: DeviceDiagnosis, width: Int?, style: Style) -> [String] {
    let healthy =
      diagnosis.isHealthy ? lines(head("healthy"), .ok, diagnosis.message, width: width, style: style) : []
    return [""] + healthy
      + diagnosis.findings.flatMap { finding in
        lines(head(finding.cause.rawValue), finding.status, finding.message, width: width, style: style)
          + finding.evidence.flatMap { note("- " + TerminalSafe.escaped($0), width) }
          + (finding.fix.map { note("→ " + style.apply(.bold, to: TerminalSafe.escaped($0)), width) } ?? [])
      }
  }

  /// The columns of a step in a pipe: status, seconds that it took, step, message.
  package static func fields(_ stage: DeviceStage) -> [String] {
    [stage.status.rawValue, "\(stage.duration.secondCount)", stage.kind.rawValue, stage.message]
  }

  /// The lines of the diagnosis in a pipe, by columns.
  package static func fields(_ diagnosis: DeviceDiagnosis) -> [[String]] {
    (diagnosis.isHealthy ? [["ok", "", "healthy", diagnosis.message]] : [])
      + diagnosis.findings.flatMap { finding in
        [[finding.status.rawValue, "", finding.cause.rawValue, finding.message]]
          + finding.evidence.map { ["", "", "evidence", $0] }
          + (finding.fix.map { [["", "", "fix", $0]] } ?? [])
      }
  }

  private static let timeWidth = 9
  private static let indent = FindingText.statusWidth + timeWidth + stageWidth

  private static func head(_ cause: String) -> String {
    FindingText.padded(cause, to: stageWidth + timeWidth)
  }

  private static func time(_ stage: DeviceStage) -> String {
    let time = stage.duration.inSeconds
    return FindingText.padded(String(repeating: " ", count: max(0, 7 - time.count)) + time, to: timeWidth)
  }

  private static func lines(
    _ head: String, _ status: Finding.Status, _ message: String, width: Int?, style: Style
  ) -> [String] {
    let line = FindingText.word(status, style) + head + TerminalSafe.escaped(message)
    return TextWrap.lines(line, width: width, hanging: indent)
  }

  private static func note(_ text: String, _ width: Int?) -> [String] {
    TextWrap.lines(FindingText.padded("", to: indent) + text, width: width, hanging: indent + 2)
  }
}
