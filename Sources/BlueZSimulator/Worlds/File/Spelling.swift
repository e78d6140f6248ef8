// SPDX-License-Identifier: MIT

/// Guesses what was meant by a word that is none.
enum Spelling {
  /// The word that differs in the fewest letters; nil when every one differs in more than half.
  static func nearest(to text: String, among words: [String]) -> String? {
    let text = Array(text.utf8.prefix(40))
    let distances = words.map { (word: $0, distance: distance(text, Array($0.utf8))) }
    guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
    return best.distance <= max(1, max(text.count, best.word.utf8.count) / 2) ? best.word : nil
  }

  /// How many letters must be put in, taken out or replaced to make one word of the other.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (index, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, other) in right.enumerated() {
        let replaced = diagonal + (letter == other ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(replaced, row[column] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}
