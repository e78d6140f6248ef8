// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BLEMeaning

/// Turns what is wrong with a command line into an error of the form that every command uses.
enum UsageReport {
  /// The error about some arguments.
  ///
  /// - Parameters:
  ///   - error: what ArgumentParser threw.
  ///   - arguments: the words that were typed.
  /// - Returns: the error, with status usage.
  static func error(_ error: any Error, _ arguments: [String]) -> CommandError {
    if let error = error as? CommandError { return error }
    let first = arguments.first.flatMap { $0.isEmpty || $0.hasPrefix("-") ? nil : $0 }
    if let first, Blectl.command(named: first) == nil { return unknownCommand(first) }
    let reason =
      world(afterSpaceIn: arguments).map { "--simulate takes its world after '=': --simulate=\($0)" }
      ?? reason(Blectl.message(for: error))
    return .usage(
      "cannot run \(first.map { "'\($0)'" } ?? "blectl"): \(reason)",
      hint: "blectl \(first.map { "\($0) --help" } ?? "help")")
  }

  private static func unknownCommand(_ word: String) -> CommandError {
    let foreign = ForeignWord(word)
    let words = Blectl.commandWords
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

  /// ArgumentParser's message as the rest of a sentence.
  ///
  /// Its errors are not public, so two forms of its English are matched here, and nowhere else: our own reason for refusing
  /// a value, which it wraps in a sentence that repeats the value, and its suggestions.
  private static func reason(_ message: String) -> String {
    if let match = message.wholeMatch(of: /(?s)The value '.*?' is invalid for '(?:(-\S+) )?<[^>]*>': (.*)/) {
      return (match.1.map { "\($0): " } ?? "") + match.2
    }
    if let match = message.wholeMatch(of: /Unknown option '(-*)(.*)'\. Did you mean '(-*)(.*)'\?/) {
      // ArgumentParser suggests --pick for --via; Spelling is stricter.
      let isSimilar = Spelling.nearest(to: String(match.2), among: [String(match.4)]) != nil
      return "unknown option '\(match.1)\(match.2)'"
        + (isSimilar ? "; did you mean \(match.3)\(match.4)?" : "")
    }
    let text = message.hasSuffix(".") ? String(message.dropLast()) : message
    guard text.dropFirst().first?.isLowercase == true else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
