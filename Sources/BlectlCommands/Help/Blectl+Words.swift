// SPDX-License-Identifier: MIT
internal import ArgumentParser

extension Blectl {
  /// The names of all commands, in the order of the help.
  static var commandNames: [String] { configuration.subcommands.compactMap { $0.configuration.commandName } }

  /// The names of all commands, aliases too.
  static var commandWords: [String] {
    configuration.subcommands.flatMap { command in
      [command.configuration.commandName].compactMap { $0 } + command.configuration.aliases
    }
  }

  /// The command with a name or an alias.
  static func command(named name: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { command in
      command.configuration.commandName == name || command.configuration.aliases.contains(name)
    }
  }
}

extension [String] {
  /// The words as a sentence lists them: `json, exit-status or formats`.
  func formatted(last word: String) -> String {
    guard count > 1 else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " \(word) " + self[count - 1]
  }
}
