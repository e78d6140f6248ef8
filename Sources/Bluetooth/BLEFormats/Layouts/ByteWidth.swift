// SPDX-License-Identifier: MIT

/// The size of an integer in bytes, whether it is signed, and the order of its bytes.
struct ByteWidth: Sendable, Hashable {
  /// 1 to 8.
  let size: Int
  let isSigned: Bool
  let isBigEndian: Bool

  init(size: Int, isSigned: Bool, isBigEndian: Bool = false) {
    (self.size, self.isSigned, self.isBigEndian) = (size, isSigned, isBigEndian)
  }

  init(_ format: IntegerFormat) {
    self.init(size: format.size, isSigned: format.isSigned, isBigEndian: format.isBigEndian)
  }

  static func unsigned(_ size: Int) -> ByteWidth { ByteWidth(size: size, isSigned: false) }

  static let u8 = ByteWidth(size: 1, isSigned: false)
  static let i8 = ByteWidth(size: 1, isSigned: true)
  static let u16 = ByteWidth(size: 2, isSigned: false)
  static let i16 = ByteWidth(size: 2, isSigned: true)
  static let u24 = ByteWidth(size: 3, isSigned: false)
  static let i24 = ByteWidth(size: 3, isSigned: true)
  static let u32 = ByteWidth(size: 4, isSigned: false)
  static let i32 = ByteWidth(size: 4, isSigned: true)
  static let u48 = ByteWidth(size: 6, isSigned: false)
  static let u64 = ByteWidth(size: 8, isSigned: false)

  /// The numbers that it can represent, as far as `Int` can.
  var range: ClosedRange<Int> { Int(clamping: wholeRange.lowerBound)...Int(clamping: wholeRange.upperBound) }

  var wholeRange: ClosedRange<Int128> {
    let bits = Int128(8 * size)
    return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
  }

  /// Returns the number; one of eight unsigned bytes may exceed `Int`, and has its bit pattern then.
  func decode(_ bytes: ArraySlice<UInt8>) -> Int {
    let bytes = bytes.prefix(size)
    let pattern =
      isBigEndian
      ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    let spare = Int.bitWidth - 8 * size
    return isSigned ? (pattern << spare) >> spare : pattern
  }

  /// Returns the number behind the bit pattern that ``decode(_:)`` returns.
  func number(_ pattern: Int) -> Int128 {
    isSigned || size < 8 ? Int128(pattern) : Int128(UInt(bitPattern: pattern))
  }

  /// Encodes a number within the range.
  func encode(_ number: some FixedWidthInteger) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    return isBigEndian ? bytes.reversed() : bytes
  }
}
