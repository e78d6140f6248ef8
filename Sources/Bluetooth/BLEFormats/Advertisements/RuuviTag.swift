// SPDX-License-Identifier: MIT

/// A sensor of Ruuvi, in manufacturer data of company 0499: "Data format 5 (RAWv2)" and "Data format 3 (RAWv1)",
/// docs.ruuvi.com.
public struct RuuviTag: AdvertisedFormat, Hashable {
  /// Ruuvi's company identifier.
  public static let company: UInt16 = 0x0499

  /// The values, with their units in the keys, without those that the sensor marks as unavailable.
  public let fields: DecodedFields

  /// Decodes the bytes after the company identifier, 24 from `05` or 14 from `03`; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    var fields: DecodedFields?
    switch (reader.unsigned(1), data.count) {
    case (5, 24...): fields = Self.rawV2(&reader)
    case (3, 14...): fields = Self.rawV1(&reader)
    default: return nil
    }
    guard var fields else { return nil }
    fields.rest = reader.remainder()
    self.fields = fields
  }

  private static func rawV2(_ reader: inout ByteReader) -> DecodedFields? {
    func known(_ value: Int?, unless none: Int) -> Int? { value == none ? nil : value }
    var fields = DecodedFields()
    fields.addClimate(
      temperature: known(reader.signed(2, isBigEndian: true), unless: -0x8000).map {
        DecimalNumber(mantissa: $0 * 5, exponent: -3)
      },
      humidity: known(reader.unsigned(2, isBigEndian: true), unless: 0xffff).map {
        DecimalNumber(mantissa: $0 * 25, exponent: -4)
      })
    fields.addPressure(known(reader.unsigned(2, isBigEndian: true), unless: 0xffff))
    fields.addAcceleration(from: &reader) { known($0, unless: -0x8000) }
    guard let power = reader.unsigned(2, isBigEndian: true) else { return nil }
    fields.addKnown(
      "battery_mv", known(power >> 5, unless: 0x7ff).map { $0 + 1600 }, label: "battery", unit: "mV")
    fields.addKnown(
      "tx_power_dbm", known(power & 0x1f, unless: 0x1f).map { $0 * 2 - 40 }, label: "TX power", unit: "dBm")
    // The number of movements restarts at 0 after 254.
    fields.addKnown("movements", known(reader.unsigned(1), unless: 0xff), label: "movements")
    fields.addKnown(
      "sequence", known(reader.unsigned(2, isBigEndian: true), unless: 0xffff), label: "sequence")
    guard let digits = reader.bytes(6) else { return nil }
    if digits.contains(where: { $0 != 0xff }), let address = BluetoothAddress(bytes: digits) {
      fields.add("mac", .text(address.description))
    }
    return fields
  }

  private static func rawV1(_ reader: inout ByteReader) -> DecodedFields? {
    guard let humidity = reader.unsigned(1), let degrees = reader.unsigned(1),
      let hundredths = reader.unsigned(1)
    else { return nil }
    // A sign and a magnitude, not two's complement.
    let magnitude = (degrees & 0x7f) * 100 + hundredths
    var fields = DecodedFields()
    fields.addClimate(
      temperature: DecimalNumber(hundredths: degrees & 0x80 == 0 ? magnitude : -magnitude),
      humidity: DecimalNumber(mantissa: humidity * 5, exponent: -1))
    fields.addPressure(reader.unsigned(2, isBigEndian: true))
    fields.addAcceleration(from: &reader) { $0 }
    fields.addKnown("battery_mv", reader.unsigned(2, isBigEndian: true), label: "battery", unit: "mV")
    return fields
  }

  /// The name of the format for programs.
  public var type: String { "ruuvi" }
  /// The name of the format for people.
  public var label: String { "Ruuvi" }
}

extension DecodedFields {
  fileprivate mutating func addPressure(_ raw: Int?) {
    addKnown("pressure_pa", raw.map { $0 + 50_000 }, unit: "Pa")
  }

  /// Adds the acceleration along each axis, in thousandths of the earth's gravity.
  fileprivate mutating func addAcceleration(from reader: inout ByteReader, _ known: (Int?) -> Int?) {
    for axis in ["x", "y", "z"] {
      addKnown("acceleration_\(axis)_mg", known(reader.signed(2, isBigEndian: true)), label: axis, unit: "mG")
    }
  }
}
