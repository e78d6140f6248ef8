// SPDX-License-Identifier: MIT

/// An air monitor of Ruuvi, in manufacturer data of company 0499: "Data format 6" and "Data format E1 (Extended v1)",
/// docs.ruuvi.com.
///
/// Values that the sensor marks as unavailable are nil.
public struct RuuviAir: AdvertisedFormat, Hashable {
  /// 06 or E1.
  public let format: UInt8
  /// The temperature in degrees Celsius.
  public let temperature: DecimalNumber?
  /// Relative humidity in percent.
  public let humidity: DecimalNumber?
  /// The air pressure in pascals.
  public let pressure: Int?
  /// Particles of up to 1, 2.5, 4 and 10 µm, in micrograms per cubic metre; format 6 only has those of up to 2.5 µm.
  public let particles: [DecimalNumber?]
  /// Carbon dioxide in parts per million.
  public let co2: Int?
  /// The index of volatile organic compounds, 0 to 500.
  public let volatileCompounds: Int?
  /// The index of nitrogen oxides, 0 to 500.
  public let nitrogenOxides: Int?
  /// The illuminance in lux; format 6 has it in logarithmic steps.
  public let illuminance: DecimalNumber?
  /// The number of the measurement.
  public let sequence: Int?
  /// True if the sensors are still being calibrated.
  public let isCalibrating: Bool
  /// The address of the sensor, of which format 6 only sends the last three bytes.
  public let address: [UInt8]?
  /// The bytes behind the last value.
  public let rest: [UInt8]

  /// Decodes the bytes after the company identifier, 20 from `06` or 40 from `e1`; returns nil for others.
  public init?(data: [UInt8]) {
    guard let format = data.first,
      (format == 0x06 && data.count >= 20) || (format == 0xe1 && data.count >= 40)
    else { return nil }
    self.format = format
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
    let degrees = reader.signed(2, isBigEndian: true)
    temperature = degrees == -0x8000 ? nil : degrees.map { DecimalNumber(mantissa: $0 * 5, exponent: -3) }
    humidity = number(2).map { DecimalNumber(mantissa: $0 * 25, exponent: -4) }
    pressure = number(2).map { $0 + 50_000 }
    var particles: [DecimalNumber?] = []
    for _ in 0..<(isExtended ? 4 : 1) { particles.append(number(2).map(DecimalNumber.init(tenths:))) }
    self.particles = particles
    co2 = number(2)
    volatileCompounds = index(lowBit: 0x40)
    nitrogenOxides = index(lowBit: 0x80)
    illuminance =
      isExtended ? number(3).map(DecimalNumber.init(hundredths:)) : number(1).map(Self.lux(step:))
    _ = reader.bytes(isExtended ? 3 : 1)
    // Format 6 sends the last byte of the number, which may have any value.
    sequence = isExtended ? number(3) : reader.unsigned(1)
    isCalibrating = flags & 0x01 != 0
    _ = reader.bytes(isExtended ? 6 : 1)
    let address = reader.bytes(isExtended ? 6 : 3)
    self.address = address?.allSatisfy { $0 == 0xff } == true ? nil : address
    rest = reader.remainder()
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
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.addClimate(temperature: temperature, humidity: humidity)
    fields.addKnown("pressure_pa", pressure, unit: "Pa")
    let sizes = particles.count == 1 ? ["2.5"] : ["1", "2.5", "4", "10"]
    fields.addAir(particles: Array(zip(sizes, particles)), co2: co2)
    fields.addKnown("voc_index", volatileCompounds, label: "VOC index")
    fields.addKnown("nox_index", nitrogenOxides, label: "NOx index")
    fields.addKnown("illuminance_lux", illuminance, unit: "lx")
    fields.addKnown("sequence", sequence, label: "sequence")
    fields.addKnown("calibrating", isCalibrating)
    if let address {
      fields.add("mac", .text(address.map { Hex.string([$0]).uppercased() }.joined(separator: ":")))
    }
    fields.rest = rest
    return fields
  }
}
