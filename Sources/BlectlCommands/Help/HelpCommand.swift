// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEMeaning

/// `blectl help`, `help COMMAND`, `help TOPIC`: in the place of ArgumentParser's own, which knows no topics.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help",
    abstract: "Show help on a command, or on \(topicList).",
    discussion: """
      blectl help scan
      blectl help json
      blectl help exit-status
      blectl help faults
      blectl help world
      blectl help logging
      """)

  private static let topicList = HelpTopic.allCases.map(\.rawValue).formatted(last: "or")

  /// Everything that there is help on.
  private static var subjects: [String] { Blectl.commandWords + HelpTopic.allCases.map(\.rawValue) }

  @Argument(
    help: ArgumentHelp(
      "A command, or a topic: \(topicList).", valueName: "command"),
    completion: .list(Blectl.commandNames + HelpTopic.allCases.map(\.rawValue)))
  var subject: String?

  func run() throws {
    guard let subject else { throw CleanExit.helpRequest(Blectl.self) }
    if let topic = HelpTopic(rawValue: subject) {
      throw CleanExit.message(topic.text(width: HelpCommand.width))
    }
    guard let command = Blectl.command(named: subject) else {
      let advice = Spelling.advice(for: subject, among: HelpCommand.subjects).map { "; \($0)" } ?? ""
      throw CommandError.usage(
        "cannot help on '\(subject)': it is neither a command nor a topic\(advice)", hint: "blectl help")
    }
    throw CleanExit.helpRequest(command)
  }

  /// Lines that are longer than this are hard to read, however wide the terminal is.
  private static var width: Int { min(100, Console(color: .never).output.size?.columns ?? 80) }
}
