// SPDX-License-Identifier: MIT
internal import JSON

/// A checksum that stands behind the bytes it is computed over, as devices want it at the end of a command.
package struct TrailingChecksum: Sendable, Hashable {
  package enum Kind: String, Sendable, CaseIterable {
    /// All bytes combined by exclusive or.
    case xor8
    /// The sum of all bytes, modulo 256.
    case sum8
    /// Polynomial 0x07, initial value 0: CRC-8/SMBUS.
    case crc8
    /// Polynomial 0x8005, reflected, initial value 0xffff: CRC-16/MODBUS.
    case crc16Modbus = "crc16-modbus"
    /// Polynomial 0x1021, initial value 0xffff: CRC-16/IBM-3740, often called CCITT.
    case crc16CCITT = "crc16-ccitt"
    /// The CRC-32 of zlib, Ethernet and ZIP files.
    case crc32

    /// The size in bytes.
    package var size: Int {
      switch self {
      case .xor8, .sum8, .crc8: 1
      case .crc16Modbus, .crc16CCITT: 2
      case .crc32: 4
      }
    }
  }

  package let kind: Kind
  package let isBigEndian: Bool

  init(_ kind: Kind, isBigEndian: Bool = false) { (self.kind, self.isBigEndian) = (kind, isBigEndian) }

  /// All checksums; those of one byte have no order of bytes.
  package static let all: [TrailingChecksum] = Kind.allCases.flatMap { kind in
    [TrailingChecksum(kind)] + (kind.size > 1 ? [TrailingChecksum(kind, isBigEndian: true)] : [])
  }

  private static let byWord = [String: TrailingChecksum](uniqueKeysWithValues: all.map { ($0.word, $0) })

  /// Returns nil for another word.
  package init?(word: some StringProtocol) {
    guard let checksum = Self.byWord[String(word)] else { return nil }
    self = checksum
  }

  /// The word on the command line: `xor8`, or `crc16-modbusbe` for big-endian.
  package var word: String { kind.rawValue + (isBigEndian ? "be" : "") }

  /// Returns a suggestion for the word of a checksum that does not exist, such as `crc16`, or that follows digits without a
  /// blank; nil if it looks like none.
  package static func advice(for text: String) -> String? {
    let text = text.lowercased()
    if let word = byWord.keys.first(where: { text.hasSuffix($0) }) {
      let digits = text.dropLast(word.count)
      if !digits.isEmpty, (try? HexValue.bytes(digits)) != nil { return "put a blank before \(word)" }
    }
    guard ["crc", "xor", "sum"].contains(where: { text.hasPrefix($0) }),
      text.dropFirst(3).first?.isNumber ?? true
    else { return nil }
    let words = Kind.allCases.map(\.rawValue)
    return Spelling.question(words.filter { $0.hasPrefix(text) })
      ?? "the checksums are \(words.joined(separator: " "))"
  }

  /// Returns the checksum of the bytes that stand before it.
  ///
  /// - Throws: ``FormatError`` if there are none.
  package func bytes(behind bytes: [UInt8]) throws(FormatError) -> [UInt8] {
    if bytes.isEmpty { throw FormatError(word, "is a checksum of the bytes before it, and there are none") }
    return self.bytes(of: bytes)
  }

  /// Returns the checksum of some bytes, in the order in which it is sent.
  package func bytes(of bytes: some Sequence<UInt8>) -> [UInt8] {
    let number: UInt32 =
      switch kind {
      case .xor8: UInt32(bytes.reduce(0, ^))
      case .sum8: UInt32(bytes.reduce(0, &+))
      case .crc8: CyclicChecksum.crc8.of(bytes)
      case .crc16Modbus: CyclicChecksum.modbus.of(bytes)
      case .crc16CCITT: CyclicChecksum.ccitt.of(bytes)
      case .crc32: CyclicChecksum.crc32.of(bytes)
      }
    let bigEndian = number.bigEndianBytes.suffix(kind.size)
    return isBigEndian ? Array(bigEndian) : bigEndian.reversed()
  }

  /// Reads hexadecimal digits, and at their end perhaps the word of a checksum over them: `33 01 01 xor8`.
  ///
  /// - Throws: if the digits are not such, or a checksum has no bytes before it.
  package static func typed(_ text: String) throws(FormatError) -> [UInt8] {
    guard let blank = text.lastIndex(of: " "), let checksum = Self(word: text[text.index(after: blank)...])
    else { return try HexValue.bytes(text) }
    let bytes = try HexValue.bytes(text[..<blank])
    return try bytes + checksum.bytes(behind: bytes)
  }
}

/// A cyclic redundancy check of up to 32 bits.
struct CyclicChecksum: Sendable {
  private let width: Int
  private let initial: UInt32
  private let isReflected: Bool
  /// The number with which the result is combined at the end, by exclusive or.
  private let final: UInt32
  /// The change that each byte makes.
  private let table: [UInt32]

  static let crc8 = CyclicChecksum(width: 8, 0x07, initial: 0)
  static let modbus = CyclicChecksum(width: 16, 0xa001, initial: 0xffff, isReflected: true)
  static let ccitt = CyclicChecksum(width: 16, 0x1021, initial: 0xffff)
  /// The CRC-32 of zlib, Ethernet and ZIP files.
  static let crc32 = CyclicChecksum(
    width: 32, 0xedb8_8320, initial: .max, isReflected: true, final: .max)

  /// `polynomial` has its bits in the order of the calculation: the least significant bit first if it is reflected.
  private init(
    width: Int, _ polynomial: UInt32, initial: UInt32, isReflected: Bool = false, final: UInt32 = 0
  ) {
    (self.width, self.initial, self.isReflected, self.final) = (width, initial, isReflected, final)
    let top = UInt32(1) << UInt32(width - 1)
    table = (0..<256).map { byte in
      isReflected
        ? (0..<8).reduce(UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? polynomial : 0) }
        : (0..<8).reduce(UInt32(byte) << UInt32(width - 8)) { rest, _ in
          rest << 1 ^ (rest & top != 0 ? polynomial : 0)
        }
    }
  }

  func of(_ bytes: some Sequence<UInt8>) -> UInt32 { result(of: advance(initial, over: bytes)) }

  /// Returns the state behind some bytes, from the one before them.
  func advance(_ state: UInt32, over bytes: some Sequence<UInt8>) -> UInt32 {
    isReflected
      ? bytes.reduce(state) { rest, byte in rest >> 8 ^ table[Int(UInt8(truncatingIfNeeded: rest) ^ byte)] }
      : bytes.reduce(state) { rest, byte in
        rest << 8 ^ table[Int(UInt8(truncatingIfNeeded: rest >> UInt32(width - 8)) ^ byte)]
      }
  }

  /// The checksum of the bytes that led to a state.
  private func result(of state: UInt32) -> UInt32 { (state ^ final) & UInt32.max >> UInt32(32 - width) }
}
