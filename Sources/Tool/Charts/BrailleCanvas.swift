// SPDX-License-Identifier: MIT

/// A picture of dots, two columns of four for each character.
///
/// A character has the colour of the line that drew in it last, and may have a letter instead of dots.
struct BrailleCanvas: Sendable {
  struct Cell: Sendable, Hashable {
    /// The dots, as the Braille block of Unicode numbers them.
    var dots: UInt8 = 0
    /// The line that drew in it last.
    var owner: Int?
    var letter: Character?
  }

  let columns: Int
  let rows: Int
  private var cells: [Cell]

  /// Makes an empty picture.
  init(columns: Int, rows: Int) {
    self.columns = max(1, columns)
    self.rows = max(1, rows)
    cells = Array(repeating: Cell(), count: self.columns * self.rows)
  }

  var dotColumns: Int { columns * 2 }
  var dotRows: Int { rows * 4 }

  subscript(column: Int, row: Int) -> Cell { cells[row * columns + column] }

  /// Draws a dot, unless it is outside the picture.
  mutating func dot(_ x: Int, _ y: Int, owner: Int) {
    guard (0..<dotColumns).contains(x), (0..<dotRows).contains(y) else { return }
    let place = y / 4 * columns + x / 2
    cells[place].dots |= BrailleCanvas.bits[y % 4][x % 2]
    cells[place].owner = owner
  }

  /// Draws a straight line without holes, including both ends.
  mutating func line(from start: (x: Int, y: Int), to end: (x: Int, y: Int), owner: Int) {
    let (width, height) = (end.x - start.x, end.y - start.y)
    let steps = max(width.magnitude, height.magnitude)
    guard steps > 0 else { return dot(start.x, start.y, owner: owner) }
    for step in 0...Int(steps) {
      let share = Double(step) / Double(steps)
      dot(
        start.x + Int((Double(width) * share).rounded()), start.y + Int((Double(height) * share).rounded()),
        owner: owner)
    }
  }

  /// Replaces the dots by a letter, unless there is one already.
  mutating func letter(_ letter: Character, column: Int, row: Int, owner: Int) {
    guard (0..<columns).contains(column), (0..<rows).contains(row) else { return }
    let place = row * columns + column
    guard cells[place].letter == nil else { return }
    (cells[place].letter, cells[place].owner) = (letter, owner)
  }

  /// The highest row in which a line crosses a column of characters.
  func row(ofOwner owner: Int, column: Int) -> Int? {
    (0..<rows).first { self[column, $0].owner == owner && self[column, $0].dots != 0 }
  }

  private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]
}

extension BrailleCanvas.Cell {
  /// A terminal without Braille gets a star.
  func character(hasBraille: Bool) -> Character {
    if let letter { return letter }
    if dots == 0 { return " " }
    guard hasBraille, let scalar = Unicode.Scalar(0x2800 + UInt32(dots)) else { return "*" }
    return Character(scalar)
  }
}
