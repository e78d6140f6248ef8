// SPDX-License-Identifier: MIT

/// A sensor of Ruuvi, in manufacturer data of company 0499: "Data format 5 (RAWv2)" and "Data format 3 (RAWv1)",
/// docs.ruuvi.com.
///
/// Values that the sensor marks as unavailable are nil.
public struct RuuviTag: AdvertisedFormat, Hashable {
  /// Ruuvi's company identifier.
  public static let company: UInt16 = 0x0499

  /// 3 or 5.
  public let format: UInt8
  /// The temperature in degrees Celsius.
  public let temperature: DecimalNumber?
  /// Relative humidity in percent.
  public let humidity: DecimalNumber?
  /// The air pressure in pascals.
  public let pressure: Int?
  /// Along x, y and z, in thousandths of the earth's gravity.
  public let acceleration: [Int?]
  /// The voltage of the battery in millivolts.
  public let battery: Int?
  /// In dBm; like the following values, only in format 5.
  public let txPower: Int?
  /// The number of movements, which restarts at 0 after 254.
  public let movements: Int?
  /// The number of the measurement.
  public let sequence: Int?
  /// The address of the sensor.
  public let address: BluetoothAddress?
  /// The bytes behind the last value.
  public let rest: [UInt8]

  /// Decodes the bytes after the company identifier, 24 from `05` or 14 from `03`; returns nil for others.
  public init?(data: [UInt8]) {
    var reader = ByteReader(data)
    switch (reader.unsigned(1), data.count) {
    case (5, 24...): self.init(rawV2: &reader)
    case (3, 14...): self.init(rawV1: &reader)
    default: return nil
    }
  }

  private init?(rawV2 reader: inout ByteReader) {
    func known(_ value: Int?, unless none: Int) -> Int? { value == none ? nil : value }
    format = 5
    temperature = known(reader.signed(2, isBigEndian: true), unless: -0x8000).map {
      DecimalNumber(mantissa: $0 * 5, exponent: -3)
    }
    humidity = known(reader.unsigned(2, isBigEndian: true), unless: 0xffff).map {
      DecimalNumber(mantissa: $0 * 25, exponent: -4)
    }
    pressure = known(reader.unsigned(2, isBigEndian: true), unless: 0xffff).map { $0 + 50_000 }
    var axes: [Int?] = []
    for _ in 0..<3 { axes.append(known(reader.signed(2, isBigEndian: true), unless: -0x8000)) }
    acceleration = axes
    guard let power = reader.unsigned(2, isBigEndian: true) else { return nil }
    battery = known(power >> 5, unless: 0x7ff).map { $0 + 1600 }
    txPower = known(power & 0x1f, unless: 0x1f).map { $0 * 2 - 40 }
    movements = known(reader.unsigned(1), unless: 0xff)
    sequence = known(reader.unsigned(2, isBigEndian: true), unless: 0xffff)
    guard let digits = reader.bytes(6) else { return nil }
    address = digits.allSatisfy { $0 == 0xff } ? nil : BluetoothAddress(bytes: digits)
    rest = reader.remainder()
  }

  private init?(rawV1 reader: inout ByteReader) {
    format = 3
    guard let humidity = reader.unsigned(1), let degrees = reader.unsigned(1),
      let hundredths = reader.unsigned(1),
      let pressure = reader.unsigned(2, isBigEndian: true)
    else { return nil }
    self.humidity = DecimalNumber(mantissa: humidity * 5, exponent: -1)
    // A sign and a magnitude, not two's complement.
    let magnitude = (degrees & 0x7f) * 100 + hundredths
    temperature = DecimalNumber(mantissa: degrees & 0x80 == 0 ? magnitude : -magnitude, exponent: -2)
    self.pressure = pressure + 50_000
    var axes: [Int?] = []
    for _ in 0..<3 { axes.append(reader.signed(2, isBigEndian: true)) }
    acceleration = axes
    battery = reader.unsigned(2, isBigEndian: true)
    (txPower, movements, sequence, address) = (nil, nil, nil, nil)
    rest = reader.remainder()
  }

  /// The name of the format for programs.
  public var type: String { "ruuvi" }
  /// The name of the format for people.
  public var label: String { "Ruuvi" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    if let temperature { fields.add("temperature_celsius", .decimal(temperature), unit: "°C") }
    if let humidity { fields.add("humidity_percent", .decimal(humidity), unit: "%") }
    if let pressure { fields.add("pressure_pa", .integer(pressure), unit: "Pa") }
    for (axis, value) in zip(["x", "y", "z"], acceleration) {
      if let value { fields.add("acceleration_\(axis)_mg", .integer(value), label: axis, unit: "mG") }
    }
    if let battery { fields.add("battery_mv", .integer(battery), label: "battery", unit: "mV") }
    if let txPower { fields.add("tx_power_dbm", .integer(txPower), label: "TX power", unit: "dBm") }
    if let movements { fields.add("movements", .integer(movements), label: "movements") }
    if let sequence { fields.add("sequence", .integer(sequence), label: "sequence") }
    if let address { fields.add("mac", .text(address.description)) }
    fields.rest = rest
    return fields
  }
}
