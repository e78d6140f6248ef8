// SPDX-License-Identifier: MIT

/// The word that somebody may have meant.
enum Nearest {
  /// `; did you mean drop-link?`, or nothing where no word is near.
  static func hint(to word: String, among words: [String]) -> String {
    find(word, among: words).map { "; did you mean \($0)?" } ?? ""
  }

  /// The word that differs least, in at most a third of the letters; the first of several.
  static func find(_ word: String, among words: [String]) -> String? {
    let limit = max(1, word.count / 3)
    var best: (word: String, distance: Int)?
    for candidate in words.prefix(1000) where abs(candidate.count - word.count) <= limit {
      let distance = distance(Array(word.lowercased().utf8), Array(candidate.lowercased().utf8))
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word
  }

  /// How many letters must be added, left out, changed, or swapped with the next one.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var beforePrevious: [Int] = []
    var previous = Array(0...right.count)
    for row in 0..<left.count {
      var current = [row + 1]
      for column in 0..<right.count {
        var cost = min(
          previous[column + 1] + 1, current[column] + 1,
          previous[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforePrevious[column - 1] + 1)
        }
        current.append(cost)
      }
      beforePrevious = previous
      previous = current
    }
    return previous[right.count]
  }
}
