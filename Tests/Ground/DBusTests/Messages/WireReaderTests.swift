// SPDX-License-Identifier: MIT
import DBus
import Testing

@Suite("WireReader")
struct WireReaderTests {
  @Test("Every type is read in both byte orders, at its alignment", arguments: [false, true])
  func everyType(isBigEndian: Bool) {
    var wire = WireBytes(isBigEndian: isBigEndian)
    wire.append(.byte(0x81))
    wire.append(.boolean(true))
    wire.append(.byte(1))
    wire.append(.int16(-300))
    wire.append(.byte(2))
    wire.append(.uint16(0xabcd))
    wire.append(.int32(-70_000))
    wire.append(.byte(3))
    wire.append(.uint32(0x89ab_cdef))
    wire.append(.int64(-5_000_000_000))
    wire.append(.byte(4))
    wire.append(.uint64(0x0123_4567_89ab_cdef))
    wire.append(.double(2.5))
    wire.append(.string("text"))
    wire.append(.signature("a{sv}"))
    wire.append(.bytes([9, 8, 7]))
    wire.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes, isBigEndian: isBigEndian)
      #expect(reader.byte() == 0x81)
      let isTrue = reader.boolean()
      #expect(isTrue)
      #expect(reader.byte() == 1)
      #expect(reader.int16() == -300)
      #expect(reader.byte() == 2)
      #expect(reader.uint16() == 0xabcd)
      #expect(reader.int32() == -70_000)
      #expect(reader.byte() == 3)
      #expect(reader.uint32() == 0x89ab_cdef)
      #expect(reader.int64() == -5_000_000_000)
      #expect(reader.byte() == 4)
      #expect(reader.uint64() == 0x0123_4567_89ab_cdef)
      #expect(reader.double() == 2.5)
      #expect(reader.text().string == "text")
      #expect(reader.signature().string == "a{sv}")
      #expect(reader.bytes() == [9, 8, 7])
      #expect(reader.isAtEnd)
      #expect(!reader.isMalformed)
    }
  }

  @Test("Real bodies are read as they were written, in both byte orders", arguments: SampleBodies.all)
  func bodies(values: [DBusValue]) {
    let signature = values.map(\.typeSignature).joined()
    for isBigEndian in [false, true] {
      let wire = WireBytes(values, isBigEndian: isBigEndian)
      wire.bytes.withUnsafeBytes { bytes in
        var reader = WireReader(bytes, isBigEndian: isBigEndian)
        #expect(reader.values(signature) == values)
        #expect(reader.isAtEnd)
      }
    }
  }

  @Test(
    "Skipping a value ends where reading it ends",
    arguments: SampleBodies.all)
  func skipping(values: [DBusValue]) {
    for isBigEndian in [false, true] {
      var wire = WireBytes(isBigEndian: isBigEndian)
      wire.signature(values.map(\.typeSignature).joined())
      for value in values { wire.append(value) }
      wire.append(.byte(0x5a))
      wire.bytes.withUnsafeBytes { bytes in
        var reader = WireReader(bytes, isBigEndian: isBigEndian)
        let signature = reader.signature()
        reader.skip(signature)
        #expect(reader.byte() == 0x5a)
        #expect(reader.isAtEnd)
        #expect(!reader.isMalformed)
      }
    }
  }

  @Test(
    "The padding before elements of 8 bytes is there in an empty array too",
    arguments: ["x", "t", "d", "(yy)", "{sv}"])
  func emptyArrays(element: String) {
    var wire = WireBytes()
    wire.array(of: element) { _ in }
    wire.append(.byte(0x5a))
    #expect(wire.bytes.count == 9)
    wire.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      #expect(reader.values("a" + element)?.count == 1)
      #expect(reader.offset == 8)
      var walker = WireReader(bytes)
      var count = 0
      walker.forEachElement(startingWith: element.utf8.first ?? 0) { _ in count += 1 }
      #expect(count == 0)
      #expect(walker.byte() == 0x5a)
    }
  }

  @Test("Properties that the body leaves alone are skipped, the others are its own to read")
  func properties() {
    let wire = WireBytes([
      .properties([
        ("Skipped", .strings(["a", "b"])), ("Wanted", .uint16(7)),
        ("Last", .structure([.byte(1), .int64(2)])),
      ]), .byte(0x5a),
    ])
    wire.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      var seen: [String] = []
      var wanted: UInt16 = 0
      reader.forEachProperty { key, signature, reader in
        seen.append("\(key.string) \(signature.string)")
        if key == "Wanted" { wanted = reader.uint16() }
      }
      #expect(seen == ["Skipped as", "Wanted q", "Last (yx)"])
      #expect(wanted == 7)
      #expect(reader.byte() == 0x5a)
    }
  }

  @Test("An element that reads nothing, or more than the array holds, makes the reader malformed")
  func greedyElements() {
    let wire = WireBytes([.array(of: "q", [.uint16(1), .uint16(2)]), .uint64(3)])
    wire.bytes.withUnsafeBytes { bytes in
      var lazy = WireReader(bytes)
      var calls = 0
      lazy.forEachElement(startingWith: TypeCode.uint16) { _ in calls += 1 }
      #expect(calls == 1)
      #expect(lazy.isMalformed)
      var greedy = WireReader(bytes)
      greedy.forEachElement(startingWith: TypeCode.uint16) { _ = $0.uint64() }
      #expect(greedy.isMalformed)
    }
  }

  @Test("Text is compared with literals by its bytes, whole")
  func texts() {
    let wire = WireBytes([.string("RSSI"), .string("")])
    wire.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      let text = reader.text()
      #expect(text == "RSSI")
      #expect(!(text == "RSS"))
      #expect(!(text == "RSSIs"))
      #expect(!(text == "rSSI"))
      #expect(reader.text() == "")
    }
  }

  @Test("A reader of nothing is at its end and gives nothing")
  func nothing() {
    var reader = WireReader(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(reader.isAtEnd)
    #expect(!reader.isMalformed)
    #expect(reader.uint32() == 0)
    #expect(reader.isMalformed)
    #expect(reader.text().string == "")
    #expect(reader.bytes().isEmpty)
  }
}
