// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import TestSupport
internal import Testing

@testable internal import BlectlArguments
@testable internal import BlectlCommands

@Suite("Help texts")
struct HelpTextTests {
  @Test("The statuses of the help are those of the documentation, in the same words")
  func statuses() {
    let beginning = GeneratedPages.exitStatus.split(separator: "\n").prefix { !$0.hasPrefix("## ") }
    let rows = beginning.filter { $0.hasPrefix("| ") }
      .map { row in row.split(separator: "|").map { String($0.dropFirst().dropLast()) } }
      .filter { $0.count == 2 && $0[0] != "status" }
    #expect(rows.map { $0[0] } == ExitStatus.table.map(\.status))
    for (row, status) in zip(rows, ExitStatus.table) { #expect(row[1].hasPrefix(status.meaning)) }
  }

  @Test("The page of formats names every format")
  func formats() {
    for word in ValueFormat.words { #expect(GeneratedPages.formats.contains("`\(word)`"), "\(word)") }
  }

  @Test("A page is shown without marks, its tables in two columns, one section left out")
  func page() {
    let markdown = """
      # Title `x`

      A paragraph of [several](a.md) words,
      on **two** lines.

      - one
      - two, which is
        longer

      | key | meaning | more |
      |---|---|---|
      | `a\\|b` | first | |
      | `long` | second with many words | and more |

      ## Left out

      Nothing.

      ### Also left out

      | x | y |
      |---|---|

      ## Code

      ```sh
      blectl  scan
      ```
      """
    #expect(
      MarkdownPage(markdown, without: "Left out").lines(width: 30) == [
        "TITLE X", "", "A paragraph of several words,", "on two lines.", "", "- one",
        "- two, which is longer", "",
        "  a|b   first", "  long  second with many", "        words; and more", "", "CODE", "",
        "  blectl  scan",
      ])
  }

  @Test("A word that is wider than the page stands alone")
  func wrapping() {
    #expect(MarkdownPage.wrapped("a wonderfulword b c", 5) == ["a", "wonderfulword", "b c"])
    #expect(MarkdownPage.wrapped("", 5) == [""])
  }

  @Test(
    "A word that other tools use for a command leads to our command",
    arguments: [
      ("bond", "blectl pair --help"), ("list", "blectl devices"), ("ls", "blectl devices"),
      ("notifications", "blectl subscribe --help"), ("LESCAN", "blectl scan"),
      ("version", "blectl --version"),
      ("characteristics", "blectl services --help"),
    ])
  func foreignWords(_ word: String, _ hint: String) throws {
    #expect(try #require(ForeignWord(word)).hint == hint)
    #expect(UsageReport.error(Unexpected(), [word, "Lamp"]).hint == hint)
  }

  private struct Unexpected: Error {}

  @Test("A command, misspelt or not, is not taken for a word of other tools")
  func commandsAreNotForeign() {
    for word in Blectl.commandWords + ["scam", "subscirbe", "raed"] {
      #expect(ForeignWord(word) == nil, "\(word)")
    }
  }

  @Test(
    "There is help on everything that has a page, faults, worlds and logs too", arguments: HelpTopic.allCases)
  func topics(_ topic: HelpTopic) {
    #expect(topic.text(width: 80).hasSuffix("The manual: \(topic.manualPage)."))
    let topics = [
      "json", "exit-status", "formats", "values", "faults", "world", "logging", "scripts", "serving", "keys",
      "profiles", "page", "files", "serial-ports", "extensions",
    ]
    #expect(topics.contains(topic.rawValue))
  }
}

/// `blectl help TOPIC` is drawn from `docs/`: the pages stand in `GeneratedPages.swift`, letter by letter.
///
/// `BLECTL_RECORD=1` copies them again.
@Suite("Pages of the documentation in the binary")
struct GeneratedPagesTests {
  private static func page(of topic: HelpTopic) -> String {
    switch topic {
    case .exitStatus: "exit-status-and-errors.md"
    case .values: "characteristics.md"
    case .serialPorts: "serial.md"
    case .extensions: "extending.md"
    default: topic.rawValue + ".md"
    }
  }

  private static var source: String {
    get throws {
      let pages = try HelpTopic.allCases.map { topic in
        let text = try #require(RecordedFile.read(RecordedFile.path("docs/\(page(of: topic))")))
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

  @Test("The pages in the binary are those of docs/")
  func pages() throws {
    let path = RecordedFile.path("Sources/Tool/BlectlCommands/Help/GeneratedPages.swift")
    let wanted = try Self.source
    if RecordedFile.isRecording {
      try RecordedFile.write(wanted, path)
    } else {
      #expect(RecordedFile.read(path) == wanted, "record it with BLECTL_RECORD=1")
    }
  }
}
