// SPDX-License-Identifier: MIT

/// A field of whole bytes.
struct LayoutField: Sendable {
  enum Kind: Sendable {
    case number(NumberShape)
    /// Scaled integers.
    case numbers(NumberShape, Extent)
    case real(RealShape)
    case reals(RealShape, Extent)
    case choice(Choice, ByteWidth)
    /// States from a list.
    case choices(Choice, ByteWidth, Extent)
    /// Year, month, day, hours, minutes, seconds: seven bytes.
    case dateTime
    /// Year, month, day: four bytes.
    case date
    /// Days since 1 January 1970: three bytes.
    case dayCount
    /// `1.1^(N-64)` seconds: one byte.
    case exponentialTime
    /// Seconds or milliseconds since 1 January 1970.
    case unixTime(UnixTime)
    /// UTF-8; a fixed number of bytes is padded with zeros.
    case text(Extent)
    /// Bytes without further meaning, in their order.
    case bytes(Extent)
    /// Bytes that are shown in Base64.
    case base64(Extent)
    /// A number that is usually written in hexadecimal, such as an identifier; little-endian.
    case hexNumber(Int)
    /// A UUID up to the end: 2 or 16 bytes, little-endian.
    case uuid
    /// The appearance of the device: two bytes.
    case appearance
    /// Bytes without a meaning, and the bytes to write for them.
    case unused([UInt8])
    /// Bytes without a meaning up to the end; none are written for them.
    case unusedRest
    /// A checksum of all bytes before it, which is checked and written, not shown.
    case checksum(TrailingChecksum)
    /// UUIDs of two bytes up to the end.
    case shortUUIDs
  }

  /// The key in JSON and on the command line.
  var key: String
  /// The key without the unit, if it can also be typed.
  var alias: String?
  /// The label before the value in text.
  var label: String
  var unit: String
  var kind: Kind
  /// The part of the clock that it contains, for `now`.
  var clock: ClockRole?
  /// True if the text shows milliseconds as seconds.
  var isShownInSeconds = false
}

extension LayoutField {
  /// The size and the number of its elements, if it is a list of numbers or states.
  var elements: (size: Int, extent: Extent)? {
    switch kind {
    case .numbers(let shape, let extent): (shape.width.size, extent)
    case .reals(let shape, let extent): (shape.size, extent)
    case .choices(_, let width, let extent): (width.size, extent)
    default: nil
    }
  }
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
  /// The time since 1 January 1970.
  case unixTime
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
        key: key, label: label, unit: unit, kind: .numbers(shape, .rest), isShownInSeconds: isShownInSeconds))
  }

  /// An IEEE 11073 SFLOAT; the unit of the key is `10^-shift`.
  static func sfloat(_ key: String, _ label: String = "", unit: String, shift: Int = 0) -> LayoutPart {
    let shape = RealShape(.medical(.sfloat), scale: LinearScale(decimal: shift))
    return field(LayoutField(key: key, label: label, unit: unit, kind: .real(shape)))
  }

  static func float(_ key: String, _ label: String = "", unit: String) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: unit, kind: .real(RealShape(.medical(.float)))))
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
    LayoutPart(content: .word(BitWord(width: .unsigned(size), fields: fields)))
  }

  /// Returns flags of `size` bytes: the bits of `presence` control other parts, the other bits are `fields`.
  static func flags(_ size: Int, presence: [ClosedRange<Int>], _ fields: BitField...) -> LayoutPart {
    let mask = presence.reduce(0) { $0 | ((1 << $1.count) - 1) << $1.lowerBound }
    return LayoutPart(
      content: .word(
        BitWord(width: .unsigned(size), isFlags: true, isShownLast: true, fields: fields, presenceMask: mask))
    )
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
