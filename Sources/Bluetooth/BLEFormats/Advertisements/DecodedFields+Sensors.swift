// SPDX-License-Identifier: MIT

/// The values of sensors, which add nothing if they are nil.
extension DecodedFields {
  mutating func addKnown(_ key: String, _ number: Int?, label: String = "", unit: String = "") {
    if let number { add(key, .integer(number), label: label, unit: unit) }
  }

  mutating func addKnown(_ key: String, _ number: DecimalNumber?, label: String = "", unit: String = "") {
    if let number { add(key, .decimal(number), label: label, unit: unit) }
  }

  /// Adds a state; its label is the key with spaces.
  mutating func addKnown(_ key: String, _ state: Bool?) {
    if let state { add(key, .bool(state), label: key.split(separator: "_").joined(separator: " ")) }
  }

  /// Adds what most thermometers measure: degrees Celsius, percent of relative humidity, and percent of the battery.
  mutating func addClimate(temperature: DecimalNumber?, humidity: DecimalNumber?, battery: Int? = nil) {
    addKnown("temperature_celsius", temperature, unit: "°C")
    addKnown("humidity_percent", humidity, unit: "%")
    addKnown("battery_percent", battery, label: "battery", unit: "%")
  }

  /// Adds the concentrations of an air monitor, in micrograms per cubic metre and parts per million.
  mutating func addAir(particles: [(size: String, DecimalNumber?)], co2: Int?) {
    for (size, concentration) in particles {
      addKnown(
        "pm\(size.replacing(".", with: "_"))_ug_per_m3", concentration, label: "PM\(size)", unit: "µg/m³")
    }
    addKnown("co2_ppm", co2, label: "CO2", unit: "ppm")
  }
}

extension DecodedFields {
  /// Replaces each number that its quantity cannot have, such as a battery of 170 %, by a problem.
  ///
  /// The sensor has failed, or sends another format; logs and alarms must not see such a number.
  mutating func rejectImpossible() {
    // In place, and only for percentages: a stream decodes thousands of fields a second.
    var index = 0
    while index < fields.count {
      if fields[index].unit == "%", let number = fields[index].value.digits,
        !number.isWithin(Self.possiblePercentages(of: fields[index].key))
      {
        let field = fields.remove(at: index)
        problems.append("\(field.key) \(field.value.text) is out of range")
      } else {
        index += 1
      }
    }
  }

  /// The percentages that a quantity can have, by its key or the name that begins it.
  static func possiblePercentages(of key: String) -> ClosedRange<Int> {
    // A hygrometer can exceed 100 % in fog: an SHT4x reports up to 119 %.
    key.hasPrefix("humidity") || key.hasPrefix("moisture") ? 0...120 : 0...100
  }
}

extension DecodedValue {
  /// The number with its digits; nil for other values.
  fileprivate var digits: DecimalNumber? {
    switch self {
    case .integer(let number): DecimalNumber(mantissa: number, exponent: 0)
    case .decimal(let number): number
    default: nil
    }
  }
}

extension DecimalNumber {
  /// Returns whether it is neither less than one whole number nor greater than another.
  func isWithin(_ range: ClosedRange<Int>) -> Bool {
    let unit = (0..<max(0, min(-exponent, 18))).reduce(Int128(1)) { unit, _ in unit * 10 }
    let scaled = (0..<max(0, min(exponent, 18))).reduce(Int128(mantissa)) { number, _ in number * 10 }
    return Int128(range.lowerBound) * unit <= scaled && scaled <= Int128(range.upperBound) * unit
  }

  init(tenths: Int) { self.init(mantissa: tenths, exponent: -1) }
  init(hundredths: Int) { self.init(mantissa: hundredths, exponent: -2) }

  /// Converts some thousand degrees Fahrenheit to Celsius, rounded to hundredths.
  init(fahrenheit: Double) { self.init(hundredths: Int(((fahrenheit - 32) * 500 / 9).rounded())) }
}
