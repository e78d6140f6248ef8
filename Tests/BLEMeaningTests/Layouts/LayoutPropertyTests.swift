// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEMeaning

/// What holds for every layout there is.
@Suite struct LayoutPropertyTests {
  static let all: [(number: UInt16, layout: ValueLayout)] = ValueLayout.numbers.compactMap { number in
    ValueLayout(for: BluetoothUUID(short: number)).map { (number, $0) }
  }

  @Test func `There are layouts for many characteristics and descriptors`() {
    #expect(Self.all.count >= 180)
    #expect(Set(Self.all.map(\.layout.name)).count == Self.all.count)
  }

  @Test func `Keys are in snake_case`() {
    for (_, layout) in Self.all {
      for key in layout.keys {
        #expect(
          key.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "_" } && !key.contains("__"), "\(key)")
      }
    }
  }

  @Test func `No input of up to 600 bytes does harm`() {
    var generator = SeededGenerator(seed: 4)
    let random = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let inputs: [[UInt8]] = [
      random, random.reversed(), Array(repeating: 0, count: 600), Array(repeating: 0xff, count: 600),
    ]
    for (_, layout) in Self.all {
      for count in 0...600 {
        let decoded = layout.decode(Array(inputs[count % 4].prefix(count)))
        if count < 30 || count == 600 {
          _ = decoded.text
          _ = try? layout.encode(decoded)
        }
      }
    }
  }

  @Test func `No byte gets lost: a value that is cut anywhere says so`() {
    var generator = SeededGenerator(seed: 5)
    for (number, layout) in Self.all {
      let bytes = layout.example(using: &generator)
      let whole = layout.decode(bytes)
      for count in 0..<bytes.count {
        let decoded = layout.decode(Array(bytes[..<count]))
        #expect(
          decoded != whole || layout.canEndEarly, "\(String(number, radix: 16)) \(bytes) cut at \(count)")
      }
    }
  }

  @Test func `What is well-formed is decoded without a problem, and encoded to the same bytes`() throws {
    var generator = SeededGenerator(seed: 6)
    for (number, layout) in Self.all {
      for _ in 0..<100 {
        let bytes = layout.example(using: &generator)
        let decoded = layout.decode(bytes)
        let name = "\(String(number, radix: 16)) \(layout.name) \(Hex.string(bytes)): \(decoded.text)"
        #expect(decoded.isComplete, "\(name)")
        let encoded = try layout.encode(decoded)
        #expect(layout.decode(encoded) == decoded, "\(name): \(Hex.string(encoded))")
        #expect(encoded == bytes || layout.hasSeveralSpellings, "\(name): \(Hex.string(encoded))")
        #expect(encoded.count <= bytes.count, "\(name)")
      }
    }
  }

  @Test func `A value of an earlier version is decoded whole, and encoded so that it reads the same`() throws
  {
    var generator = SeededGenerator(seed: 8)
    let formers = Self.all.compactMap { _, layout in layout.former.map { (layout, $0) } }
    #expect(formers.count >= 4)
    for (layout, former) in formers {
      #expect(layout.keys == former.keys)
      for _ in 0..<100 {
        let bytes = former.example(using: &generator)
        let decoded = layout.decode(bytes)
        #expect(decoded == former.decode(bytes))
        #expect(decoded.isComplete, "\(layout.name) \(Hex.string(bytes)): \(decoded.text)")
        #expect(layout.decode(try layout.encode(decoded)) == decoded, "\(layout.name) \(Hex.string(bytes))")
      }
    }
  }

  @Test func `What is decoded of anything at all is encoded so that it reads the same, or refused`() {
    var generator = SeededGenerator(seed: 7)
    for (_, layout) in Self.all {
      for _ in 0..<200 {
        let count = Int.random(in: 0...24, using: &generator)
        let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
        var decoded = layout.decode(bytes)
        guard decoded.isComplete, let encoded = try? layout.encode(decoded) else { continue }
        let again = layout.decode(encoded)
        decoded.problems = []
        #expect(again == decoded, "\(layout.name) \(Hex.string(bytes)) \(Hex.string(encoded))")
      }
    }
  }
}
