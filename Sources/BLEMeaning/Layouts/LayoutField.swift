// SPDX-License-Identifier: MIT

/// A field of whole bytes.
struct LayoutField: Sendable {
  enum Kind: Sendable {
    case number(NumberShape)
    /// Scaled integers up to the end of the bytes.
    case numbers(NumberShape)
    /// An IEEE 11073 number; the shift of the exponent converts it to the unit of the key.
    case medical(MedicalFloat, shift: Int)
    /// An IEEE 754 number of four bytes.
    case real
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
  var unit: String
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

  var range: ClosedRange<Int> {
    let bits = 8 * size
    return isSigned ? -(1 << (bits - 1))...(1 << (bits - 1)) - 1 : 0...(1 << bits) - 1
  }

  func decode(_ bytes: ArraySlice<UInt8>) -> Int {
    let pattern = bytes.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
    let spare = Int.bitWidth - 8 * size
    return isSigned ? (pattern << spare) >> spare : pattern
  }

  /// Encodes a number within the range.
  func encode(_ number: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

extension LayoutPart {
  private static func field(_ field: LayoutField) -> LayoutPart { LayoutPart(content: .field(field)) }

  /// A scaled integer: `raw * times * 10^ten * 2^two`.
  static func number(
    _ key: String, _ label: String, _ width: ByteWidth, times: Int = 1, ten: Int = 0, two: Int = 0,
    unit: String = "", _ specials: NumberShape.Special..., in allowed: ClosedRange<Int>? = nil,
    clock: ClockRole? = nil
  ) -> LayoutPart {
    let shape = NumberShape(
      width: width, multiplier: times, decimal: ten, binary: two, specials: specials, allowed: allowed)
    return field(LayoutField(key: key, label: label, unit: unit, kind: .number(shape), clock: clock))
  }

  static func number(
    _ key: String, _ width: ByteWidth, times: Int = 1, ten: Int = 0, two: Int = 0, unit: String = "",
    _ specials: NumberShape.Special..., in allowed: ClosedRange<Int>? = nil
  ) -> LayoutPart {
    let shape = NumberShape(
      width: width, multiplier: times, decimal: ten, binary: two, specials: specials, allowed: allowed)
    return field(LayoutField(key: key, label: "", unit: unit, kind: .number(shape)))
  }

  /// Scaled integers up to the end of the bytes.
  static func numbers(
    _ key: String, _ label: String, _ width: ByteWidth, times: Int = 1, ten: Int = 0, two: Int = 0,
    unit: String = "", isShownInSeconds: Bool = false
  ) -> LayoutPart {
    let shape = NumberShape(width: width, multiplier: times, decimal: ten, binary: two)
    return field(
      LayoutField(
        key: key, label: label, unit: unit, kind: .numbers(shape), isShownInSeconds: isShownInSeconds))
  }

  /// An IEEE 11073 SFLOAT; the unit of the key is `10^-shift`.
  static func sfloat(_ key: String, _ label: String = "", unit: String, shift: Int = 0) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: unit, kind: .medical(.sfloat, shift: shift)))
  }

  static func float(_ key: String, _ label: String = "", unit: String) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: unit, kind: .medical(.float, shift: 0)))
  }

  static func choice(
    _ key: String, _ label: String, _ choice: Choice, clock: ClockRole? = nil
  ) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: "", kind: .choice(choice, .u8), clock: clock))
  }

  static func choice(_ key: String, _ choice: Choice, clock: ClockRole? = nil) -> LayoutPart {
    self.choice(key, "", choice, clock: clock)
  }

  static func plain(_ key: String, _ label: String, _ kind: LayoutField.Kind) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: "", kind: kind))
  }

  static func plain(_ key: String, _ kind: LayoutField.Kind) -> LayoutPart { plain(key, "", kind) }

  static func dateTime(_ key: String, _ label: String = "") -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: "", kind: .dateTime, clock: .dateTime))
  }

  static func word(_ size: Int, _ fields: BitField...) -> LayoutPart {
    LayoutPart(content: .word(BitWord(size: size, isFlags: false, fields: fields)))
  }

  /// Returns flags of `size` bytes: the bits of `presence` control other parts, the other bits are `fields`.
  static func flags(_ size: Int, presence: [ClosedRange<Int>], _ fields: BitField...) -> LayoutPart {
    let mask = presence.reduce(0) { $0 | ((1 << $1.count) - 1) << $1.lowerBound }
    return LayoutPart(
      content: .word(BitWord(size: size, isFlags: true, fields: fields, presenceMask: mask)))
  }

  /// The names of the bits that are set, in a separate word.
  static func set(_ key: String, _ label: String = "", size: Int, _ names: [String?]) -> LayoutPart {
    word(size, .set(key, label, names))
  }
}

extension NumberShape.Special {
  static func unknown(_ raw: Int) -> Self { Self(raw: raw, word: "unknown") }

  static func invalid(_ raw: Int) -> Self { Self(raw: raw, word: "invalid") }

  static func word(_ raw: Int, _ word: String) -> Self { Self(raw: raw, word: word) }
}
