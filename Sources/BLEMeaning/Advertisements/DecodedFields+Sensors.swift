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

extension DecimalNumber {
  init(tenths: Int) { self.init(mantissa: tenths, exponent: -1) }
  init(hundredths: Int) { self.init(mantissa: hundredths, exponent: -2) }

  /// Converts some thousand degrees Fahrenheit to Celsius, rounded to hundredths.
  init(fahrenheit: Double) { self.init(hundredths: Int(((fahrenheit - 32) * 500 / 9).rounded())) }
}
