// SPDX-License-Identifier: MIT

/// A field that takes whole bytes.
struct LayoutField: Sendable {
  /// What kind of value it is.
  enum Kind: Sendable {
    /// An integer, scaled.
    case number(NumberShape)
    /// As many of them as there are bytes.
    case numbers(NumberShape)
    /// An IEEE 11073 number, whose exponent is shifted by so much to reach the unit of the key.
    case medical(MedicalFloat, shift: Int)
    /// An IEEE 754 number of four bytes.
    case real
    /// A state out of a list.
    case choice(Choice, ByteWidth)
    /// States out of a list, as many as there are bytes.
    case choices(Choice, ByteWidth)
    /// Year, month, day, hours, minutes, seconds: seven bytes.
    case dateTime
    /// Year, month, day: four bytes.
    case date
    /// Days since 1 January 1970: three bytes.
    case dayCount
    /// `1.1^(N-64)` seconds: one byte.
    case exponentialTime
    /// UTF-8 up to the end, or in so many bytes, filled up with zeros.
    case text(Int?)
    /// Bytes without further meaning, up to the end or so many, in the order in which they stand.
    case bytes(Int?)
    /// A number that people know in hexadecimal digits, such as an identifier: so many bytes, least first.
    case hexNumber(Int)
    /// A UUID up to the end: 2 or 16 bytes, least first.
    case uuid
    /// What the device looks like: two bytes.
    case appearance
    /// Bytes that say nothing, and what is written for them.
    case unused([UInt8])
    /// UUIDs of two bytes up to the end.
    case shortUUIDs
  }

  /// The key in JSON and in what is typed.
  var key: String
  /// What stands before it in text.
  var label: String
  /// The symbol of its unit.
  var unit: String
  /// What it is.
  var kind: Kind
  /// What of the clock it shows, for `now`.
  var clock: ClockRole?
  /// Whether the text shows milliseconds as seconds.
  var isShownInSeconds = false
}

/// What of a clock a field shows.
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

/// How many bytes an integer takes, and whether it has a sign; least byte first.
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

  /// The numbers that fit.
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

  /// The bytes of a number that fits.
  func encode(_ number: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
