// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEMeaning
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput

/// `blectl help`, `help COMMAND` and `help TOPIC`; replaces ArgumentParser's own, which has no topics.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help",
    abstract: "Show help on a command, or on \(HelpTopic.allWords.alternatives).",
    discussion: """
      blectl help scan
      blectl help json
      blectl help exit-status
      blectl help faults
      blectl help world
      blectl help scripts
      """)

  @Argument(
    help: ArgumentHelp("A command, or a topic: \(HelpTopic.allWords.alternatives).", valueName: "command"),
    completion: .list(Blectl.commandNames + HelpTopic.allWords))
  var subject: String?

  func run() throws {
    guard let subject else { throw CleanExit.helpRequest(Blectl.self) }
    if let topic = HelpTopic(rawValue: subject) {
      throw CleanExit.message(topic.text(width: HelpCommand.width))
    }
    guard let command = Blectl.command(named: subject) else {
      let subjects = Blectl.commandWords + HelpTopic.allWords
      let advice = Spelling.advice(for: subject, among: subjects).map { "; \($0)" } ?? ""
      throw CommandError.usage(
        "cannot show help on '\(subject)': no such command or topic\(advice)", hint: "blectl help")
    }
    throw CleanExit.helpRequest(command)
  }

  /// Long lines are hard to read, however wide the terminal is.
  private static var width: Int { min(100, Console(color: .never).output.size?.columns ?? 80) }
}
