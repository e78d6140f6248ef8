// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEFormats
internal import BlectlArguments
internal import BlectlSession
internal import JSON
internal import TerminalOutput

/// `blectl help`, `help COMMAND` and `help TOPIC`; replaces ArgumentParser's own, which has no topics.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help",
    abstract: "Show help on a command or a topic.",
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
    completion: .custom { _, _, _ in subjects })
  var subject: String?

  func run() throws {
    guard let subject else { throw CleanExit.helpRequest(Blectl.self) }
    if let topic = HelpTopic(named: subject) {
      throw CleanExit.message(topic.text(width: HelpCommand.width))
    }
    guard let command = Blectl.command(named: subject) else { throw Self.unknownSubject(subject) }
    throw CleanExit.helpRequest(command)
  }

  /// Commands, topics and extensions, for a shell.
  private static var subjects: [String] {
    let extensions = Blectl.extensions.all().map(\.name)
    return LiveCompletion.list((Blectl.commandNames + HelpTopic.allWords + extensions).map { Candidate($0) })
  }

  static func unknownSubject(_ subject: String, extensions: [String] = []) -> CommandError {
    let subjects = Blectl.commandWords + HelpTopic.allWords + extensions
    let advice = Spelling.advice(for: subject, among: subjects).map { "; \($0)" } ?? ""
    return .usage("cannot show help on '\(subject)': no such command or topic\(advice)", hint: "blectl help")
  }

  /// Long lines are hard to read, however wide the terminal is.
  private static var width: Int { min(100, Console(color: .never).output.size?.columns ?? 80) }
}
