// SPDX-License-Identifier: MIT

/// A field of whole bytes.
struct LayoutField: Sendable {
  /// The type of the value.
  enum Kind: Sendable {
    /// An integer, scaled.
    case number(NumberShape)
    /// Scaled integers up to the end of the bytes.
    case numbers(NumberShape)
    /// An IEEE 11073 number; the shift of the exponent converts it to the unit of the key.
    case medical(MedicalFloat, shift: Int)
    /// An IEEE 754 number of four bytes.
    case real
    /// A state from a list.
    case choice(Choice, ByteWidth)
    /// States from a list, up to the end of the bytes.
    case choices(Choice, ByteWidth)
    /// Year, month, day, hours, minutes, seconds: seven bytes.
    case dateTime
    /// Year, month, day: four bytes.
    case date
    /// Days since 1 January 1970: three bytes.
    case dayCount
    /// `1.1^(N-64)` seconds: one byte.
    case exponentialTime
    /// UTF-8 up to the end, or in a fixed number of bytes, padded with zeros.
    case text(Int?)
    /// Bytes without further meaning, in their order, up to the end or a fixed number.
    case bytes(Int?)
    /// A number that is usually written in hexadecimal, such as an identifier; little-endian.
    case hexNumber(Int)
    /// A UUID up to the end: 2 or 16 bytes, little-endian.
    case uuid
    /// The appearance of the device: two bytes.
    case appearance
    /// Bytes without a meaning, and the bytes to write for them.
    case unused([UInt8])
    /// UUIDs of two bytes up to the end.
    case shortUUIDs
  }

  /// The key in JSON and on the command line.
  var key: String
  /// The label before the value in text.
  var label: String
  /// The symbol of its unit.
  var unit: String
  /// What it is.
  var kind: Kind
  /// The part of the clock that it contains, for `now`.
  var clock: ClockRole?
  /// Whether the text shows milliseconds as seconds.
  var isShownInSeconds = false
}

/// The part of a clock that a field contains.
enum ClockRole: Sendable, Hashable {
  /// Date and time of day, local.
  case dateTime
  /// The day of the week: 1 is Monday.
  case weekday
  /// 256ths of a second.
  case fractions
  /// The offset of the zone from UTC, in quarters of an hour.
  case zone
  /// The offset of daylight saving time, in quarters of an hour.
  case daylightSaving
}

/// The size of an integer in bytes, and whether it is signed; little-endian.
struct ByteWidth: Sendable, Hashable {
  let size: Int
  let isSigned: Bool

  static let u8 = ByteWidth(size: 1, isSigned: false)
  static let i8 = ByteWidth(size: 1, isSigned: true)
  static let u16 = ByteWidth(size: 2, isSigned: false)
  static let i16 = ByteWidth(size: 2, isSigned: true)
  static let u24 = ByteWidth(size: 3, isSigned: false)
  static let i24 = ByteWidth(size: 3, isSigned: true)
  static let u32 = ByteWidth(size: 4, isSigned: false)
  static let i32 = ByteWidth(size: 4, isSigned: true)
  static let u48 = ByteWidth(size: 6, isSigned: false)

  /// The range of the integer.
  var range: ClosedRange<Int> {
    let bits = 8 * size
    return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
  }

  /// The number in the first bytes.
  func decode(_ bytes: ArraySlice<UInt8>) -> Int {
    let pattern = bytes.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
    let spare = Int.bitWidth - 8 * size
    return isSigned ? (pattern << spare) >> spare : pattern
  }

  /// The bytes of a number within the range.
  func encode(_ number: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
