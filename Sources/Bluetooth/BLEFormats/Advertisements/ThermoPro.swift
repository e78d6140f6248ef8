// SPDX-License-Identifier: MIT

/// A thermometer of ThermoPro, in manufacturer data: the sources of `thermopro-ble` and of `theengs/decoder`.
///
/// It sends its values in the place of a company identifier, and is recognized by its name: `TP357 (1234)`. BlueZ then keeps
/// one set of data for each value, and cannot tell which one is current: nothing is decoded if there are several.
public struct ThermoPro: AdvertisedFormat, Hashable {
  /// The model: `TP357`.
  public let model: String
  /// The number of the probe, from 1; nil for thermometers without probes.
  public internal(set) var probe: Int?
  /// In degrees Celsius; of probes, at the tip.
  public internal(set) var temperature: DecimalNumber?
  /// Of probes, around them, in degrees Celsius.
  public internal(set) var ambient: DecimalNumber?
  /// Of probes with several sensors, in the middle and at the end, in degrees Celsius.
  public internal(set) var furtherTemperatures: [DecimalNumber] = []
  /// Relative humidity in percent.
  public internal(set) var humidity: Int?
  /// In percent: 1, 50 or 100.
  public internal(set) var batteryLevel: Int?
  /// Of probes, in millivolts.
  public internal(set) var battery: Int?

  /// Decodes a company identifier and the bytes after it; returns nil if the name is not that of a known model.
  public init?(company: UInt16, data: [UInt8], in context: AdvertisedContext = AdvertisedContext()) {
    guard let name = context.localName, !context.hasSeveralCompanies else { return nil }
    let kind = name.prefix(4)
    guard ["TP35", "TP39", "TP96", "TP97"].contains(kind) else { return nil }
    model = String(name.prefix { $0 != " " })
    var reader = ByteReader(company.littleEndianBytes + data)
    switch (kind, reader.rest.count) {
    case ("TP97", 23): guard readFahrenheitProbe(&reader) else { return nil }
    case ("TP96", 7), ("TP96", 13), ("TP97", 7), ("TP97", 13): readProbe(&reader)
    case ("TP35", 6...), ("TP39", 6...): readRoom(&reader)
    default: return nil
    }
  }

  private mutating func readRoom(_ reader: inout ByteReader) {
    _ = reader.bytes(1)
    let isMissing = reader.rest.prefix(3).allSatisfy { $0 == 0xff }
    let tenths = reader.signed(2)
    let percent = reader.unsigned(1)
    if !isMissing { (temperature, humidity) = (tenths.map(DecimalNumber.init(tenths:)), percent) }
    batteryLevel = reader.unsigned(1).flatMap { [0: 1, 1: 50, 2: 100][$0 & 3] }
  }

  private mutating func readProbe(_ reader: inout ByteReader) {
    func degrees() -> DecimalNumber? {
      reader.unsigned(2).map { DecimalNumber(mantissa: $0 - 30, exponent: 0) }
    }
    probe = reader.unsigned(1).map { $0 + 1 }
    temperature = degrees()
    battery = reader.unsigned(2)
    ambient = degrees()
  }

  /// Reads a probe that sends degrees Fahrenheit, 54 too many.
  private mutating func readFahrenheitProbe(_ reader: inout ByteReader) -> Bool {
    probe = reader.unsigned(1).map { $0 + 1 }
    ambient = reader.unsigned(2).map { DecimalNumber(fahrenheit: Double($0 - 54)) }
    battery = reader.unsigned(2)
    var inside: [DecimalNumber] = []
    while inside.count < 3, let bits = reader.unsigned(4) {
      let fahrenheit = Float(bitPattern: UInt32(bits)) - 54
      guard abs(fahrenheit) < 10_000 else { return false }
      inside.append(DecimalNumber(fahrenheit: Double(fahrenheit)))
    }
    temperature = inside.first
    furtherTemperatures = Array(inside.dropFirst())
    return true
  }

  /// The name of the format for programs.
  public var type: String { "thermopro" }
  /// The name of the format for people.
  public var label: String { "ThermoPro" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    fields.add("model", .text(model))
    fields.addKnown("probe", probe, label: "probe")
    fields.addClimate(
      temperature: temperature, humidity: humidity.map { DecimalNumber(mantissa: $0, exponent: 0) },
      battery: batteryLevel)
    for (place, temperature) in zip(["center", "end"], furtherTemperatures) {
      fields.addKnown("\(place)_celsius", temperature, label: place, unit: "°C")
    }
    fields.addKnown("ambient_celsius", ambient, label: "ambient", unit: "°C")
    fields.addKnown("battery_mv", battery, label: "battery", unit: "mV")
    fields.rejectImpossible()
    return fields
  }
}
