// SPDX-License-Identifier: MIT
internal import Glibc
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
    let text = try #require(Self.read())
    let start = try #require(text.ranges(of: "\n### ").first?.lowerBound ?? text.endIndex)
    let updated = text[..<start] + (start == text.endIndex ? "" : "\n") + Self.tables
    if getenv("BLECTL_RECORD") != nil {
      let file = try #require(fopen(Self.path, "w"))
      defer { fclose(file) }
      fputs(String(updated), file)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1, then GeneratedPagesTests")
    }
  }

  private static func read() -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
