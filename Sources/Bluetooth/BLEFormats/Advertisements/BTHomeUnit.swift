// SPDX-License-Identifier: MIT

/// A unit of BTHome; the raw value is its name at the end of a key.
enum BTHomeUnit: String, CaseIterable {
  case percent, celsius, hpa, lux, kg, lb, kwh, w, v, ppm, degrees, mm, m, s, a, l, ml, m3, rpm
  case ugPerM3 = "ug_per_m3"
  case mPerS = "m_per_s"
  case m3PerH = "m3_per_h"
  case mPerS2 = "m_per_s2"
  case degreesPerS = "degrees_per_s"
  case usPerCm = "us_per_cm"

  /// Its symbol: `m/s`.
  var symbol: String { Self.symbols[self] ?? rawValue }

  /// True if the unit alone does not show what is measured.
  var needsLabel: Bool { ![.celsius, .hpa, .lux].contains(self) }

  /// The symbols that are not the names.
  private static let symbols: [BTHomeUnit: String] = [
    .percent: "%", .celsius: "°C", .hpa: "hPa", .lux: "lx", .kwh: "kWh", .w: "W", .v: "V", .degrees: "°",
    .a: "A",
    .m3: "m³", .ugPerM3: "µg/m³", .mPerS: "m/s", .m3PerH: "m³/h", .mPerS2: "m/s²", .degreesPerS: "°/s",
    .usPerCm: "µS/cm",
  ]
}
