// SPDX-License-Identifier: MIT

/// The decompression of ZIP files (RFC 1951).
///
/// It is ours: it takes fewer lines than loading zlib and calling it with limits, needs no library, and is fuzzed.
struct Inflate {
  private var bits: BitReader
  private var output: [UInt8] = []
  private let size: Int

  private init(_ input: ArraySlice<UInt8>, size: Int) { (bits, self.size) = (BitReader(input), size) }

  /// Decompresses bytes that are one stream, to as many bytes as it should have.
  ///
  /// - Throws: if the stream is malformed, cut off, followed by other bytes, or has another size; memory is limited to
  ///   the size.
  static func bytes(_ input: ArraySlice<UInt8>, size: Int) throws(FirmwareError) -> [UInt8] {
    var inflate = Inflate(input, size: size)
    while try inflate.readBlock() {}
    guard inflate.output.count == size else {
      throw FirmwareError("it has \(inflate.output.count) bytes, not the \(size) that the archive says")
    }
    guard inflate.bits.isAtEnd else { throw FirmwareError("bytes follow its compressed ones") }
    return inflate.output
  }

  /// Returns whether another block follows.
  private mutating func readBlock() throws(FirmwareError) -> Bool {
    let isLast = try bits.take(1) == 1
    switch try bits.take(2) {
    case 0: try copyStored()
    case 1: try readCodes(Self.fixedLiterals, Self.fixedDistances)
    case 2:
      let (literals, distances) = try readTables()
      try readCodes(literals, distances)
    default: throw FirmwareError("its compressed bytes are malformed: a block of no kind")
    }
    return !isLast
  }

  private mutating func copyStored() throws(FirmwareError) {
    let stored = try bits.storedBytes()
    try makeRoom(for: stored.count)
    output += stored
  }

  /// Memory never exceeds what the archive says, whatever the stream is.
  private func makeRoom(for count: Int) throws(FirmwareError) {
    if count > size - output.count {
      throw FirmwareError("it has more than the \(size) bytes that the archive says")
    }
  }

  // MARK: Codes

  private mutating func readCodes(_ literals: CodeTable, _ distances: CodeTable) throws(FirmwareError) {
    while true {
      let symbol = try literals.next(&bits)
      if symbol < 256 {
        try makeRoom(for: 1)
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol - 257 < Self.lengths.count else {
        throw FirmwareError("its compressed bytes are malformed: a length")
      }
      let length = Self.lengths[symbol - 257] + (try bits.take(Self.lengthBits[symbol - 257]))
      let place = try distances.next(&bits)
      guard place < Self.distances.count else {
        throw FirmwareError("its compressed bytes are malformed: a distance")
      }
      let distance = Self.distances[place] + (try bits.take(Self.distanceBits[place]))
      guard distance <= output.count else {
        throw FirmwareError("its compressed bytes are malformed: they lead before their start")
      }
      try makeRoom(for: length)
      // Byte by byte: the source may overlap what is written.
      for _ in 0..<length { output.append(output[output.count - distance]) }
    }
  }

  private mutating func readTables() throws(FirmwareError) -> (CodeTable, CodeTable) {
    let (literalCount, distanceCount) = (try bits.take(5) + 257, try bits.take(5) + 1)
    let lengthCount = try bits.take(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else {
      throw FirmwareError("its compressed bytes are malformed: too many codes")
    }
    var lengths = [UInt8](repeating: 0, count: Self.lengthOrder.count)
    for place in Self.lengthOrder.prefix(lengthCount) { lengths[place] = UInt8(try bits.take(3)) }
    let table = try CodeTable(lengths, mayBeIncomplete: false)
    lengths = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try table.next(&bits)
      switch symbol {
      case 0...15: lengths.append(UInt8(symbol))
      case 16:
        guard let last = lengths.last else {
          throw FirmwareError("its compressed bytes are malformed: a repetition")
        }
        lengths += repeatElement(last, count: try bits.take(2) + 3)
      case 17: lengths += repeatElement(0, count: try bits.take(3) + 3)
      default: lengths += repeatElement(0, count: try bits.take(7) + 11)
      }
    }
    guard lengths.count == literalCount + distanceCount, lengths[256] > 0 else {
      throw FirmwareError("its compressed bytes are malformed: a table")
    }
    return (
      try CodeTable(Array(lengths[..<literalCount]), mayBeIncomplete: true),
      try CodeTable(Array(lengths[literalCount...]), mayBeIncomplete: true)
    )
  }

  // MARK: Tables

  /// The order in which the lengths of the codes for lengths are written.
  private static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  private static let lengthBits =
    [Int](repeating: 0, count: 8) + (1...5).flatMap { repeatElement($0, count: 4) } + [0]
  private static let lengths = starts(of: lengthBits.dropLast(), from: 3) + [258]

  private static let distanceBits = [0, 0, 0, 0] + (1...13).flatMap { [$0, $0] }
  private static let distances = starts(of: distanceBits, from: 1)

  /// The first numbers of ranges; a range has as many numbers as its bits distinguish.
  private static func starts(of bits: [Int], from first: Int) -> [Int] {
    var next = first
    return bits.map { width in
      defer { next += 1 << width }
      return next
    }
  }

  private static let fixedLiterals = CodeTable(
    complete: [(144, 8), (112, 9), (24, 7), (8, 8)].flatMap { [UInt8](repeating: $0.1, count: $0.0) })
  private static let fixedDistances = CodeTable(complete: [UInt8](repeating: 5, count: 32))
}

/// Takes bits from bytes, the least significant first.
private struct BitReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int
  /// Bits that are read, but not taken.
  private var held: UInt32 = 0
  private var heldCount = 0

  init(_ bytes: ArraySlice<UInt8>) { (self.bytes, place) = (bytes, bytes.startIndex) }

  /// True if only the rest of a byte is left.
  var isAtEnd: Bool { place == bytes.endIndex && heldCount < 8 }

  /// Looks at up to 16 bits; those behind the end are 0.
  mutating func peek(_ count: Int) -> Int {
    while heldCount < count, place < bytes.endIndex {
      held |= UInt32(bytes[place]) << UInt32(heldCount)
      place += 1
      heldCount += 8
    }
    return Int(held & (1 << UInt32(count) - 1))
  }

  /// Drops bits that were looked at.
  mutating func drop(_ count: Int) throws(FirmwareError) {
    guard count <= heldCount else { throw FirmwareError("its compressed bytes are cut off") }
    held >>= UInt32(count)
    heldCount -= count
  }

  mutating func take(_ count: Int) throws(FirmwareError) -> Int {
    let number = peek(count)
    try drop(count)
    return number
  }

  /// Takes the content of a block without compression, which begins at a whole byte.
  mutating func storedBytes() throws(FirmwareError) -> ArraySlice<UInt8> {
    try drop(heldCount % 8)
    let (length, complement) = (try take(16), try take(16))
    guard length ^ complement == 0xffff else {
      throw FirmwareError("its compressed bytes are malformed: a block")
    }
    // Whole bytes that were read ahead.
    place -= heldCount / 8
    (held, heldCount) = (0, 0)
    guard length <= bytes.endIndex - place else { throw FirmwareError("its compressed bytes are cut off") }
    defer { place += length }
    return bytes[place..<(place + length)]
  }
}

/// The symbols of a Huffman code, by the bits that follow.
private struct CodeTable: Sendable {
  /// For each sequence of `width` bits the symbol and, in the lower four bits, the length of its code; 0 for none.
  private let entries: [UInt16]
  private let width: Int

  /// Creates the table of a code that is known to be correct.
  init(complete lengths: [UInt8]) {
    width = Int(lengths.max() ?? 0)
    entries = Self.entries(lengths, width: width)
  }

  /// Creates the table of a code from the lengths of all codes, up to 15 bits; 0 for a symbol that does not occur.
  ///
  /// - Throws: unless each sequence of bits has one meaning; with `mayBeIncomplete`, a lone code of one bit may leave the
  ///   other bit without meaning, and there may be no code at all.
  init(_ lengths: [UInt8], mayBeIncomplete: Bool) throws(FirmwareError) {
    let width = Int(lengths.max() ?? 0)
    let used = lengths.reduce(0) { $1 == 0 ? $0 : $0 + 1 << (15 - Int($1)) }
    guard used == 1 << 15 || mayBeIncomplete && used < 1 << 15 && width <= 1 else {
      throw FirmwareError("its compressed bytes are malformed: a code")
    }
    self.width = width
    entries = Self.entries(lengths, width: width)
  }

  private static func entries(_ lengths: [UInt8], width: Int) -> [UInt16] {
    var entries = [UInt16](repeating: 0, count: 1 << width)
    var code = 0
    for length in 1...max(width, 1) {
      for symbol in lengths.indices where lengths[symbol] == UInt8(length) {
        // Codes come with their most significant bit first, and so in the lowest bit.
        var reversed = 0
        for bit in 0..<length where code >> bit & 1 == 1 { reversed |= 1 << (length - 1 - bit) }
        for index in stride(from: reversed, to: entries.count, by: 1 << length) {
          entries[index] = UInt16(symbol) << 4 | UInt16(length)
        }
        code += 1
      }
      code <<= 1
    }
    return entries
  }

  /// Takes the next code.
  func next(_ bits: inout BitReader) throws(FirmwareError) -> Int {
    let entry = entries[bits.peek(width)]
    guard entry != 0 else {
      throw FirmwareError("its compressed bytes are malformed: a code without meaning")
    }
    try bits.drop(Int(entry & 15))
    return Int(entry >> 4)
  }
}
