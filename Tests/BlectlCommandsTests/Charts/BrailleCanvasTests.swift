// SPDX-License-Identifier: MIT
import Testing

@testable import BlectlCommands
@testable import Charts

@Suite("BrailleCanvas")
struct BrailleCanvasTests {
  private func text(_ canvas: BrailleCanvas, hasBraille: Bool = true) -> [String] {
    (0..<canvas.rows).map { row in
      String((0..<canvas.columns).map { canvas[$0, row].character(hasBraille: hasBraille) })
    }
  }

  @Test("Each dot of a character is where Unicode has it")
  func dots() {
    let pictures = ["⠁⠂⠄⡀", "⠈⠐⠠⢀"].map(Array.init)
    for x in 0..<2 {
      for y in 0..<4 {
        var canvas = BrailleCanvas(columns: 1, rows: 1)
        canvas.dot(x, y, owner: 0)
        #expect(text(canvas) == [String(pictures[x][y])])
      }
    }
  }

  @Test("A line has no holes, whichever way it goes")
  func line() {
    var canvas = BrailleCanvas(columns: 2, rows: 1)
    canvas.line(from: (0, 3), to: (3, 0), owner: 0)
    #expect(text(canvas) == ["⡠⠊"])
    var back = BrailleCanvas(columns: 2, rows: 1)
    back.line(from: (3, 0), to: (0, 3), owner: 0)
    #expect(text(back) == text(canvas))
    var wall = BrailleCanvas(columns: 1, rows: 2)
    wall.line(from: (0, 0), to: (0, 7), owner: 0)
    #expect(text(wall) == ["⡇", "⡇"])
  }

  @Test("What lies outside is not drawn")
  func outside() {
    var canvas = BrailleCanvas(columns: 1, rows: 1)
    canvas.dot(-1, 0, owner: 0)
    canvas.dot(2, 0, owner: 0)
    canvas.dot(0, 4, owner: 0)
    canvas.letter("A", column: 1, row: 0, owner: 0)
    #expect(text(canvas) == [" "])
  }

  @Test("The last line that drew in a character owns it; a letter stands in place of its dots")
  func owners() {
    var canvas = BrailleCanvas(columns: 2, rows: 1)
    canvas.dot(0, 0, owner: 0)
    canvas.dot(1, 3, owner: 1)
    #expect(canvas[0, 0].owner == 1)
    canvas.letter("B", column: 0, row: 0, owner: 1)
    canvas.letter("A", column: 0, row: 0, owner: 0)
    #expect(text(canvas) == ["B "])
    canvas.dot(2, 0, owner: 0)
    #expect(text(canvas, hasBraille: false) == ["B*"])
  }
}
