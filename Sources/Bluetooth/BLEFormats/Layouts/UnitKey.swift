// SPDX-License-Identifier: MIT
internal import JSON

/// The name of a unit at the end of a key: `celsius` for `°C`, `m_per_s` for `m/s`.
enum UnitKey {
  /// Units whose name is not their symbol, when they stand alone.
  private static let whole = [
    "%": "percent", "lx": "lux", "min": "minutes", "h": "hours", "d": "days", "L": "l",
  ]

  /// The same within other units, too.
  private static let parts = [
    "°C": "celsius", "°F": "fahrenheit", "°": "degrees", "Ω": "ohm", "kΩ": "kohm", "MΩ": "mohm",
    "min": "minute",
    "lx": "lux", "%": "percent",
  ]

  /// The units that may follow a format directly, without a scale between them: `u16mV`.
  private static let known: Set<String> = [
    "%", "°", "°C", "°F", "K", "°/s", "m", "mm", "cm", "km", "in", "ft", "m/s", "km/h", "m/s²", "m/s2",
    "rad/s", "rpm",
    "/min", "bpm", "s", "ms", "us", "µs", "min", "h", "d", "Hz", "kHz", "MHz", "V", "mV", "uV", "µV", "kV",
    "A", "mA",
    "uA", "µA", "Ah", "mAh", "W", "mW", "kW", "Wh", "kWh", "VA", "J", "kJ", "kcal", "N", "Nm", "Pa", "hPa",
    "kPa",
    "mbar", "bar", "psi", "mmHg", "g", "mg", "kg", "lb", "T", "mT", "uT", "µT", "G", "mG", "lx", "lm", "cd",
    "dB", "dBm",
    "ppm", "ppb", "L", "l", "mL", "ml", "m³", "µg/m³", "ug/m3", "W/m²", "Ω", "kΩ", "µS/cm", "counts", "steps",
  ]

  static func isKnown(_ unit: some StringProtocol) -> Bool { known.contains(String(unit)) }

  /// Returns the known units that a misspelt one may mean.
  static func advice(for unit: some StringProtocol) -> String? {
    Spelling.advice(for: String(unit), among: known.sorted())
  }

  /// The ends of keys, the longest first.
  private static let ends: [String] = Set(
    known.map { name(of: $0) } + ["min", "minute", "jin", "lb", "kg", "pa", "m3_per_h"]
  )
  .map { "_\($0)" }.sorted { ($1.count, $0) < ($0.count, $1) }

  /// Returns a key without the unit at its end: `temperature` for `temperature_celsius`; nil if there is none.
  static func withoutUnit(_ key: String) -> String? {
    guard let end = ends.first(where: { key.hasSuffix($0) && key.utf8.count > $0.utf8.count }) else {
      return nil
    }
    return String(key.dropLast(end.count))
  }

  /// Returns the end of the key for a unit, or nothing if it contains neither letters nor digits.
  static func name(of unit: String) -> String {
    if let name = whole[unit] { return name }
    let sides = unit.split(separator: "/", omittingEmptySubsequences: false).map { name(ofFactors: $0) }
    let key = sides.joined(separator: "_per_")
    return key.hasPrefix("_per_") ? String(key.dropFirst()) : key
  }

  private static func name(ofFactors side: Substring) -> String {
    let factors = side.split { $0 == "·" || $0 == "*" || $0 == " " }
    return factors.map { name(ofPart: String($0)) }.filter { !$0.isEmpty }.joined(separator: "_")
  }

  private static func name(ofPart part: String) -> String {
    if let name = parts[part] { return name }
    var name = ""
    for character in part.lowercased() {
      switch character {
      case "a"..."z", "0"..."9", "_": name.append(character)
      case "²": name.append("2")
      case "³": name.append("3")
      // The micro sign, and the Greek letter.
      case "\u{b5}", "\u{3bc}": name.append("u")
      case "°": name += "degrees"
      case "ω", "\u{2126}": name += "ohm"
      default: break
      }
    }
    return name
  }
}
