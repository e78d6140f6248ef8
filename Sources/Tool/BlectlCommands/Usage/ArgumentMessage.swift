// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// The messages of ArgumentParser, as the rest of a sentence of ours.
///
/// Its errors are not public, so one form of its English is matched, only here: our own reason for refusing a
/// value, which it wraps in a sentence that repeats the value.
enum ArgumentMessage {
  /// Returns the reason why the words after a command are refused, as the rest of a sentence.
  ///
  /// Other commands may have the option.
  static func reason(
    _ error: any Error, of type: any ParsableCommand.Type, _ words: [String],
    among commands: [any ParsableCommand.Type]
  ) -> String {
    OptionalValue.explained(plainReason(error, of: type, words, among: commands), of: words)
  }

  private static func plainReason(
    _ error: any Error, of type: any ParsableCommand.Type, _ words: [String],
    among commands: [any ParsableCommand.Type]
  ) -> String {
    let options = CommandOptions(of: type)
    if let reason = options.reason(for: words, among: commands) { return reason }
    // ArgumentParser takes a negative number for an option, and misses the value.
    let joined = options.joiningNegativeValues(of: words)
    if joined != words {
      do { _ = try type.parseAsRoot(OptionalValue.split(joined)) } catch {
        return reason(type.message(for: error))
      }
    }
    return reason(type.message(for: error))
  }

  private static func reason(_ message: String) -> String {
    if let match = message.wholeMatch(of: /(?s)The value '.*?' is invalid for '(?:(-\S+) )?<[^>]*>': (.*)/) {
      return (match.1.map { "\($0): " } ?? "") + match.2
    }
    let text = message.hasSuffix(".") ? String(message.dropLast()) : message
    guard text.dropFirst().first?.isLowercase == true else { return text }
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
