// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import TerminalOutput

/// A word for a shell to offer, with a description.
struct Candidate: Sendable, Hashable {
  var word: String
  var about: String?

  init(_ word: String, about: String? = nil) {
    self.word = word
    self.about = about
  }

  /// Whether the word is safe to offer: bash expands words such as `$(reboot)`.
  ///
  /// Names come from the air, so only characters without a meaning in any shell are allowed: letters, digits, spaces and a
  /// few signs.
  var isHarmless: Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || " -_.+@%,/:".unicodeScalars.contains(scalar)
      }
  }

  /// The form for a shell: bash supports no descriptions, and ends a word at a colon.
  func text(for shell: CompletionShell?) -> String {
    let about = about.map { TerminalSafe.escaped($0) }
    switch shell {
    case .zsh:
      let escaped = word.replacing("\\", with: "\\\\").replacing(":", with: "\\:")
      return about.map { "\(escaped):\($0)" } ?? escaped
    case .fish: return about.map { "\(word)\t\($0)" } ?? word
    default: return word.replacing(":", with: "-")
    }
  }
}
