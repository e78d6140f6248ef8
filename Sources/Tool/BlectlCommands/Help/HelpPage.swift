// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// ArgumentParser's help text in our form: one style of usage, and common parts only in `blectl help`.
struct HelpPage {
  private var paragraphs: [String]

  /// Nil if the text is not a help page.
  init?(_ text: String) {
    guard text.hasPrefix("OVERVIEW: ") else { return nil }
    paragraphs = text.split(separator: "\n\n").map { paragraph in
      Self.withShortUsage(paragraph.split(separator: "\n").joined(separator: "\n"))
    }
  }

  /// The page of a command for a terminal with that width; nil takes the width of this one.
  init?(_ type: any ParsableCommand.Type, columns: Int? = nil) {
    self.init(type.helpMessage(columns: columns))
  }

  var isOfTool: Bool { paragraphs.contains { $0.hasPrefix("USAGE: blectl <subcommand>") } }

  private static let commonHeader = CommonOptions.title.uppercased() + ":\n"

  /// The options that every command takes; nil on the page of a command without them.
  private var common: String? { paragraphs.first { $0.hasPrefix(Self.commonHeader) } }

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
    return (paragraphs.filter { $0 != common } + [reference + ": see 'blectl help'."]).joined(
      separator: "\n\n")
  }

  /// The page of the tool, with the common parts from the page of any command that takes the common options.
  func text(withCommonPartsOf command: HelpPage?, extensions: [Extension]) -> String {
    let parts = [HelpFooter.paragraph(of: extensions), command?.common].compactMap(\.self)
    return (paragraphs + parts + HelpFooter.paragraphs).joined(separator: "\n\n")
  }

  /// Turns `blectl info <device> [--pick <which>] …` into `blectl info [<options>] <device>`.
  private static func withShortUsage(_ paragraph: String) -> String {
    guard paragraph.hasPrefix("USAGE: ") else { return paragraph }
    let usage = paragraph.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    let withoutOptions = usage.replacing(/\ \[?<options>\]?| \[-[^\]]*\]/, with: "")
    if withoutOptions == usage { return usage }
    return withoutOptions.replacing(/USAGE: blectl [a-z]+/, maxReplacements: 1) { "\($0.output) [<options>]" }
  }
}
