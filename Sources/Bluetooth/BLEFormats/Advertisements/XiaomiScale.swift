// SPDX-License-Identifier: MIT

/// A scale of Xiaomi, in service data of 181D (Mi Smart Scale) and 181B (Mi Body Composition Scale): the sources of
/// `xiaomi-ble`, and of `lolouk44/xiaomi_mi_scale`.
public struct XiaomiScale: AdvertisedFormat, Hashable {
  /// The values, with their units in the keys.
  public let fields: DecodedFields

  /// Decodes the bytes after the UUID, 10 or 13; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    let (flags, unit, time): (Int, String, String?)
    var raw: Int?
    var ohms: Int?
    switch data.count {
    case 10:
      guard let control = reader.unsigned(1) else { return nil }
      flags = control
      raw = reader.unsigned(2)
      unit = flags & 0x01 != 0 ? "lb" : flags & 0x10 != 0 ? "jin" : "kg"
      time = Self.time(&reader)
    case 13:
      guard let first = reader.unsigned(1), let second = reader.unsigned(1) else { return nil }
      flags = second
      unit = first & 0x01 != 0 ? "lb" : flags & 0x40 != 0 ? "jin" : "kg"
      time = Self.time(&reader)
      ohms = reader.unsigned(2)
      if flags & 0x02 == 0 { ohms = nil }
      raw = reader.unsigned(2)
    default: return nil
    }
    guard let raw else { return nil }
    var fields = DecodedFields()
    fields.add(
      "weight_\(unit)",
      .decimal(
        unit == "kg" ? DecimalNumber(mantissa: raw * 5, exponent: -3) : DecimalNumber(hundredths: raw)),
      unit: unit)
    fields.addKnown("impedance_ohm", ohms, label: "impedance", unit: "Ω")
    fields.addKnown("stable", flags & 0x20 != 0)
    // The person has left the scale.
    fields.addKnown("removed", flags & 0x80 != 0)
    if let time { fields.add("time", .text(time)) }
    self.fields = fields
  }

  /// The time of the measurement by the clock of the scale; nil if it is not a date.
  private static func time(_ reader: inout ByteReader) -> String? {
    guard let year = reader.unsigned(2), let rest = reader.bytes(5)?.map({ Int($0) }) else { return nil }
    guard year > 0, (1...12).contains(rest[0]), (1...31).contains(rest[1]), rest[2] < 24, rest[3] < 60,
      rest[4] < 60
    else { return nil }
    let two = rest.map { $0 < 10 ? "0\($0)" : "\($0)" }
    return "\(year)-\(two[0])-\(two[1])T\(two[2]):\(two[3]):\(two[4])"
  }

  /// The name of the format for programs.
  public var type: String { "xiaomi-scale" }
  /// The name of the format for people.
  public var label: String { "Xiaomi scale" }
}
