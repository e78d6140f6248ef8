// SPDX-License-Identifier: MIT

/// A thermometer of Inkbird, in manufacturer data: the sources of `inkbird-ble` and of `theengs/decoder`.
///
/// It is recognized by its name. Some models send the temperature in the place of a company identifier. BlueZ then keeps one
/// set of data for each temperature, and cannot tell which one is current: nothing is decoded if there are several.
public struct Inkbird: AdvertisedFormat, Hashable {
  /// The temperature in degrees Celsius.
  public private(set) var temperature: DecimalNumber?
  /// Relative humidity in percent; nil for models without a hygrometer.
  public private(set) var humidity: DecimalNumber?
  /// The battery level in percent.
  public private(set) var batteryLevel: Int?
  /// Carbon dioxide in parts per million.
  public private(set) var co2: Int?
  /// The probes of a grill thermometer, in degrees Celsius; nil if a probe is not plugged in.
  public private(set) var probes: [DecimalNumber?] = []

  /// Decodes a company identifier and the bytes after it; returns nil if the context is not that of a known model.
  public init?(company: UInt16, data: [UInt8], in context: AdvertisedContext = AdvertisedContext()) {
    let name = context.localName?.lowercased() ?? ""
    var reader = ByteReader(data)
    switch (name, data.count) {
    case ("sps", 7), ("tps", 7):
      guard !context.hasSeveralCompanies else { return nil }
      temperature = DecimalNumber(hundredths: Int(Int16(bitPattern: company)))
      // A TPS without a hygrometer sends one of two values.
      let raw = reader.unsigned(2)
      if name == "sps" || ![0, 0xffff].contains(raw) { humidity = raw.map(DecimalNumber.init(hundredths:)) }
      _ = reader.bytes(3)
      batteryLevel = reader.unsigned(1)
    case ("ibs-p02b", 16), ("ith-11-b", 16), ("ith-13-b", 16), ("ith-21-b", 16): readRoom(&reader)
    case (_, 16)
    where company == 0x2449 && data.suffix(3) == [0, 0, 0] && context.services.contains(Self.service):
      readRoom(&reader)
    case (_, 15) where company == 0x3254 && data.starts(with: [0x00, 0x62]): readAir(&reader)
    case (_, 10), (_, 12), (_, 16), (_, 20):
      guard name.contains("ibbq") || name.contains("xbbq") else { return nil }
      _ = reader.bytes(8)
      // An empty socket has ff in the upper byte; the thermometers do not measure below zero.
      while let raw = reader.unsigned(2) { probes.append(raw >= 0xff00 ? nil : DecimalNumber(tenths: raw)) }
    default: return nil
    }
    // What cannot be is not a reading.
    guard (humidity?.mantissa ?? 0) <= (data.count == 7 ? 10_000 : 1000), batteryLevel ?? 0 <= 100 else {
      return nil
    }
  }

  /// A service of thermometers that send no name.
  private static let service = BluetoothUUID(short: 0xfff0)

  private mutating func readRoom(_ reader: inout ByteReader) {
    _ = reader.bytes(4)
    temperature = reader.signed(2).map(DecimalNumber.init(tenths:))
    let raw = reader.unsigned(2)
    if raw != 0 { humidity = raw.map(DecimalNumber.init(tenths:)) }
    batteryLevel = reader.unsigned(1)
  }

  private mutating func readAir(_ reader: inout ByteReader) {
    _ = reader.bytes(7)
    guard let status = reader.unsigned(1), let degrees = reader.signed(2, isBigEndian: true) else { return }
    temperature =
      status & 0x02 == 0 ? DecimalNumber(tenths: degrees) : DecimalNumber(fahrenheit: Double(degrees) / 10)
    humidity = reader.unsigned(2, isBigEndian: true).map(DecimalNumber.init(tenths:))
    co2 = reader.unsigned(2, isBigEndian: true)
  }

  /// The name of the format for programs.
  public var type: String { "inkbird" }
  /// The name of the format for people.
  public var label: String { "Inkbird" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.addClimate(temperature: temperature, humidity: humidity, battery: batteryLevel)
    fields.addAir(particles: [], co2: co2)
    for (index, temperature) in probes.enumerated() {
      fields.addKnown("probe_\(index + 1)_celsius", temperature, label: "probe \(index + 1)", unit: "°C")
    }
    return fields
  }
}
