// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@Suite("MessageWriter and WireReader")
struct MessageRoundTripTests {
  private func message(_ values: [DBusValue]) -> Message {
    Message(signal: "Test", of: "org.example.Test", at: "/") { writer in
      for value in values { writer.value(value) }
    }
  }

  @Test("Any values come back as they were written, and are marshalled as the specification requires")
  func arbitraryValues() {
    var random = SeededGenerator(seed: 1)
    for _ in 0..<2000 {
      let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        ArbitraryType(depth: 4, using: &random).value(depth: 4, using: &random)
      }
      let message = message(values)
      #expect(message.signature == values.map(\.typeSignature).joined())
      #expect(message.values == values)
      let isMarshalledRight = message.withBody { body in
        var copy = body
        let wire = WireBytes(values).bytes
        return wire.allSatisfy { $0 == copy.byte() } && copy.isAtEnd && !copy.isMalformed
      }
      #expect(isMarshalledRight)
    }
  }

  @Test("Any values are read in the other byte order too")
  func bigEndian() {
    var random = SeededGenerator(seed: 2)
    for _ in 0..<2000 {
      let value = ArbitraryType(depth: 5, using: &random).value(depth: 5, using: &random)
      WireBytes([value], isBigEndian: true).bytes.withUnsafeBytes { bytes in
        var reader = WireReader(bytes, isBigEndian: true)
        #expect(reader.values(value.typeSignature) == [value])
        #expect(reader.isAtEnd)
      }
    }
  }

  @Test("Real bodies come back as they were written", arguments: SampleBodies.all)
  func bodies(values: [DBusValue]) { #expect(message(values).values == values) }

  @Test("Text is cut at a NUL, which D-Bus cannot carry")
  func embeddedNUL() { #expect(message([.string("a\0b")]).values == [.string("a")]) }

  @Test("Bytes are written as they are, however many")
  func bytes() {
    let long = (0..<70_000).map { UInt8(truncatingIfNeeded: $0) }
    #expect(message([.bytes([]), .bytes(long)]).values == [.bytes([]), .bytes(long)])
  }
}
