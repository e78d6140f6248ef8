// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BlectlCommands

/// `blectl help TOPIC` is drawn from `docs/`: the pages stand in `GeneratedPages.swift`, letter by letter.
///
/// `BLECTL_RECORD=1` copies them anew.
@Suite("Pages of the documentation in the binary")
struct GeneratedPagesTests {
  private static let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)

  private static func path(_ parts: String...) -> String {
    (root.map(String.init) + parts).joined(separator: "/")
  }

  private static var source: String {
    get throws {
      let pages = try HelpTopic.allCases.map { topic in
        let text = try #require(RecordedFile.read(path("docs", topic.page)))
        return "  static let \(topic) = #\"\"\"\n\(text)\"\"\"#\n"
      }
      return """
        // SPDX-License-Identifier: MIT
        // swift-format-ignore-file
        //
        // Generated from docs/ by BLECTL_RECORD=1 swift test --filter GeneratedPagesTests: do not edit.

        /// Pages of the documentation that `blectl help` shows.
        enum GeneratedPages {
        \(pages.joined(separator: "\n"))}

        """
    }
  }

  @Test("They are those of docs/")
  func pages() throws {
    let path = Self.path("Sources", "BlectlCommands", "Help", "GeneratedPages.swift")
    let wanted = try Self.source
    if RecordedFile.isRecording {
      try RecordedFile.write(wanted, path)
    } else {
      #expect(RecordedFile.read(path) == wanted, "record it with BLECTL_RECORD=1")
    }
  }
}
