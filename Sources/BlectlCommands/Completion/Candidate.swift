// SPDX-License-Identifier: MIT
internal import ArgumentParser

/// A word that a shell may offer, and what to say about it.
struct Candidate: Sendable, Hashable {
  var word: String
  var about: String?

  init(_ word: String, about: String? = nil) {
    self.word = word
    self.about = about
  }

  /// Whether a shell can be given the word: bash expands what it is offered, `$(reboot)` included.
  ///
  /// Names come from the air, so only what no shell gives a meaning passes: letters, digits, spaces and a few signs.
  var isHarmless: Bool {
    !word.isEmpty && !word.hasPrefix("-")
      && word.unicodeScalars.allSatisfy { scalar in
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || " -_.+@%,/:".unicodeScalars.contains(scalar)
      }
  }

  /// What a shell is told, which differs: bash takes words only, and ends a word at a colon.
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
