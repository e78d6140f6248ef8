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
    let beginning = HelpTopic.exitStatus.markdown.split(separator: "\n").prefix { !$0.hasPrefix("## ") }
    let rows = beginning.filter { $0.hasPrefix("| ") }
      .map { row in row.split(separator: "|").map { String($0.dropFirst().dropLast()) } }
      .filter { $0.count == 2 && $0[0] != "status" }
    #expect(rows.map { $0[0] } == ExitStatus.table.map(\.status))
    for (row, status) in zip(rows, ExitStatus.table) { #expect(row[1].hasPrefix(status.meaning)) }
  }

  @Test("The page of formats names every format")
  func formats() {
    for word in ValueFormat.words { #expect(HelpTopic.formats.markdown.contains("`\(word)`"), "\(word)") }
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

  @Test("A table of the values of a key says which key it is")
  func keyOfTable() {
    let markdown = """
      | `on_read` | effect |
      |---|---|
      | `"stall"` | does not answer |

      | generator | values |
      |---|---|
      | `"loop"` | again and again |
      """
    #expect(
      MarkdownPage(markdown).lines(width: 60) == [
        "on_read:", "  \"stall\"  does not answer", "", "  \"loop\"  again and again",
      ])
  }

  @Test("The items of a numbered list keep their numbers, each on a line of its own")
  func numbers() {
    let markdown = """
      What happens:

      1. It finds the device, and
         connects.
      2. It reads 4096.
         75. A number in a line is no item.
      """
    #expect(
      MarkdownPage(markdown).lines(width: 40) == [
        "What happens:", "", "1. It finds the device, and connects.",
        "2. It reads 4096. 75. A number in a line", "   is no item.",
      ])
  }

  @Test("Examples are whole lines, whatever the width, so that they can be copied")
  func examples() throws {
    let text = try #require(HelpPage(RunCommand.self, columns: 40)).text(isOffline: false)
    #expect(
      text.contains("\n  echo 'expect 2a37 heart_rate_bpm > 40' | blectl run 'Heart Strap' --simulate\n"))
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
      ("characteristics", "blectl services --help"), ("compare", "blectl snapshot --help"),
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

  /// The topics, and the titles of their pages in `docs/`.
  private static let titles: KeyValuePairs = [
    "json": "JSON records", "exit-status": "Exit status and errors", "formats": "Formats of values",
    "values": "Characteristics that are decoded", "faults": "Faults of a simulation", "world": "World files",
    "logging": "Logging", "scripts": "Scripts", "serving": "Serving", "keys": "Keys", "profiles": "Profiles",
    "page": "A page in the browser", "files": "Files", "serial-ports": "Serial ports",
    "extensions": "Commands of your own", "updates": "Firmware updates",
  ]

  @Test(
    "There is help on everything that has a page, faults, worlds and logs too",
    arguments: zip(HelpTopic.allCases, titles))
  func topics(_ topic: HelpTopic, _ title: (key: String, value: String)) {
    #expect(topic.rawValue == title.key)
    #expect(topic.markdown.hasPrefix("# \(title.value)\n"))
    let text = topic.text(width: 80)
    #expect(text.hasPrefix(title.value.uppercased()))
    #expect(text.hasSuffix("The manual: \(topic.manualPage)."))
  }

  @Test("Each topic has a page")
  func count() { #expect(HelpTopic.allCases.count == Self.titles.count) }
}
