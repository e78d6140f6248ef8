// SPDX-License-Identifier: MIT

/// An air monitor of Ruuvi, in manufacturer data of company 0499: "Data format 6" and "Data format E1 (Extended v1)",
/// docs.ruuvi.com.
public struct RuuviAir: AdvertisedFormat, Hashable {
  /// The values, with their units in the keys, without those that the sensor marks as unavailable.
  public let fields: DecodedFields

  /// Decodes the bytes after the company identifier, 20 from `06` or 40 from `e1`; returns nil for others.
  public init?(data: [UInt8]) {
    guard let format = data.first,
      (format == 0x06 && data.count >= 20) || (format == 0xe1 && data.count >= 40)
    else { return nil }
    let isExtended = format == 0xe1
    let flags = data[isExtended ? 28 : 16]
    var reader = ByteReader(data.dropFirst())
    func number(_ size: Int) -> Int? {
      let value = reader.unsigned(size, isBigEndian: true)
      return value == 1 << (8 * size) - 1 ? nil : value
    }
    func index(lowBit: UInt8) -> Int? {
      guard let byte = reader.unsigned(1) else { return nil }
      let value = byte << 1 | (flags & lowBit == 0 ? 0 : 1)
      return value == 0x1ff ? nil : value
    }
    var fields = DecodedFields()
    let degrees = reader.signed(2, isBigEndian: true)
    fields.addClimate(
      temperature: degrees == -0x8000 ? nil : degrees.map { DecimalNumber(mantissa: $0 * 5, exponent: -3) },
      humidity: number(2).map { DecimalNumber(mantissa: $0 * 25, exponent: -4) })
    fields.addKnown("pressure_pa", number(2).map { $0 + 50_000 }, unit: "Pa")
    let particles = (isExtended ? ["1", "2.5", "4", "10"] : ["2.5"]).map {
      ($0, number(2).map(DecimalNumber.init(tenths:)))
    }
    fields.addAir(particles: particles, co2: number(2))
    fields.addKnown("voc_index", index(lowBit: 0x40), label: "VOC index")
    fields.addKnown("nox_index", index(lowBit: 0x80), label: "NOx index")
    // Format 6 has it in logarithmic steps.
    fields.addKnown(
      "illuminance_lux",
      isExtended ? number(3).map(DecimalNumber.init(hundredths:)) : number(1).map(Self.lux(step:)), unit: "lx"
    )
    _ = reader.bytes(isExtended ? 3 : 1)
    // Format 6 sends the last byte of the number, which may have any value.
    fields.addKnown("sequence", isExtended ? number(3) : reader.unsigned(1), label: "sequence")
    fields.addKnown("calibrating", flags & 0x01 != 0)
    _ = reader.bytes(isExtended ? 6 : 1)
    // Of which format 6 only sends the last three bytes.
    if let address = reader.bytes(isExtended ? 6 : 3), address.contains(where: { $0 != 0xff }) {
      fields.add("mac", .text(address.map { Hex.string([$0]).uppercased() }.joined(separator: ":")))
    }
    fields.rest = reader.remainder()
    self.fields = fields
  }

  /// Returns e^(step · ln 65536 / 254) − 1, which is 2^(8/127) to the power of the step, minus one.
  private static func lux(step: Int) -> DecimalNumber {
    let ratio = 1.0446300614125956
    let value = (0..<step).reduce(1.0) { power, _ in power * ratio } - 1
    return DecimalNumber(hundredths: Int((value * 100).rounded()))
  }

  /// The name of the format for programs.
  public var type: String { "ruuvi-air" }
  /// The name of the format for people.
  public var label: String { "Ruuvi Air" }
}
