// SPDX-License-Identifier: MIT

extension Govee {
  /// Reads the values, or returns false if there are none.
  mutating func read(_ values: Values, from reader: inout ByteReader, whole data: [UInt8]) -> Bool {
    switch values {
    case .packed: readPacked(&reader)
    case .packedRemote:
      guard let sensor = reader.unsigned(1), sensor < 2 else { return false }
      isRemote = sensor == 1
      readPacked(&reader)
    case .packedProbe:
      guard let number = [0x41: 1, 0x82: 2][data[7]] else { return false }
      readPacked(&reader)
      probes = [Probe(number: number, temperature: temperature, alarm: nil, lowAlarm: nil)]
      temperature = nil
      // The second probe has no hygrometer.
      if number == 2 { humidity = nil }
    case .packedCO2:
      readPackedValues(&reader)
      co2 = reader.unsigned(2, isBigEndian: true)
      if reader.unsigned(1) != 0 { fail() }
    case .packedParticles: readParticles(&reader)
    case .plain:
      temperature = reader.signed(2).map(DecimalNumber.init(hundredths:))
      humidity = reader.unsigned(2).map(DecimalNumber.init(hundredths:))
      rejectImpossibleTemperature()
      batteryLevel = reader.unsigned(1)
    case .presence:
      isPresent = reader.unsigned(1) == 1
      isMoving = reader.unsigned(1) == 17
    case .probes(let count, let hasLowAlarm): return readProbes(count, hasLowAlarm, &reader, group: data[6])
    case .probeAndAmbient:
      readProbe(1, hasLowAlarm: false, &reader)
      _ = reader.bytes(2)
      temperature = reader.signed(2, isBigEndian: true).map(DecimalNumber.init(hundredths:))
    case .sixProbes: return readSixProbes(&reader)
    }
    return true
  }

  private mutating func fail() { (hasFailed, temperature, humidity, co2) = (true, nil, nil, nil) }

  /// Reads a sign and a number of six digits, of which three are the temperature and three the humidity, and the battery.
  private mutating func readPacked(_ reader: inout ByteReader) {
    readPackedValues(&reader)
    guard let battery = reader.unsigned(1) else { return }
    batteryLevel = battery & 0x7f
    if battery & 0x80 != 0 { fail() }
  }

  private mutating func readPackedValues(_ reader: inout ByteReader) {
    guard let packed = reader.unsigned(3, isBigEndian: true) else { return }
    let magnitude = packed & 0x7f_ffff
    temperature = DecimalNumber(tenths: packed & 0x80_0000 == 0 ? magnitude / 1000 : -(magnitude / 1000))
    humidity = DecimalNumber(tenths: magnitude % 1000)
    rejectImpossibleTemperature()
  }

  /// Rejects a temperature that a room sensor cannot measure, as `govee-ble` does.
  private mutating func rejectImpossibleTemperature() {
    guard let temperature, !temperature.isWithin(-40...100) else { return }
    impossibleTemperature = temperature
    (self.temperature, humidity, particles) = (nil, nil, nil)
  }

  /// Reads a sign and a number of nine digits: three for the temperature, the humidity and the particles each.
  private mutating func readParticles(_ reader: inout ByteReader) {
    guard let packed = reader.unsigned(4, isBigEndian: true) else { return }
    let magnitude = packed & 0x7fff_ffff
    let degrees = magnitude / 1_000_000
    temperature = DecimalNumber(tenths: packed & 0x8000_0000 == 0 ? degrees : -degrees)
    humidity = DecimalNumber(tenths: magnitude / 1000 % 1000)
    particles = magnitude % 1000
    rejectImpossibleTemperature()
  }

  /// Reads the probes of a grill thermometer; those with four send them in two groups.
  private mutating func readProbes(
    _ count: Int, _ hasLowAlarm: Bool, _ reader: inout ByteReader, group: UInt8
  ) -> Bool {
    var first = 1
    if model == 5184 || model == 5198 {
      guard [1, 2].contains(group & 0x3f) else { return false }
      if group & 0x3f == 2 { first = 3 }
    }
    for number in first..<first + count {
      readProbe(number, hasLowAlarm: hasLowAlarm, &reader)
      // There is a separator between the probes: one byte, or two where the model sends more bytes.
      if !hasLowAlarm { _ = reader.bytes(model == 5185 ? 2 : 1) }
    }
    return true
  }

  private mutating func readProbe(_ number: Int, hasLowAlarm: Bool, _ reader: inout ByteReader) {
    func next() -> DecimalNumber? {
      guard let value = reader.signed(2, isBigEndian: true), value >= 0 else { return nil }
      return DecimalNumber(hundredths: value)
    }
    probes.append(
      Probe(number: number, temperature: next(), alarm: next(), lowAlarm: hasLowAlarm ? next() : nil))
  }

  /// Reads the battery, a mask of the probes, and two of the six, in whole degrees.
  private mutating func readSixProbes(_ reader: inout ByteReader) -> Bool {
    guard let battery = reader.unsigned(1), let mask = reader.unsigned(1), reader.bytes(1) != nil else {
      return false
    }
    batteryLevel = battery & 0x7f
    // The upper bits number the pair, and each of the lower ones says that a probe is plugged in.
    let pair = mask >> 6
    guard pair < 3 else { return false }
    func degrees(isKnown: (Int) -> Bool) -> DecimalNumber? {
      guard let value = reader.signed(2), isKnown(value) else { return nil }
      return DecimalNumber(mantissa: value, exponent: 0)
    }
    for index in 0..<2 {
      let number = 2 * pair + index
      let temperature = degrees { _ in true }
      let low = degrees { $0 >= 0 }
      let high = degrees { $0 >= 0 }
      if mask & 1 << number != 0 {
        probes.append(Probe(number: number + 1, temperature: temperature, alarm: high, lowAlarm: low))
      }
      _ = reader.bytes(1)
    }
    return true
  }
}
