// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEFormats
internal import BlectlArguments
internal import JSON

/// The options and arguments of a command, parsed from its help: ArgumentParser lists them nowhere else.
struct CommandOptions {
  /// The names of the options, and whether they take a value: `--adapter` and `-i` do.
  private let takesValue: [String: Bool]
  /// The names of the options, in the order of the help.
  let names: [String]
  /// The names of the arguments: `device`.
  let argumentNames: [String]
  private let command: String

  /// The advice on options that only another command has, and in another way.
  private static let elsewhere = [
    "read --all": "; subscribe --all --read-first has the values of each device",
    "write --all": "; run --all writes to each device",
    "snapshot --compare": "; diff compares two files that it has written",
    "snapshot --diff": "; diff compares two files that it has written",
    "simulate --check": "; a world is checked as it is read: simulate WORLD.json -- true",
  ]

  /// The advice on the name of a device for a command that takes none.
  private static let named = [
    "scan": "did you mean --name NAME?", "devices": "'blectl info NAME' shows one device",
  ]

  init(of type: any ParsableCommand.Type) {
    command = type._commandName
    let help = type.helpMessage(includeHidden: true, columns: 80)
    var takesValue: [String: Bool] = [:]
    var names: [String] = []
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      guard let match = line.wholeMatch(of: /\ \ ((?:--?[\w-]+, )*--?[\w-]+)( <.*)?(?: .*)?/) else {
        continue
      }
      for name in match.1.split(separator: ", ").map(String.init) {
        takesValue[name] = match.2 != nil
        if name.hasPrefix("--") { names.append(name) }
      }
    }
    self.takesValue = takesValue
    self.names = names
    argumentNames = help.matches(of: /\n  <([^>]*)>/).map { String($0.1) }
  }

  /// The words of a command line that are not options.
  func arguments(in words: [String]) -> [String] { sorted(words).arguments }

  /// A better reason than ArgumentParser's, as the rest of a sentence; nil if there is none.
  func reason(for words: [String], among commands: [any ParsableCommand.Type]) -> String? {
    // ArgumentParser takes the value of an unknown option for an argument, and checks the arguments first.
    let (unknown, arguments) = sorted(words)
    if let unknown { return "unknown option '\(unknown)'\(advice(on: unknown, among: commands))" }
    guard argumentNames.isEmpty, !arguments.isEmpty else { return nil }
    let list = arguments.map { "'\($0)'" }.joined(separator: ", ")
    if let lead = Self.named[command] {
      let word = ShellWord.quoted(arguments.joined(separator: " "))
      return "unexpected argument \(list); \(lead.replacing("NAME", with: word))"
    }
    return arguments.count == 1
      ? "unexpected argument \(list)" : "\(arguments.count) unexpected arguments: \(list)"
  }

  private func advice(on option: String, among commands: [any ParsableCommand.Type]) -> String {
    if let advice = Self.elsewhere["\(command) \(option)"] { return advice }
    let word = String(option.drop { $0 == "-" })
    if let name = Spelling.nearest(to: word, among: names.map { String($0.dropFirst(2)) }) {
      return "; did you mean --\(name)?"
    }
    let others = commands.filter { CommandOptions(of: $0).names.contains(option) }.map { $0._commandName }
    return others.isEmpty || others.count > 3 ? "" : "; \(others.alternatives) has it"
  }

  /// Joins negative numbers, perhaps with a unit, to the options whose values they are: `--duration=-5s`.
  func joiningNegativeValues(of words: [String]) -> [String] {
    words.reduce(into: []) { joined, word in
      if let last = joined.last, takesValue[last] == true, word.wholeMatch(of: /-[0-9.]+[A-Za-z]*/) != nil {
        joined[joined.count - 1] += "=\(word)"
      } else {
        joined.append(word)
      }
    }
  }

  private func sorted(_ words: [String]) -> (unknown: String?, arguments: [String]) {
    var unknown: String?
    var arguments: [String] = []
    var isValue = false
    for word in words {
      if word == "--" { break }
      if isValue {
        isValue = false
      } else if word.hasPrefix("--") {
        let name = String(word.prefix { $0 != "=" })
        if takesValue[name] == nil { unknown = unknown ?? name }
        isValue = takesValue[name] == true && name == word
      } else if word.hasPrefix("-"), word != "-" {
        // -vv is -v, twice.
        let name = String(word.prefix(2))
        if takesValue[name] == nil { unknown = unknown ?? word }
        isValue = takesValue[name] == true && name == word
      } else {
        arguments.append(word)
      }
    }
    return (unknown, arguments)
  }
}
