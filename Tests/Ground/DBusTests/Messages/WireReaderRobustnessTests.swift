// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import DBus

@Suite("WireReader with wrong bytes")
struct WireReaderRobustnessTests {
  /// Everything that walks a body generically.
  private func walk(_ bytes: UnsafeRawBufferPointer, _ signature: String, isBigEndian: Bool) -> [DBusValue]? {
    _ = canSkip(bytes, signature, isBigEndian: isBigEndian)
    var properties = WireReader(bytes, isBigEndian: isBigEndian)
    properties.forEachProperty { _, signature, reader in _ = reader.value(signature) }
    #expect(properties.offset <= bytes.count)
    var reader = WireReader(bytes, isBigEndian: isBigEndian)
    let values = reader.values(signature)
    #expect(reader.offset <= bytes.count)
    if reader.isMalformed { #expect(values == nil) }
    return values
  }

  private func canSkip(_ bytes: UnsafeRawBufferPointer, _ signature: String, isBigEndian: Bool) -> Bool {
    var reader = WireReader(bytes, isBigEndian: isBigEndian)
    var letters = signature
    letters.withUTF8 { reader.skip(WireText(utf8: UnsafeRawBufferPointer($0))) }
    #expect(reader.offset <= bytes.count)
    return !reader.isMalformed
  }

  @Test("A body cut at any length is refused, and no byte behind it is touched", arguments: SampleBodies.all)
  func truncation(values: [DBusValue]) {
    let signature = values.map(\.typeSignature).joined()
    for isBigEndian in [false, true] {
      let bytes = WireBytes(values, isBigEndian: isBigEndian).bytes
      let memory = GuardedBytes(capacity: bytes.count)
      defer { memory.free() }
      for length in 0..<bytes.count {
        let read = memory.with(bytes.prefix(length)) { walk($0, signature, isBigEndian: isBigEndian) }
        #expect(read == nil, "cut to \(length) of \(bytes.count) bytes")
      }
      #expect(memory.with(bytes) { walk($0, signature, isBigEndian: isBigEndian) } == values)
    }
  }

  @Test(
    "Bodies with bytes exchanged by chance are read or refused, within their bounds",
    arguments: SampleBodies.all)
  func mutation(values: [DBusValue]) {
    let signature = values.map(\.typeSignature).joined()
    let original = WireBytes(values).bytes
    let memory = GuardedBytes(capacity: original.count)
    defer { memory.free() }
    var random = SeededGenerator(seed: 5)
    var refused = 0
    for _ in 0..<2000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        bytes[index] =
          [0, 1, 7, 8, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &random)]
          .randomElement(using: &random) ?? 0
      }
      if memory.with(bytes, { walk($0, signature, isBigEndian: false) }) == nil { refused += 1 }
    }
    #expect(refused > 0)
  }

  @Test("Random bytes under random signatures, valid or not, are read or refused, within their bounds")
  func noise() {
    let memory = GuardedBytes(capacity: 256)
    defer { memory.free() }
    var random = SeededGenerator(seed: 6)
    let letters = Array("ybnqiuxtdsoghvaaa(){}(){}z\u{0}")
    var outcomes: Set<Bool> = []
    for round in 0..<20_000 {
      let signature =
        round % 2 == 0
        ? String(
          (0..<Int.random(in: 0...12, using: &random)).map { _ in letters.randomElement(using: &random) ?? "y"
          })
        : ArbitraryType(depth: 4, using: &random).signature
      let isSmall = Bool.random(using: &random)
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in
        isSmall ? UInt8.random(in: 0...8, using: &random) : UInt8.random(in: 0...255, using: &random)
      }
      let values = memory.with(bytes) { walk($0, signature, isBigEndian: round % 3 == 0) }
      outcomes.insert(values == nil)
    }
    #expect(outcomes == [true, false])
  }

  @Test(
    "Lengths that lead outside are refused",
    arguments: [
      (signature: "s", bytes: [0xff, 0xff, 0xff, 0xff, 0x41, 0]),
      ("s", [4, 0, 0, 0, 0x41, 0x41, 0x41, 0x41]),
      ("ay", [0xff, 0xff, 0xff, 0x7f, 1]), ("g", [200, 0x73, 0]), ("as", [4, 0, 0, 0, 0xff, 0, 0, 0]),
      ("au", [3, 0, 0, 0, 1, 2, 3]), ("a{sv}", [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), ("v", [1, 0x73, 0]),
      ("v", [0, 0]), ("v", [1, 0x7a, 0, 1]), ("a(", [4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]),
      ("a", [0, 0, 0, 0]),
      ("(i", [1, 0, 0, 0]), ("}", [1]), ("a()", [4, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1]),
    ] as [(signature: String, bytes: [UInt8])])
  func lies(signature: String, bytes: [UInt8]) {
    let memory = GuardedBytes(capacity: bytes.count)
    defer { memory.free() }
    #expect(memory.with(bytes) { walk($0, signature, isBigEndian: false) } == nil)
  }

  @Test(
    "Containers may nest as deep as D-Bus allows, and no deeper",
    arguments: [(64, true), (65, false), (5000, false)])
  func depth(levels: Int, isAllowed: Bool) {
    // Each level is a variant that holds the next: 1, 'v', 0; the last one holds a byte.
    var bytes: [UInt8] = []
    for _ in 1..<levels { bytes += [1, UInt8(ascii: "v"), 0] }
    bytes += [1, UInt8(ascii: "y"), 0, 42]
    let memory = GuardedBytes(capacity: bytes.count)
    defer { memory.free() }
    let read = memory.with(bytes) { walk($0, "v", isBigEndian: false) }
    #expect((read?.first?.unwrapped == .byte(42)) == isAllowed)
    let isSkipped = memory.with(bytes) { canSkip($0, "v", isBigEndian: false) }
    #expect(isSkipped == isAllowed)
  }

  @Test("The deepest type that a signature can say is read: 32 structures in 32 arrays")
  func deepSignature() {
    var value = DBusValue.byte(42)
    for _ in 0..<32 {
      let structure = DBusValue.structure([value])
      value = .array(of: structure.typeSignature, [structure])
    }
    let wire = WireBytes([value])
    wire.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      #expect(reader.values(value.typeSignature) == [value])
    }
  }
}
