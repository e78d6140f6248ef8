// SPDX-License-Identifier: MIT

/// A thermometer, air monitor or presence sensor of Govee, in manufacturer data: the README of `wcbonner/GoveeBTTempLogger`,
/// and the sources of `govee-ble`.
///
/// Some models have the company identifier EC88. The others use identifiers of other companies, and are recognized by the
/// model number in their name, `GVH5102_1234`, or by a service. Buttons and door sensors encrypt their data.
public struct Govee: AdvertisedFormat, Hashable {
  /// The number of the model, such as 5075; nil if several models send the same and there is no name.
  public let model: Int?
  /// The temperature in degrees Celsius.
  public internal(set) var temperature: DecimalNumber?
  /// Relative humidity in percent.
  public internal(set) var humidity: DecimalNumber?
  /// The battery level in percent.
  public internal(set) var batteryLevel: Int?
  /// Carbon dioxide in parts per million.
  public internal(set) var co2: Int?
  /// Particles of up to 2.5 µm, in micrograms per cubic metre.
  public internal(set) var particles: Int?
  /// The probes that are sent this time.
  public internal(set) var probes: [Probe] = []
  /// True if the reading belongs to the remote sensor of a model that has one.
  public internal(set) var isRemote: Bool?
  /// True if somebody is present.
  public internal(set) var isPresent: Bool?
  /// True if somebody moves.
  public internal(set) var isMoving: Bool?
  /// True if the sensor reports an error instead of values.
  public internal(set) var hasFailed = false
  /// A temperature in degrees Celsius that no sensor of Govee can measure; the values beside it are wrong, too, and nil.
  public internal(set) var impossibleTemperature: DecimalNumber?

  /// The probe of a meat thermometer.
  public struct Probe: Sendable, Hashable {
    /// Its number, from 1.
    public let number: Int
    /// In degrees Celsius; nil if it is not plugged in.
    public let temperature: DecimalNumber?
    /// The temperature of its alarm in degrees Celsius.
    public let alarm: DecimalNumber?
    /// The temperature of its low alarm in degrees Celsius.
    public let lowAlarm: DecimalNumber?
  }

  /// The company identifier of the models that have one.
  private static let company: UInt16 = 0xec88

  /// Decodes the bytes after a company identifier; returns nil if the context names no model of Govee that sends such data.
  public init?(company: UInt16, data: [UInt8], in context: AdvertisedContext = AdvertisedContext()) {
    // Some send an iBeacon too, and sometimes attach it to their data.
    guard company != IBeacon.company else { return nil }
    let isTooLong = data.count > 25 && Array(data.suffix(25).prefix(4)) == [0x4c, 0x00, 0x02, 0x15]
    let data = isTooLong ? Array(data.dropLast(25)) : data
    let named =
      context.localName.flatMap(Self.model(in:)) ?? context.services.lazy.compactMap(Self.model(of:)).first
    guard let (model, layout) = Self.layout(data, named, company) else { return nil }
    self.model = model
    var reader = ByteReader(data.dropFirst(layout.start))
    guard read(layout.values, from: &reader, whole: data) else { return nil }
  }

  /// Finds the model number in a name such as `GVH5075_1234`, `Govee_H5074_1234` or `B5178D…`.
  private static func model(in name: String) -> Int? {
    let bytes = Array(name.utf8)
    for start in bytes.indices.dropLast(3) where start > 0 && "HVB".utf8.contains(bytes[start - 1]) {
      let digits = bytes[start..<start + 4]
      if bytes[start] == UInt8(ascii: "5"), let number = Int(String(decoding: digits, as: UTF8.self)) {
        return number
      }
    }
    return nil
  }

  /// Finds the model that announces a service, whose number has the same digits in the order of bytes on the air.
  private static func model(of service: BluetoothUUID) -> Int? {
    guard let number = service.shortForm.flatMap({ UInt16(exactly: $0) }),
      let model = Int(String(number.byteSwapped, radix: 16)),
      [5055, 5181, 5182, 5183, 5184, 5185, 5191, 5198].contains(model)
    else { return nil }
    return model
  }

  /// The meaning of the bytes of a model.
  enum Values {
    case packed, packedProbe, packedRemote, packedCO2, packedParticles, plain, presence
    case probes(count: Int, hasLowAlarm: Bool), sixProbes, probeAndAmbient
  }

  /// Returns the meaning of the bytes and where they start; nil if no model sends that many.
  private static func layout(
    _ data: [UInt8], _ model: Int?, _ company: UInt16
  ) -> (model: Int?, layout: (start: Int, values: Values))? {
    switch (data.count, model) {
    case (6, 5072), (6, 5075), (6, 5129): (model, (1, .packed))
    case (6, 5127) where isPresence(data): (model, (4, .presence))
    case (6, nil) where isPresence(data) && [0x8803, 0x8843].contains(company): (5127, (4, .presence))
    case (6, 5106): (model, (2, .packedParticles))
    case (6, .some(5100...5105)), (6, 5108), (6, 5110), (6, 5174), (6, 5177), (6, 5179): (model, (2, .packed))
    case (8, .some(5100...5105)), (8, 5108), (8, 5110), (8, 5174), (8, 5177), (8, 5179): (model, (2, .packed))
    case (8, 5112): (model, (2, .packedProbe))
    case (8, 5140): (model, (2, .packedCO2))
    case (7, 5074), (9, 5051), (9, 5052), (9, 5071): (model, (1, .plain))
    case (9, 5178): (model, (2, .packedRemote))
    case (9, 5179): (model, (4, .plain))
    case (14, 5181), (14, 5183): (model, (8, .probes(count: 1, hasLowAlarm: false)))
    case (17, 5182), (17, 5184), (20, 5185): (model, (8, .probes(count: 2, hasLowAlarm: false)))
    case (20, 5198): (model, (8, .probes(count: 2, hasLowAlarm: true)))
    case (20, 5191): (model, (8, .probeAndAmbient))
    case (20, 5055): (model, (2, .sixProbes))
    case (6, nil) where company == Self.company: (nil, (1, .packed))
    case (7, nil) where company == Self.company: (5074, (1, .plain))
    case (9, nil) where company == Self.company: (5051, (1, .plain))
    default: nil
    }
  }

  /// Other devices with the same identifiers, such as lights, send something else.
  private static func isPresence(_ data: [UInt8]) -> Bool {
    data.starts(with: [0xec, 0x00]) && [1, 2].contains(data[2]) && data[3] == 1
  }

  /// The name of the format for programs.
  public var type: String { "govee" }
  /// The name of the format for people.
  public var label: String { "Govee" }
  /// The values, with their units in the keys.
  public var fields: DecodedFields {
    var fields = DecodedFields()
    if let model { fields.add("model", .text("H\(model)")) }
    fields.addClimate(temperature: temperature, humidity: humidity, battery: batteryLevel)
    fields.addAir(particles: [("2.5", particles.map { DecimalNumber(mantissa: $0, exponent: 0) })], co2: co2)
    for probe in probes {
      let key = "probe_\(probe.number)"
      fields.addKnown("\(key)_celsius", probe.temperature, label: "probe \(probe.number)", unit: "°C")
      fields.addKnown("\(key)_alarm_celsius", probe.alarm, label: "alarm", unit: "°C")
      fields.addKnown("\(key)_low_alarm_celsius", probe.lowAlarm, label: "low alarm", unit: "°C")
    }
    fields.addKnown("remote", isRemote)
    fields.addKnown("present", isPresent)
    fields.addKnown("moving", isMoving)
    if hasFailed { fields.problems.append("the sensor reports an error") }
    if let impossibleTemperature {
      fields.problems.append("temperature_celsius \(impossibleTemperature) is out of range")
    }
    fields.rejectImpossible()
    return fields
  }
}
