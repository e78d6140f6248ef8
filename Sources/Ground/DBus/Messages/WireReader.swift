// SPDX-License-Identifier: MIT

/// A cursor over the marshalled body of a message.
///
/// The bytes come straight from the socket, and nothing has validated them: libdbus reads no message after
/// Hello. The reader therefore fails closed. A length that leads outside the body makes it ``isMalformed``,
/// and every later read returns nothing, so that loops end and no byte outside the body is touched. The
/// fuzzers `Wire`, `Values` and `Bus` verify this.
///
/// The iterator of libdbus takes five times as long for a large body.
package struct WireReader {
  private let base: UnsafeRawPointer
  private let end: Int
  private let isSwapped: Bool
  package private(set) var offset = 0
  package private(set) var isMalformed = false

  /// The body must be valid for as long as the reader is used.
  package init(_ body: UnsafeRawBufferPointer, isBigEndian: Bool = false) {
    base = body.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped
    end = body.baseAddress == nil ? 0 : body.count
    isSwapped = isBigEndian != (1.bigEndian == 1)
  }

  package var isAtEnd: Bool { offset >= end }

  private mutating func fail() {
    isMalformed = true
    offset = end
  }

  private mutating func take(_ count: Int) -> UnsafeRawPointer? {
    guard count >= 0, count <= end - offset else {
      fail()
      return nil
    }
    defer { offset += count }
    return base + offset
  }

  package mutating func align(_ alignment: Int) {
    let aligned = (offset + alignment - 1) & ~(alignment - 1)
    if aligned <= end { offset = aligned } else { fail() }
  }

  /// Moves to an offset; malformed if it is outside the body.
  package mutating func jump(to place: Int) {
    if place >= 0, place <= end { offset = place } else { fail() }
  }

  // MARK: Fixed-size values; zero when malformed

  private mutating func integer<Integer: FixedWidthInteger & BitwiseCopyable>(_: Integer.Type) -> Integer {
    align(MemoryLayout<Integer>.size)
    guard let pointer = take(MemoryLayout<Integer>.size) else { return 0 }
    let raw = pointer.loadUnaligned(as: Integer.self)
    return isSwapped ? raw.byteSwapped : raw
  }

  package mutating func byte() -> UInt8 { integer(UInt8.self) }
  package mutating func boolean() -> Bool { integer(UInt32.self) != 0 }
  package mutating func int16() -> Int16 { integer(Int16.self) }
  package mutating func uint16() -> UInt16 { integer(UInt16.self) }
  package mutating func int32() -> Int32 { integer(Int32.self) }
  package mutating func uint32() -> UInt32 { integer(UInt32.self) }
  package mutating func int64() -> Int64 { integer(Int64.self) }
  package mutating func uint64() -> UInt64 { integer(UInt64.self) }
  package mutating func double() -> Double { Double(bitPattern: integer(UInt64.self)) }

  // MARK: Text and bytes

  /// Reads a string or an object path.
  package mutating func text() -> WireText {
    let count = Int(uint32())
    guard let pointer = take(count) else {
      return WireText(utf8: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    _ = take(1)
    return WireText(utf8: UnsafeRawBufferPointer(start: pointer, count: count))
  }

  /// Reads a signature, such as that before the value of a variant.
  package mutating func signature() -> WireText {
    let count = Int(byte())
    guard let pointer = take(count) else {
      return WireText(utf8: UnsafeRawBufferPointer(start: nil, count: 0))
    }
    _ = take(1)
    return WireText(utf8: UnsafeRawBufferPointer(start: pointer, count: count))
  }

  /// Reads the bytes of an `ay` without copying them; valid only while the reader is.
  package mutating func rawBytes() -> UnsafeRawBufferPointer {
    let count = Int(uint32())
    return UnsafeRawBufferPointer(start: take(count), count: isMalformed ? 0 : count)
  }

  /// Reads the bytes of an `ay`.
  package mutating func bytes() -> [UInt8] { Array(rawBytes()) }

  // MARK: Containers

  /// Calls `body` for each element of an array, of which it must read exactly one; `code` is the first type
  /// code.
  package mutating func forEachElement(startingWith code: UInt8, _ body: (inout WireReader) -> Void) {
    let count = Int(uint32())
    align(TypeCode.alignment(of: code))
    guard count <= end - offset else { return fail() }
    let stop = offset + count
    while offset < stop, !isMalformed {
      let before = offset
      if code == TypeCode.structBegin || code == TypeCode.entryBegin { align(8) }
      body(&self)
      guard offset > before, offset <= stop else { return fail() }
    }
  }

  /// Calls `body` for each entry of an `a{sv}` with its key and the signature of its value.
  ///
  /// `body` reads the value completely or not at all; an unread value is skipped.
  package mutating func forEachProperty(
    _ body: (_ key: WireText, _ signature: WireText, inout WireReader) -> Void
  ) {
    forEachElement(startingWith: TypeCode.entryBegin) { reader in
      let key = reader.text()
      let signature = reader.signature()
      let before = reader.offset
      body(key, signature, &reader)
      if reader.offset == before { reader.skip(signature) }
    }
  }

  /// Steps over one or more complete values.
  package mutating func skip(_ signature: WireText) {
    var index = 0
    while index < signature.utf8.count, !isMalformed { skip(signature.utf8, &index, depth: 0) }
  }

  private mutating func skip(_ signature: UnsafeRawBufferPointer, _ index: inout Int, depth: Int) {
    guard index < signature.count, depth <= SignatureScanner.maximumDepth else { return fail() }
    let code = signature[index]
    index += 1
    switch code {
    case TypeCode.byte: _ = take(1)
    case TypeCode.int16, TypeCode.uint16: _ = uint16()
    case TypeCode.boolean, TypeCode.int32, TypeCode.uint32, TypeCode.descriptor: _ = uint32()
    case TypeCode.int64, TypeCode.uint64, TypeCode.double: _ = uint64()
    case TypeCode.string, TypeCode.objectPath: _ = text()
    case TypeCode.signature: _ = self.signature()
    case TypeCode.variant:
      let inner = self.signature()
      var innerIndex = 0
      skip(inner.utf8, &innerIndex, depth: depth + 1)
    case TypeCode.array:
      guard index < signature.count else { return fail() }
      let count = Int(uint32())
      align(TypeCode.alignment(of: signature[index]))
      _ = take(count)
      if !SignatureScanner.skipOne(signature, &index) { fail() }
    case TypeCode.structBegin, TypeCode.entryBegin:
      align(8)
      let close = code == TypeCode.structBegin ? TypeCode.structEnd : TypeCode.entryEnd
      while index < signature.count, signature[index] != close, !isMalformed {
        skip(signature, &index, depth: depth + 1)
      }
      index += 1
    default: fail()
    }
  }
}
