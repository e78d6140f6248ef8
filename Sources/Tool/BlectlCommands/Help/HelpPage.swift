// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import TerminalOutput

/// ArgumentParser's help text in our form: one style of usage, examples under a heading, and common parts only in
/// `blectl --help`.
struct HelpPage {
  private var paragraphs: [String]

  /// Nil if the text is not a help page.
  init?(_ text: String) {
    guard text.hasPrefix("OVERVIEW: ") else { return nil }
    paragraphs = text.split(separator: "\n\n").map { paragraph in
      Self.withShortUsage(paragraph.split(separator: "\n").joined(separator: "\n"))
    }
    // The examples are the first paragraph behind the abstract.
    if paragraphs.count > 1, !paragraphs[1].hasPrefix("USAGE: ") {
      // As they were written: a shell does not take lines that are wrapped between words.
      let written = Blectl.command(named: commandName)?.configuration.discussion.split(separator: "\n\n")
        .first
      let examples = (written ?? paragraphs[1][...]).split(separator: "\n").map { "  \($0)" }
      paragraphs[1] = Self.examplesHeader + examples.joined(separator: "\n")
    }
  }

  /// The page of a command for a terminal with that width; nil takes the width of this one.
  init?(_ type: any ParsableCommand.Type, columns: Int? = nil) {
    self.init(type.helpMessage(columns: columns))
  }

  var isOfTool: Bool { paragraphs.contains { $0.hasPrefix("USAGE: blectl <subcommand>") } }

  private static let commonHeader = CommonOptions.title.uppercased() + ":\n"

  /// The options that every command takes; nil on the page of a command without them.
  var common: String? { paragraphs.first { $0.hasPrefix(Self.commonHeader) } }

  var commandName: String {
    paragraphs.lazy.compactMap { $0.prefixMatch(of: /USAGE: blectl ([a-z]+)/)?.1 }.first.map(String.init)
      ?? ""
  }

  /// The page of a command as it is shown; without Bluetooth, some common options have no effect.
  func text(isOffline: Bool) -> String {
    guard common != nil else { return paragraphs.joined(separator: "\n\n") }
    let reference =
      isOffline
      ? "--json, --color, -q, -v, the environment and the exit statuses are the same for\nevery command"
      : "-i, -H, --bus, --simulate, --timeout, --json, --color, -q, -v, the environment\n"
        + "and the exit statuses are the same for every command"
    return (paragraphs.filter { $0 != common } + [reference + ": see 'blectl --help'."]).joined(
      separator: "\n\n")
  }

  /// The page without explanations: the first sentence about each option.
  var shortText: String {
    let parts = paragraphs.filter { $0 != common }.compactMap { paragraph -> String? in
      if paragraph.contains("\n  -") || paragraph.contains("\n  <") { return Self.shortened(paragraph) }
      let isKept = ["OVERVIEW: ", "USAGE: ", Self.examplesHeader].contains { paragraph.hasPrefix($0) }
      return isKept ? paragraph : nil
    }
    return (parts + ["'blectl \(commandName) --help' says more."]).joined(separator: "\n\n")
  }

  private static let examplesHeader = "EXAMPLES:\n"

  /// The column where the text about an option begins, and the meanings in ``HelpFooter``.
  static let textColumn = 26

  /// Keeps the first sentence about each option, and its default.
  private static func shortened(_ section: String) -> String {
    let lines = section.split(separator: "\n").map(String.init)
    var entries: [(name: String, text: String)] = []
    for line in lines.dropFirst() {
      let (head, rest) = (line.prefix(textColumn), line.dropFirst(textColumn))
      let isText = line.hasPrefix(String(repeating: " ", count: textColumn))
      if isText {
        if let last = entries.indices.last { entries[last].text += " " + rest }
      } else if head.last == " " {
        entries.append((String(head), String(rest)))
      } else {
        entries.append((line, ""))
      }
    }
    return ([lines.first ?? ""] + entries.flatMap { entry(named: $0.name, firstSentence(of: $0.text)) })
      .joined(separator: "\n")
  }

  private static func entry(named name: String, _ text: String) -> [String] {
    let name = String(
      name.prefix(upTo: name.lastIndex { $0 != " " }.map { name.index(after: $0) } ?? name.startIndex))
    return name.count >= textColumn
      ? [name] + MarkdownPage.hanging("", text, indent: textColumn, 80)
      : MarkdownPage.hanging(DisplayWidth.padded(name, to: textColumn), text, indent: textColumn, 80)
  }

  /// The first sentence about an option, up to a semicolon or a colon behind which details stand, and its default.
  private static func firstSentence(of text: String) -> String {
    let text = text.drop { $0 == " " }
    let standard = text.firstMatch(of: /\(default: [^)]*\)/)?.output ?? ""
    let ends = text.matches(of: /\.\ (?=[A-Z(0-9])|[:;]\ /).map(\.range.lowerBound)
    // What stands before an early one says nothing alone, such as "With --recover:".
    guard let end = ends.first(where: { text.distance(from: text.startIndex, to: $0) >= fewestLetters })
    else {
      return String(text)
    }
    let sentence = text[..<end] + "."
    return standard.isEmpty || sentence.contains(standard) ? String(sentence) : "\(sentence) \(standard)"
  }

  private static let fewestLetters = 25

  /// Turns `blectl info <device> [--pick <which>] …` into `blectl info [<options>] <device>`.
  private static func withShortUsage(_ paragraph: String) -> String {
    guard paragraph.hasPrefix("USAGE: ") else { return paragraph }
    let usage = paragraph.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    let withoutOptions = usage.replacing(/\ \[?<options>\]?| \[-[^\]]*\]/, with: "")
    if withoutOptions == usage { return usage }
    return withoutOptions.replacing(/USAGE: blectl [a-z]+/, maxReplacements: 1) { "\($0.output) [<options>]" }
  }
}
