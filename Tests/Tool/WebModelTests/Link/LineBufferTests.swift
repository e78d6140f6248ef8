// SPDX-License-Identifier: MIT
import Testing
import WebModel

@Suite("LineBuffer")
struct LineBufferTests {
  @Test("Lines come whole, in whichever pieces their bytes came")
  func pieces() {
    for size in 1...9 {
      var buffer = LineBuffer()
      var lines: [String] = []
      let bytes = Array("one\n\ntwo\nthree".utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        buffer.append(bytes[start..<min(start + size, bytes.count)])
        while let line = buffer.next() { lines.append(String(decoding: line, as: UTF8.self)) }
      }
      #expect(lines == ["one", "", "two"])
      buffer.append(Array("!\n".utf8))
      #expect(buffer.next() == Array("three!".utf8))
      #expect(buffer.next() == nil)
    }
  }

  @Test("All complete lines come at once, without empty ones")
  func all() {
    var buffer = LineBuffer()
    buffer.append(Array("one".utf8))
    #expect(buffer.all() == nil)
    buffer.append(Array("\n\ntwo\nthr".utf8))
    #expect(buffer.all() == [Array("one".utf8), Array("two".utf8)])
    #expect(buffer.all() == nil)
  }
}
