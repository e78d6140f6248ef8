// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEFormats
internal import BlectlArguments
internal import JSON

/// Turns command-line mistakes into errors of the form that every command uses.
enum UsageReport {
  /// The error about the typed words, with status usage.
  static func error(_ error: any Error, _ arguments: [String]) -> CommandError {
    if let error = error as? CommandError { return error }
    guard let first = arguments.first, !first.isEmpty, !first.hasPrefix("-") else {
      return optionsBeforeCommand(in: arguments)
        ?? .usage("cannot run blectl: \(reason(of: error, Blectl.self, arguments))", hint: "blectl help")
    }
    guard let type = Blectl.command(named: first) else { return unknownCommand(first) }
    let words = Array(arguments.dropFirst())
    if type == SimulateCommand.self, let index = SimulateCommand.bareCommand(in: words) {
      if words[index] == "check", let world = words.first(where: { $0.hasSuffix(".json") }) {
        return .usage(
          "cannot run 'simulate': a world is checked as it is read",
          hint: "blectl simulate \(ShellWord.quoted(world)) -- true")
      }
      let line = ["simulate"] + words[..<index] + ["--"] + words[index...]
      return .usage(
        "cannot run 'simulate': the command to run stands behind '--'",
        hint: "blectl \(line.map(ShellWord.quoted).joined(separator: " "))")
    }
    if world(afterSpaceIn: words) == nil, let mistake = DeviceMistake(words, of: type) {
      return .usage(
        "cannot run '\(first)': \(mistake.reason)",
        hint: mistake.command(first))
    }
    return .usage("cannot run '\(first)': \(reason(of: error, type, words))", hint: "blectl \(first) --help")
  }

  private static func reason(
    of error: any Error, _ type: any ParsableCommand.Type, _ words: [String]
  ) -> String {
    if let world = world(afterSpaceIn: words) {
      return "--simulate takes its world after '=': --simulate=\(world)"
    }
    return ArgumentMessage.reason(error, of: type, words, among: Blectl.configuration.subcommands)
  }

  private static func optionsBeforeCommand(in arguments: [String]) -> CommandError? {
    guard let index = arguments.firstIndex(where: { Blectl.command(named: $0) != nil }) else { return nil }
    let words = [arguments[index]] + arguments[..<index].filter { $0 != "--" } + arguments[(index + 1)...]
    return .usage(
      "cannot run blectl: the command comes first, then its options",
      hint: "blectl \(words.map(ShellWord.quoted).joined(separator: " "))")
  }

  /// Extensions are among what may be meant, where their folders are given.
  static func unknownCommand(_ word: String, _ folders: ExtensionFolders? = nil) -> CommandError {
    if let path = folders?.unusable(word) {
      return .usage(
        "cannot run '\(word)': \(path) is not executable", hint: "chmod +x \(ShellWord.quoted(path))")
    }
    let words = Blectl.commandWords + (folders?.all().map(\.name) ?? [])
    let foreign = ForeignWord(word) ?? ForeignWord(misspelt: word, besides: words)
    let advice = (foreign?.advice ?? Spelling.advice(for: word, among: words)).map { "; \($0)" } ?? ""
    let guess = Spelling.nearest(to: word, among: words).map { "blectl \($0) --help" }
    return .usage(
      "cannot run '\(word)': no such command\(advice)", hint: foreign?.hint ?? guess ?? "blectl help")
  }

  /// The world file that follows `--simulate` and a space, which makes it an argument of the command.
  private static func world(afterSpaceIn arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: "--simulate"), index + 1 < arguments.count else { return nil }
    let word = arguments[index + 1]
    return word.lowercased().hasSuffix(".json") && !word.hasPrefix("-") ? word : nil
  }
}
