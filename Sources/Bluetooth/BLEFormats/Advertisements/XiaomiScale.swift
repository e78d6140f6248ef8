// SPDX-License-Identifier: MIT

/// A scale of Xiaomi, in service data of 181D (Mi Smart Scale) and 181B (Mi Body Composition Scale): the sources of
/// `xiaomi-ble`, and of `lolouk44/xiaomi_mi_scale`.
public struct XiaomiScale: AdvertisedFormat, Hashable {
  /// A unit of weight.
  public enum Unit: String, Sendable, Hashable {
    /// Kilograms.
    case kg
    /// Pounds.
    case lb
    /// Chinese pounds (catties), each half a kilogram.
    case jin
  }

  /// The weight in the unit that the scale displays.
  public let weight: DecimalNumber
  /// The unit.
  public let unit: Unit
  /// True if the weight no longer changes.
  public let isStable: Bool
  /// True if the person has left the scale.
  public let isRemoved: Bool
  /// The impedance of the body in ohms; nil if it was not measured.
  public let impedance: Int?
  /// The time of the measurement by the clock of the scale; nil if it is not a date.
  public let time: CivilTime?

  /// Decodes the bytes after the UUID, 10 or 13; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    let flags: Int
    var raw: Int?
    var ohms: Int?
    switch data.count {
    case 10:
      guard let control = reader.unsigned(1) else { return nil }
      flags = control
      raw = reader.unsigned(2)
      unit = flags & 0x01 != 0 ? .lb : flags & 0x10 != 0 ? .jin : .kg
      time = Self.time(&reader)
    case 13:
      guard let first = reader.unsigned(1), let second = reader.unsigned(1) else { return nil }
      flags = second
      unit = first & 0x01 != 0 ? .lb : flags & 0x40 != 0 ? .jin : .kg
      time = Self.time(&reader)
      ohms = reader.unsigned(2)
      raw = reader.unsigned(2)
    default: return nil
    }
    guard let raw else { return nil }
    weight = unit == .kg ? DecimalNumber(mantissa: raw * 5, exponent: -3) : DecimalNumber(hundredths: raw)
    isStable = flags & 0x20 != 0
    isRemoved = flags & 0x80 != 0
    impedance = data.count == 13 && flags & 0x02 != 0 ? ohms : nil
  }

  private static func time(_ reader: inout ByteReader) -> CivilTime? {
    guard let year = reader.unsigned(2), let rest = reader.bytes(5)?.map({ Int($0) }) else { return nil }
    guard year > 0, (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24, rest[3] < 60,
      rest[4] < 60
    else { return nil }
    return CivilTime(
      year: year, month: rest[0], day: rest[1], hour: rest[2], minute: rest[3], second: rest[4])
  }

  /// The name of the format for programs.
  public var type: String { "xiaomi-scale" }
  /// The name of the format for people.
  public var label: String { "Xiaomi scale" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("weight_\(unit.rawValue)", .decimal(weight), unit: unit.rawValue)
    fields.addKnown("impedance_ohm", impedance, label: "impedance", unit: "Ω")
    fields.addKnown("stable", isStable)
    fields.addKnown("removed", isRemoved)
    if let time {
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      let date = "\(time.year)-\(two(time.month))-\(two(time.day))"
      fields.add("time", .text("\(date)T\(two(time.hour)):\(two(time.minute)):\(two(time.second))"))
    }
    return fields
  }
}
