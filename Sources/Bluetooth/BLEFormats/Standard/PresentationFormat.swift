// SPDX-License-Identifier: MIT

/// The Characteristic Presentation Format descriptor, 2904, which describes the value of a characteristic without a standard
/// meaning (Core Specification, Vol 3, Part G 3.3.3.5).
public struct PresentationFormat: Sendable, Hashable {
  private let format: UInt8
  private let exponent: Int
  /// The unit, as an assigned number; 0x2700 means no unit.
  public let unit: UInt16

  /// Reads the seven bytes of the descriptor; returns nil if there are fewer.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 7 else { return nil }
    format = bytes[0]
    exponent = ByteWidth.i8.decode(bytes[1...])
    unit = UInt16(truncatingIfNeeded: ByteWidth.u16.decode(bytes[2...]))
  }

  /// Decodes a value to the field `value`, and `unit` if there is one.
  ///
  /// Returns nil if the format is not supported, or if the value is too short.
  public func decode(_ bytes: [UInt8]) -> DecodedFields? {
    guard let value = value(of: bytes) else { return nil }
    let symbol = Self.symbols[unit] ?? (unit == 0x2700 ? nil : AssignedNumbers.name(ofUnit: unit)) ?? ""
    var decoded = DecodedFields()
    decoded.add("value", value, unit: symbol)
    if !symbol.isEmpty {
      decoded.add("unit", .text(symbol))
      // Text already shows the unit after the value.
      decoded.fields[1].isHidden = true
    }
    return decoded
  }

  private func value(of bytes: [UInt8]) -> DecodedValue? {
    switch format {
    case 1: return bytes.first.map { .bool($0 & 1 == 1) }
    case 2, 3: return bytes.first.map { .integer(Int($0) & (format == 2 ? 3 : 15)) }
    case 4...19: return integer(bytes)
    case 20, 21:
      let text = RealFormat(size: format == 20 ? 4 : 8, isBigEndian: false)
      guard bytes.count >= text.size else { return nil }
      let decoded = text.decode(bytes.prefix(text.size))
      return DecimalNumber(decoded).map { .decimal($0) } ?? .text(decoded)
    case 22, 23:
      let medical: MedicalFloat = format == 22 ? .sfloat : .float
      return bytes.count >= medical.size
        ? RealShape(.medical(medical)).value(of: bytes.prefix(medical.size)) : nil
    case 25: return String(validating: bytes, as: UTF8.self).map { .text($0) }
    default: return nil
    }
  }

  /// Returns the integers, scaled by the exponent.
  private func integer(_ bytes: [UInt8]) -> DecodedValue? {
    let isSigned = format >= 12
    // 12 and 20 bits take two and three bytes; 48, 64 and 128 bits take as many as they need.
    let sizes = [1, 2, 2, 3, 4, 6, 8, 16]
    let bits = [8, 12, 16, 24, 32, 48, 64, 128]
    let index = Int(format) - (isSigned ? 12 : 4)
    guard bytes.count >= sizes[index], bits[index] <= 48 else { return nil }
    let pattern = bytes.prefix(sizes[index]).reversed().reduce(0) { $0 << 8 | Int($1) }
    let spare = Int.bitWidth - bits[index]
    let mantissa =
      isSigned ? (pattern << spare) >> spare : Int(UInt(bitPattern: pattern << spare) >> UInt(spare))
    return exponent == 0
      ? .integer(mantissa) : .decimal(DecimalNumber(mantissa: mantissa, exponent: exponent))
  }

  static var formats: Choice {
    Choice(
      .reserved, "boolean", "uint2", "uint4", "uint8", "uint12", "uint16", "uint24", "uint32", "uint48",
      "uint64", "uint128", "sint8", "sint12", "sint16", "sint24", "sint32", "sint48", "sint64", "sint128",
      "float32", "float64", "SFLOAT", "FLOAT", "duint16", "UTF-8", "UTF-16", "struct")
  }

  private static let symbols: [UInt16: String] = [
    0x2701: "m", 0x2702: "kg", 0x2703: "s", 0x2704: "A", 0x2705: "K", 0x2707: "cd", 0x2710: "m²",
    0x2711: "m³",
    0x2712: "m/s", 0x2713: "m/s²", 0x2720: "rad", 0x2722: "Hz", 0x2723: "N", 0x2724: "Pa", 0x2725: "J",
    0x2726: "W", 0x2727: "C", 0x2728: "V", 0x2729: "F", 0x272a: "Ω", 0x272d: "T", 0x272f: "°C", 0x2730: "lm",
    0x2731: "lx", 0x2760: "min", 0x2761: "h", 0x2762: "d", 0x2763: "°", 0x2767: "L", 0x27ac: "°F",
    0x27ad: "%", 0x27af: "bpm", 0x27a6: "km/h",
  ]
}
