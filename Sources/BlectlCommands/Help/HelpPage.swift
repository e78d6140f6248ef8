// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// ArgumentParser's help text in our form: one style of usage lines, and what all commands share only in `blectl help`.
struct HelpPage {
  private var paragraphs: [String]

  /// The page of a text; nil if the text is no help.
  init?(_ text: String) {
    guard text.hasPrefix("OVERVIEW: ") else { return nil }
    paragraphs = text.split(separator: "\n\n").map { paragraph in
      Self.withShortUsage(paragraph.split(separator: "\n").joined(separator: "\n"))
    }
  }

  /// The page of a command, for a terminal that is so wide; nil takes the width of this one.
  init?(_ type: any ParsableCommand.Type, columns: Int? = nil) {
    self.init(type.helpMessage(columns: columns))
  }

  /// Whether it is the page of `blectl` itself.
  var isOfTool: Bool { paragraphs.contains { $0.hasPrefix("USAGE: blectl <subcommand>") } }

  private static let commonHeader = CommonOptions.title.uppercased() + ":\n"

  /// The options that every command takes; nil on the page of a command that takes none.
  private var common: String? { paragraphs.first { $0.hasPrefix(Self.commonHeader) } }

  /// The command that the page is about.
  var commandName: String {
    paragraphs.lazy.compactMap { $0.prefixMatch(of: /USAGE: blectl ([a-z]+)/)?.1 }.first.map(String.init)
      ?? ""
  }

  /// The page of a command as it is shown.
  ///
  /// - Parameter isOffline: whether the command does without Bluetooth, so that some common options have no effect.
  /// - Returns: the text.
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

  /// The page of the tool itself, with what all commands share.
  ///
  /// - Parameter command: the page of any command that takes the common options.
  /// - Returns: the text.
  func text(withCommonPartsOf command: HelpPage?) -> String {
    (paragraphs + [command?.common].compactMap(\.self) + HelpFooter.paragraphs).joined(separator: "\n\n")
  }

  /// `blectl info <device> [--pick <which>] …` and `blectl scan <options>` as `blectl info [<options>] <device>`.
  private static func withShortUsage(_ paragraph: String) -> String {
    guard paragraph.hasPrefix("USAGE: ") else { return paragraph }
    let usage = paragraph.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: " ")
    let withoutOptions = usage.replacing(/\ \[?<options>\]?| \[-[^\]]*\]/, with: "")
    if withoutOptions == usage { return usage }
    return withoutOptions.replacing(/USAGE: blectl [a-z]+/, maxReplacements: 1) { "\($0.output) [<options>]" }
  }
}
