// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

/// The tables of docs/exit-status-and-errors.md, and so blectl-errors(7), are made from the situations that are played.
///
/// `BLECTL_RECORD=1` writes them anew.
@Suite("Document of the situations")
struct SituationDocumentTests {
  private static let path: String = {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
    return (root + ["docs", "exit-status-and-errors.md"]).joined(separator: "/")
  }()

  private static var tables: String {
    SituationGroup.all.map { group in
      let head =
        "### \(group.title)\n\n| situation | command | status | message | hint |\n|---|---|---|---|---|\n"
      return head + group.situations.map { row($0) }.joined()
    }.joined(separator: "\n")
  }

  private static func row(_ situation: Situation) -> String {
    let command = situation.command.replacing(" >/dev/null", with: "")
    let cells = [
      situation.title, code(command), "\(situation.status)",
      situation.message.map { code($0) }.joined(separator: " · "), situation.hint.map { code($0) } ?? "",
    ]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
  }

  private static func code(_ text: String) -> String {
    "`" + text.replacing("PROCESS", with: "4711") + "`"
  }

  @Test("The document has a row for each situation")
  func document() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: "\n### ").first?.lowerBound ?? text.endIndex)
    let updated = text[..<start] + (start == text.endIndex ? "" : "\n") + Self.tables
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1, then GeneratedPagesTests")
    }
  }
}
