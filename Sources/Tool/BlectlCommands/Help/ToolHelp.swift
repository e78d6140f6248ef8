// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BlectlArguments
internal import TerminalOutput

/// `blectl help`: the commands in groups, on one screen; `blectl --help` adds what all commands share.
enum ToolHelp {
  private static let nameWidth = 18

  /// The text for a terminal of 80 columns; `extensions` are those in PATH.
  static func text(isLong: Bool, extensions: [Extension]) -> String {
    var paragraphs = Blectl.groups.map { group in
      ([group.title.uppercased()] + group.commands.map(line)).joined(separator: "\n")
    }
    paragraphs.insert("Bluetooth Low Energy for the Linux shell: blectl COMMAND [options]", at: 0)
    if let own = HelpFooter.paragraph(of: extensions) { paragraphs.append(own) }
    if isLong {
      let common = HelpPage(DevicesCommand.self)?.common
      paragraphs += [common].compactMap(\.self) + HelpFooter.paragraphs
    }
    paragraphs.append(directions(isLong: isLong))
    return paragraphs.joined(separator: "\n\n")
  }

  private static func line(of command: any BlectlCommand.Type) -> String {
    let name = command.words.joined(separator: ", ")
    return "  " + DisplayWidth.padded(name, to: nameWidth) + command.configuration.abstract
  }

  /// The commands that show more help.
  private static func directions(isLong: Bool) -> String {
    let topics = "blectl help TOPIC: " + HelpTopic.allWords.joined(separator: ", ")
    // The short help is one screen.
    let lines =
      isLong
      ? [
        "blectl COMMAND -h lists its options, --help explains them;",
        "blectl help lists the commands only.",
      ] : ["blectl COMMAND -h lists its options, --help explains them; blectl --help: more."]
    return (lines + MarkdownPage.wrapped(topics, 80)).joined(separator: "\n")
  }
}
