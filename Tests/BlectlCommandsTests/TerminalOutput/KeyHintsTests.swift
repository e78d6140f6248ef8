// SPDX-License-Identifier: MIT
import Testing

@testable import TerminalOutput

@Suite("KeyHints")
struct KeyHintsTests {
  private let hints = KeyHints([
    .init("q", "end", weight: 2), .init("↑↓", "select", weight: 0), .init("s", "sort", weight: 1),
  ])

  @Test(
    "The words of keys that explain themselves give way first, then the text before the keys",
    arguments: [
      (80, "3 values  q end  ↑↓ select  s sort"), (34, "3 values  q end  ↑↓ select  s sort"),
      (33, "3 values  q end  ↑↓  s sort"), (26, "3 values  q end  ↑↓  s"), (21, "3 values  q  ↑↓  s"),
      (17, "q end  ↑↓  s sort"), (10, "q  ↑↓  s"), (8, "q  ↑↓  s"), (5, "q  ↑…"), (0, ""),
    ])
  func words(columns: Int, line: String) {
    #expect(hints.line(after: "3 values", columns: columns) == line)
    #expect(DisplayWidth.of(line) <= columns)
  }

  @Test("The console of Linux shows letters instead of arrows")
  func arrows() {
    #expect(KeyHints.arrows(term: "linux") == "jk")
    #expect(KeyHints.arrows(term: "xterm-256color") == "↑↓")
  }
}
