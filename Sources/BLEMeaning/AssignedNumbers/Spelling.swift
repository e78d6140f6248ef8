// SPDX-License-Identifier: MIT

/// Guesses what was meant by a word that is none.
package enum Spelling {
  /// How much of a word is looked at: what is longer is no word.
  private static let longest = 64

  /// The words that may have been meant, the likeliest first.
  ///
  /// - Parameters:
  ///   - text: what was typed; upper and lower case are the same.
  ///   - words: those that there are.
  /// - Returns: the words that differ least, in their order; none when each differs in more than half of its letters.
  package static func candidates(for text: String, among words: [String]) -> [String] {
    let text = Array(text.lowercased().utf8.prefix(longest))
    var best = Int.max
    var found: [String] = []
    for word in words {
      let other = Array(word.lowercased().utf8.prefix(longest))
      let distance = distance(text, other)
      guard distance <= max(1, max(text.count, other.count) / 2), distance <= best else { continue }
      if distance < best { found = [] }
      best = distance
      if !found.contains(word) { found.append(word) }
    }
    return found
  }

  /// The word that may have been meant, or nil when none resembles the text.
  package static func nearest(to text: String, among words: [String]) -> String? {
    candidates(for: text, among: words).first
  }

  /// What to say to somebody who has typed a word that is none: `did you mean on, or off?`.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - words: those that there are.
  /// - Returns: nil when none resembles the text.
  package static func advice(for text: String, among words: [String]) -> String? {
    let candidates = candidates(for: text, among: words).prefix(3)
    return candidates.isEmpty ? nil : "did you mean \(candidates.joined(separator: ", or "))?"
  }

  /// What to say to somebody who has typed a name that nothing has: also a part of a name may be what was meant.
  ///
  /// - Parameters:
  ///   - text: what was typed.
  ///   - names: those that there are; `Hart` resembles the first word of `Heart Strap`.
  /// - Returns: nil when none resembles the text.
  package static func advice(for text: String, amongNames names: [String]) -> String? {
    let length = text.split(separator: " ").count
    var parts: [(part: String, name: String)] = names.map { ($0, $0) }
    for name in names {
      let words = name.split(separator: " ")
      guard length > 0, words.count > length else { continue }
      for start in 0...words.count - length {
        parts.append((words[start..<start + length].joined(separator: " "), name))
      }
    }
    let near = Set(candidates(for: text, among: parts.map(\.part)))
    var found: [String] = []
    for (part, name) in parts where near.contains(part) && !found.contains(name) { found.append(name) }
    return found.isEmpty ? nil : "did you mean \(found.prefix(3).joined(separator: ", or "))?"
  }

  /// How many letters must be changed, added, left out or swapped to make one word of the other.
  static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
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
