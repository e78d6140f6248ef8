// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The messages of ArgumentParser, as the rest of a sentence of ours.
///
/// Its errors are not public, so two forms of its English are matched here, and nowhere else: our own reason for refusing
/// a value, which it wraps in a sentence that repeats the value, and its suggestions.
enum ArgumentMessage {
  static func reason(_ message: String) -> String {
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
