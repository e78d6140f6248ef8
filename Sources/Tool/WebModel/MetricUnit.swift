// SPDX-License-Identifier: MIT

/// The name and the unit of a field in metrics, whose units are those without a prefix.
struct MetricUnit {
  /// The name of the metric, without `blectl_`.
  let name: String
  private let factor: Double
  private let offset: Double

  func value(of number: Double) -> Double { (number - offset) * factor }

  /// The units of fields that have another name in metrics.
  private static let units: [String: (name: String, factor: Double, offset: Double)] = [
    "s": ("seconds", 1, 0), "ms": ("seconds", 0.001, 0), "minute": ("seconds", 60, 0),
    "minutes": ("seconds", 60, 0), "hour": ("seconds", 3600, 0), "hours": ("seconds", 3600, 0),
    "h": ("seconds", 3600, 0), "days": ("seconds", 86_400, 0), "weeks": ("seconds", 604_800, 0),
    "fahrenheit": ("celsius", 1 / 1.8, 32), "v": ("volts", 1, 0), "mv": ("volts", 0.001, 0),
    "a": ("amperes", 1, 0), "ma": ("amperes", 0.001, 0), "m": ("meters", 1, 0), "cm": ("meters", 0.01, 0),
    "mm": ("meters", 0.001, 0), "km": ("meters", 1000, 0), "g": ("grams", 1, 0), "kg": ("grams", 1000, 0),
    "mg": ("grams", 0.001, 0), "lb": ("grams", 453.592_37, 0), "kj": ("joules", 1000, 0),
    "kcal": ("joules", 4184, 0), "kwh": ("joules", 3_600_000, 0), "w": ("watts", 1, 0),
    "hpa": ("pascals", 100, 0), "kpa": ("pascals", 1000, 0), "pa": ("pascals", 1, 0), "l": ("liters", 1, 0),
    "ml": ("liters", 0.001, 0), "percent": ("ratio", 0.01, 0),
  ]
  /// The same for units of several words.
  private static let quotients: [[String]: (name: String, factor: Double)] = [
    ["m", "per", "s"]: ("meters_per_second", 1), ["m", "per", "s2"]: ("meters_per_square_second", 1),
    ["km", "per", "h"]: ("meters_per_second", 1 / 3.6), ["s", "per", "500m"]: ("seconds_per_500_meters", 1),
    ["m3", "per", "h"]: ("cubic_meters_per_second", 1.0 / 3600),
    ["us", "per", "cm"]: ("siemens_per_meter", 0.0001), ["degrees", "per", "s"]: ("degrees_per_second", 1),
    ["g", "per", "s"]: ("grams_per_second", 1), ["l", "per", "s"]: ("liters_per_second", 1),
  ]
  /// Kinds of metrics, which no name may contain.
  private static let kinds = [
    "counter": "count", "gauge": "level", "histogram": "distribution", "summary": "overview",
    "untyped": "plain",
  ]
  /// Ends of names that Prometheus keeps for other kinds of metrics.
  private static let kept: Set<String> = ["count", "sum", "bucket", "total", "info"]

  /// The unit of a field such as `temperature_celsius`.
  init(field: String) {
    var words = field.lowercased().split(separator: "_").map { word in
      String(String.UnicodeScalarView(word.unicodeScalars.filter { Self.isPlain($0) }))
    }
    words.removeAll(where: \.isEmpty)
    words = words.map { Self.kinds[$0] ?? $0 }
    if words.count > 1, words[1] == "since", let unit = Self.units[words[0]] {
      (factor, offset) = (unit.factor, 0)
      name = ([unit.name] + words.dropFirst()).joined(separator: "_")
      return
    }
    if let unit = Self.quotients[Array(words.suffix(3))] {
      (factor, offset) = (unit.factor, 0)
      name = (words.dropLast(3) + [unit.name]).joined(separator: "_")
      return
    }
    // Of other quotients, the last word is not the unit.
    let isQuotient = words.dropLast().last == "per"
    var unit = isQuotient ? nil : words.last.flatMap { Self.units[$0] }
    if words.first == "acceleration", words.last == "g" { unit = ("gravities", 1, 0) }
    (factor, offset) = (unit?.factor ?? 1, unit?.offset ?? 0)
    if let unit {
      words[words.count - 1] = unit.name
    } else if let last = words.last, Self.kept.contains(last) {
      words.append("value")
    } else if isQuotient || words.last.map({ $0.count < 3 }) ?? true {
      words.append("value")
    }
    name = words.joined(separator: "_")
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar)
  }
}
