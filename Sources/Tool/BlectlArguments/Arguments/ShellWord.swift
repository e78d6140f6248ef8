// SPDX-License-Identifier: MIT

/// Words of a command that a hint shows, to be copied into a shell.
package enum ShellWord {
  /// Quotes a word, unless it is plain.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy {
      "-_./:@=,+%".utf8.contains($0) || (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0)
    }
    return isPlain && !word.isEmpty ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
