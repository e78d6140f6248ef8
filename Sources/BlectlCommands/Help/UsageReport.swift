// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEMeaning

/// What is wrong with a command line, in the form that every error has.
///
/// ArgumentParser finds it, and says it in sentences of its own, with the whole usage behind; these are put into ours,
/// and one that is not known stays as it is.
struct UsageReport {
  /// What ArgumentParser says.
  let message: String
  /// The command that the arguments name; nil when they name none.
  let command: String?

  /// The error about some arguments.
  static func error(_ error: any Error, _ arguments: [String]) -> CommandError {
    if let error = error as? CommandError { return error }
    let first = arguments.first ?? ""
    if !first.isEmpty, !first.hasPrefix("-"), !Blectl.commandWords.contains(first) {
      if let foreign = ForeignWord(first) {
        return .usage(
          "cannot run '\(first)': there is no such command; \(foreign.advice)", hint: foreign.hint)
      }
      let guess = Spelling.nearest(to: first, among: Blectl.commandWords)
      return .usage(
        "cannot run '\(first)': there is no such command"
          + suggestion(for: first, among: Blectl.commandWords),
        hint: guess.map { "blectl \($0) --help" } ?? "blectl help")
    }
    let command = first.hasPrefix("-") ? nil : first
    let report = UsageReport(message: Blectl.message(for: error), command: command)
    let reason = world(behindSpaceIn: arguments).map {
      "the world of --simulate stands behind '=': --simulate=\($0)"
    }
    return .usage(
      "cannot run \(command.map { "'\($0)'" } ?? "blectl"): \(reason ?? report.reason)",
      hint: "blectl \(command.map { "\($0) --help" } ?? "help")")
  }

  /// The world file that somebody has typed behind `--simulate` and a space, where it is one word too many.
  private static func world(behindSpaceIn arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: "--simulate"), index + 1 < arguments.count else { return nil }
    let word = arguments[index + 1]
    return word.lowercased().hasSuffix(".json") && !word.hasPrefix("-") ? word : nil
  }

  private static func suggestion(for text: String, among words: [String]) -> String {
    Spelling.advice(for: text, among: words).map { "; \($0)" } ?? ""
  }

  /// Why it cannot be run.
  var reason: String {
    if let match = message.firstMatch(of: /^The value '(?s:.*?)' is invalid for '(-\S+).*?': (?s:(.*))$/) {
      return "\(match.1): \(match.2)"
    }
    if let match = message.firstMatch(of: /^The value '(?s:.*?)' is invalid for '<.*?': (?s:(.*))$/) {
      return String(match.1)
    }
    if let match = message.firstMatch(
      of: /^The value '(?s:(.*?))' is invalid for '(\S+).*?'\. Please provide one of (.*)\.$/)
    {
      let words = match.3.matches(of: /'(.*?)'/).map { String($0.1) }
      let option = match.2.hasPrefix("-") ? "\(match.2): " : ""
      return "\(option)'\(match.1)' is not \(words.formatted(last: "or"))"
        + Self.suggestion(for: String(match.1), among: words)
    }
    if let match = message.firstMatch(of: /^Unknown option '(-.*?)'(?:\. Did you mean '(.*)'\?)?$/) {
      // Its guesses go far: --via is not a misspelt --pick.
      let (typed, guess) = (Self.letters(match.1), match.2.map { Self.letters($0) })
      let isNear = guess.flatMap { Spelling.nearest(to: typed, among: [$0]) } != nil
      return "there is no option \(match.1)" + (isNear ? "; did you mean --\(guess ?? "")?" : "")
    }
    if let match = message.firstMatch(of: /^Unexpected argument '(?s:(.*))'$/) {
      return "'\(match.1)' is one word too many"
    }
    if let match = message.firstMatch(of: /^(\d+) unexpected arguments: (?s:(.*))$/) {
      return "there are \(match.1) words too many: \(match.2)"
    }
    if let match = message.firstMatch(of: /^Missing expected argument '(<.*?>).*'$/) {
      return "\(match.1) is missing"
    }
    if let match = message.firstMatch(of: /^Missing value for '(-\S+) (<.*>)'$/) {
      return "\(match.1) needs a \(match.2)"
    }
    return Self.clause(message)
  }

  private static func letters(_ option: Substring) -> String { String(option.drop { $0 == "-" }) }

  /// A sentence as the rest of one: without its full stop, and without a capital unless a whole word has them.
  private static func clause(_ sentence: String) -> String {
    let text = sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    guard let second = text.dropFirst().first, second.isLowercase else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
