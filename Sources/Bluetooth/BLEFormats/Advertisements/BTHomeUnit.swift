// SPDX-License-Identifier: MIT

struct BTHomeUnit: Sendable, Hashable {
  /// Its name at the end of a key: `m_per_s`.
  let key: String
  /// Its symbol: `m/s`.
  let symbol: String

  private init(_ key: String, _ symbol: String) { (self.key, self.symbol) = (key, symbol) }

  /// True if the unit alone does not show what is measured.
  var needsLabel: Bool { ![.celsius, .hpa, .lux].contains(self) }

  static let percent = BTHomeUnit("percent", "%")
  static let celsius = BTHomeUnit("celsius", "°C")
  static let hpa = BTHomeUnit("hpa", "hPa")
  static let lux = BTHomeUnit("lux", "lx")
  static let kg = BTHomeUnit("kg", "kg")
  static let lb = BTHomeUnit("lb", "lb")
  static let kwh = BTHomeUnit("kwh", "kWh")
  static let w = BTHomeUnit("w", "W")
  static let v = BTHomeUnit("v", "V")
  static let ugPerM3 = BTHomeUnit("ug_per_m3", "µg/m³")
  static let ppm = BTHomeUnit("ppm", "ppm")
  static let degrees = BTHomeUnit("degrees", "°")
  static let mm = BTHomeUnit("mm", "mm")
  static let m = BTHomeUnit("m", "m")
  static let s = BTHomeUnit("s", "s")
  static let a = BTHomeUnit("a", "A")
  static let mPerS = BTHomeUnit("m_per_s", "m/s")
  static let l = BTHomeUnit("l", "l")
  static let ml = BTHomeUnit("ml", "ml")
  static let m3PerH = BTHomeUnit("m3_per_h", "m³/h")
  static let m3 = BTHomeUnit("m3", "m³")
  static let mPerS2 = BTHomeUnit("m_per_s2", "m/s²")
  static let degreesPerS = BTHomeUnit("degrees_per_s", "°/s")
  static let usPerCm = BTHomeUnit("us_per_cm", "µS/cm")
  static let rpm = BTHomeUnit("rpm", "rpm")
}
