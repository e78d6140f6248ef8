// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import TerminalOutput

@Suite("KeyDecoder")
struct KeyDecoderTests {
  /// The bytes that a terminal sends, and the keys that they mean.
  private static let sequences: [(String, [Key])] = [
    ("q", [.character("q")]), ("\r", [.enter]), ("\n", [.enter]), ("\u{7f}", [.backspace]),
    ("\u{8}", [.backspace]), ("\u{15}", [.clear]), (" ", [.character(" ")]),
    ("\u{1b}[A", [.up]), ("\u{1b}[B", [.down]), ("\u{1b}OA", [.up]), ("\u{1b}OB", [.down]),
    ("\u{1b}[1;5A", [.up]), ("\u{1b}[1;2B", [.down]), ("\u{1b}[5~", [.pageUp]), ("\u{1b}[6;5~", [.pageDown]),
    ("\u{1b}[H", [.home]), ("\u{1b}[F", [.end]), ("\u{1b}OH", [.home]), ("\u{1b}OF", [.end]),
    ("\u{1b}[1~", [.home]), ("\u{1b}[4~", [.end]), ("\u{1b}[7~", [.home]), ("\u{1b}[8~", [.end]),
    ("\u{1b}OM", [.enter]),
    // Left, right, Insert, Delete, F1 in three ways, the focus of the window: nothing that a view knows.
    ("\u{1b}[D\u{1b}[C\u{1b}[2~\u{1b}[3~\u{1b}OP\u{1b}[11~\u{1b}[[A\u{1b}[I\u{1b}[O", []),
    // Control characters.
    ("\u{4}\u{7}\t\u{0}", []),
    ("\u{1b}[200~ab\u{1b}[201~", [.character("a"), .character("b")]),
    ("jé漢👍", [.character("j"), .character("é"), .character("漢"), .character("👍")]),
    // Esc, and quickly another key; Esc twice.
    ("\u{1b}q", [.escape, .character("q")]), ("\u{1b}\u{1b}[A", [.escape, .up]),
    // A sequence that ends in the middle gives way to what follows.
    ("\u{1b}[1;\u{1b}[B", [.down]), ("\u{1b}[12\nq", [.enter, .character("q")]),
  ]

  @Test("Sequences are keys, whole and byte by byte", arguments: sequences)
  func sequence(_ text: String, _ keys: [Key]) {
    var whole = KeyDecoder()
    #expect(whole.keys(text.utf8) == keys)
    #expect(!whole.mayBeEscape)
    var pieces = KeyDecoder()
    #expect(text.utf8.flatMap { pieces.keys([$0]) } == keys)
  }

  @Test("Esc alone is a key when nothing follows for a while")
  func escape() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1b]).isEmpty)
    #expect(decoder.mayBeEscape)
    #expect(decoder.pause() == [.escape])
    #expect(decoder.pause().isEmpty)
    #expect(decoder.keys("[A".utf8) == [.character("["), .character("A")])
  }

  @Test("A pause within a sequence or a character ends neither")
  func pauses() {
    var decoder = KeyDecoder()
    #expect(decoder.keys("\u{1b}[".utf8).isEmpty)
    #expect(decoder.pause().isEmpty)
    #expect(decoder.keys("A".utf8) == [.up])
    #expect(decoder.keys([0xe6, 0xbc]).isEmpty)
    #expect(decoder.pause().isEmpty)
    #expect(decoder.keys([0xa2]) == [.character("漢")])
  }

  @Test(
    "Bytes that are not UTF-8 are skipped, and nothing after them",
    arguments: [
      [0x80], [0xff], [0xc0, 0x80], [0xe6, 0xbc], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xf5, 0x80],
      [0xc2, 0x85], [0xe0, 0x80, 0x80],
    ] as [[UInt8]])
  func bad(_ bytes: [UInt8]) {
    var decoder = KeyDecoder()
    #expect(decoder.keys(bytes + Array("q".utf8)) == [.character("q")])
  }

  @Test("However bytes are cut, they are the same keys")
  func cuts() {
    var random = SeededGenerator(seed: 18)
    let alphabet: [UInt8] = [
      0x1b, 0x5b, 0x4f, 0x41, 0x31, 0x3b, 0x7e, 0x71, 0x0d, 0xe6, 0xbc, 0xa2, 0xff, 0x0a,
    ]
    for _ in 0..<500 {
      let bytes = (0..<40).compactMap { _ in alphabet.randomElement(using: &random) }
      var whole = KeyDecoder()
      let keys = whole.keys(bytes)
      var cut = KeyDecoder()
      var rest = bytes[...]
      var pieces: [Key] = []
      while !rest.isEmpty {
        let count = Int.random(in: 1...5, using: &random)
        pieces += cut.keys(rest.prefix(count))
        rest = rest.dropFirst(count)
      }
      #expect(pieces == keys)
    }
  }

  @Test("A sequence without an end takes no memory, and ends with the next key that cannot be in it")
  func endless() {
    var decoder = KeyDecoder()
    #expect(decoder.keys("\u{1b}[".utf8).isEmpty)
    let digits = decoder.keys(Array(repeating: UInt8(ascii: "1"), count: 1000))
    #expect(digits.count < 1000)
    #expect(decoder.keys("\r".utf8) == [.enter])
  }
}

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
