// SPDX-License-Identifier: MIT

// The functions that describe layouts.
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

  /// A scaled integer without a label.
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

  /// An IEEE 11073 FLOAT.
  static func float(_ key: String, _ label: String = "", unit: String) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: unit, kind: .medical(.float, shift: 0)))
  }

  /// A state from a list.
  static func choice(
    _ key: String, _ label: String, _ choice: Choice, clock: ClockRole? = nil
  ) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: "", kind: .choice(choice, .u8), clock: clock))
  }

  /// A state from a list, without a label.
  static func choice(_ key: String, _ choice: Choice, clock: ClockRole? = nil) -> LayoutPart {
    self.choice(key, "", choice, clock: clock)
  }

  /// A field of any kind without a unit.
  static func plain(_ key: String, _ label: String, _ kind: LayoutField.Kind) -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: "", kind: kind))
  }

  /// A field of any kind without a unit and without a label.
  static func plain(_ key: String, _ kind: LayoutField.Kind) -> LayoutPart { plain(key, "", kind) }

  /// A date with the time of day.
  static func dateTime(_ key: String, _ label: String = "") -> LayoutPart {
    field(LayoutField(key: key, label: label, unit: "", kind: .dateTime, clock: .dateTime))
  }

  /// A word of bits.
  static func word(_ size: Int, _ fields: BitField...) -> LayoutPart {
    LayoutPart(content: .word(BitWord(size: size, isFlags: false, fields: fields)))
  }

  /// The flags that control which other parts are present.
  ///
  /// - Parameters:
  ///   - size: in bytes.
  ///   - presence: the bits that control other parts.
  ///   - fields: the fields in the other bits.
  /// - Returns: the part.
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
  /// The value is unknown.
  static func unknown(_ raw: Int) -> Self { Self(raw: raw, word: "unknown") }

  /// The value is invalid.
  static func invalid(_ raw: Int) -> Self { Self(raw: raw, word: "invalid") }

  /// A word for a raw value.
  static func word(_ raw: Int, _ word: String) -> Self { Self(raw: raw, word: word) }
}
