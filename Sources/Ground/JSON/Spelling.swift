// SPDX-License-Identifier: MIT

/// Suggests corrections for unknown words.
package enum Spelling {
  /// The maximum length of a word; longer texts get no suggestion.
  private static let longest = 64

  /// Returns the words that differ least, ignoring case; none if each differs in over half of its letters.
  package static func candidates(for text: String, among words: [String]) -> [String] {
    let text = Array(text.lowercased().utf8.prefix(longest))
    var best = Int.max
    var found: [String] = []
    for word in words {
      let other = Array(word.lowercased().utf8.prefix(longest))
      let distance = distance(text, other)
      guard distance <= max(text.count, other.count) / 2, distance <= best else { continue }
      if distance < best { found = [] }
      best = distance
      if !found.contains(word) { found.append(word) }
    }
    return found
  }

  /// Returns the word that may be meant, or nil if none is similar.
  package static func nearest(to text: String, among words: [String]) -> String? {
    candidates(for: text, among: words).first
  }

  /// Returns a suggestion for an unknown word, `did you mean on, or off?`, or nil if no word is similar.
  package static func advice(for text: String, among words: [String]) -> String? {
    question(candidates(for: text, among: words).prefix(3))
  }

  /// Returns the question for words that may be meant, `did you mean on, or off?`; nil without any.
  package static func question(_ words: some Collection<String>) -> String? {
    words.isEmpty ? nil : "did you mean \(words.joined(separator: ", or "))?"
  }

  /// Returns a suggestion for an unknown name, or nil if no word is similar.
  ///
  /// A part of a name may be similar: `Hart` is similar to the first word of `Heart Strap`.
  package static func advice(for text: String, amongNames names: [String]) -> String? {
    let length = text.split(separator: " ").count
    // Names with other digits are those of other devices.
    let letters = text.lowercased().filter { !$0.isNumber }
    let names = names.filter { $0.lowercased().filter { !$0.isNumber } != letters }
    var parts: [(part: String, name: String)] = names.map { ($0, $0) }
    for name in names {
      let words = name.split(separator: " ")
      guard length > 0, words.count > length else { continue }
      for start in 0...words.count - length {
        parts.append((words[start..<start + length].joined(separator: " "), name))
      }
    }
    parts.removeAll { areSiblings(text, $0.part) }
    let near = Set(candidates(for: text, among: parts.map(\.part)))
    var found: [String] = []
    for (part, name) in parts where near.contains(part) && !found.contains(name) { found.append(name) }
    return question(found.prefix(3))
  }

  /// Returns whether a last letter tells two names of a family apart: `Strap A` and `Strap B`, `TagA` and `TagB`.
  private static func areSiblings(_ left: String, _ right: String) -> Bool {
    guard let mine = left.last, let other = right.last, mine.isLetter, other.isLetter,
      left.dropLast().lowercased() == right.dropLast().lowercased(), let before = left.dropLast().last
    else { return false }
    return !before.isLetter || mine.isUppercase && other.isUppercase && !before.isUppercase
  }

  /// Returns the edit distance between two words: letters changed, added, removed or swapped.
  package static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, mine) in left.enumerated() {
      var current = [row + 1]
      for (column, theirs) in right.enumerated() {
        var cost = min(
          current[column] + 1, last[column + 1] + 1, last[column] + (mine == theirs ? 0 : 1))
        if row > 0, column > 0, mine == right[column - 1], left[row - 1] == theirs {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
