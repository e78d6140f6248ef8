// SPDX-License-Identifier: MIT

/// The bytes of an Intel hex file: lines of hexadecimal digits, each with an address and a checksum.
struct IntelHex: Sendable, Equatable {
  /// The address of the first byte.
  let start: Int
  /// The bytes from there on; those that the file does not have are ff, as in erased flash.
  let bytes: [UInt8]

  /// The most bytes from the first to the last.
  private static let most = 16 << 20

  /// Returns whether bytes begin like such a file.
  static func isLikely(_ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first(where: { !isSpace($0) }) else { return false }
    return first == UInt8(ascii: ":")
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  /// Reads the lines up to the one that ends the file.
  init(parsing text: [UInt8]) throws(FirmwareError) {
    var (base, number, isAtEnd) = (0, 0, false)
    var parts: [(address: Int, bytes: ArraySlice<UInt8>)] = []
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let digits = Array(line.drop(while: Self.isSpace).reversed().drop(while: Self.isSpace).reversed())
      if digits.isEmpty { continue }
      if isAtEnd { throw FirmwareError("line \(number) follows the one that ends the file") }
      let record = try Self.record(digits, line: number)
      let data = record[4..<(record.count - 1)]
      let address = Int(record[1]) << 8 | Int(record[2])
      switch (record[3], data.count) {
      case (0, _): if !data.isEmpty { parts.append((base + address, data)) }
      case (1, _): isAtEnd = true
      case (2, 2): base = data.reduce(0) { $0 << 8 | Int($1) } << 4
      case (4, 2): base = data.reduce(0) { $0 << 8 | Int($1) } << 16
      case (3, _), (5, _): break  // where the program begins
      default: throw FirmwareError("line \(number) has the unknown type \(record[3]), or a wrong length")
      }
    }
    if !isAtEnd { throw FirmwareError("the file is cut off: the line that ends it is missing") }
    (start, bytes) = try Self.joined(parts)
  }

  /// Reads the bytes of a line, from the length to the checksum.
  private static func record(_ line: [UInt8], line number: Int) throws(FirmwareError) -> [UInt8] {
    guard line[0] == UInt8(ascii: ":") else {
      throw FirmwareError("line \(number) does not begin with a colon")
    }
    guard let record = line[1...].withUnsafeBufferPointer({ Hex.bytes(utf8: $0) }) else {
      throw FirmwareError("line \(number) has something else than pairs of hexadecimal digits")
    }
    guard record.count >= 5, record.count == Int(record[0]) + 5 else {
      throw FirmwareError("line \(number) has another length than it says")
    }
    guard record.reduce(0, &+) == 0 else { throw FirmwareError("line \(number) has a wrong checksum") }
    return record
  }

  private static func joined(
    _ parts: [(address: Int, bytes: ArraySlice<UInt8>)]
  ) throws(FirmwareError) -> (Int, [UInt8]) {
    let sorted = parts.sorted { $0.address < $1.address }
    guard let start = sorted.first?.address else { throw FirmwareError("the file has no bytes") }
    var bytes: [UInt8] = []
    for part in sorted {
      let gap = part.address - start - bytes.count
      guard gap >= 0 else { throw FirmwareError("two lines are for the address \(address(part.address))") }
      guard bytes.count + gap + part.bytes.count <= most else {
        throw FirmwareError(
          "the file has bytes at \(address(start)) and at \(address(part.address)): it has more than one program"
        )
      }
      bytes.append(contentsOf: repeatElement(0xff, count: gap))
      bytes += part.bytes
    }
    return (start, bytes)
  }

  private static func address(_ number: Int) -> String { "0x" + String(number, radix: 16) }
}
