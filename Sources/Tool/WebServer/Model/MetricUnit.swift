// SPDX-License-Identifier: MIT

/// The name and the unit of a field in metrics, whose units are those without a prefix.
struct MetricUnit {
  /// The name of the metric, without `blectl_`.
  let name: String
  private let factor: Double
  private let offset: Double

  /// A hundredth is exact by a division: 70 * 0.01 is 0.7000000000000001.
  func value(of number: Double) -> Double {
    let divisor = (1 / factor).rounded()
    let isExact = divisor > 1 && abs(1 / factor - divisor) < 1e-9 * divisor
    return isExact ? (number - offset) / divisor : (number - offset) * factor
  }

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
    "ml": ("liters", 0.001, 0), "percent": ("ratio", 0.01, 0), "hz": ("hertz", 1, 0),
    "khz": ("hertz", 1000, 0), "ah": ("coulombs", 3600, 0), "mah": ("coulombs", 3.6, 0),
    "mmhg": ("pascals", 133.322_387_415, 0), "bar": ("pascals", 100_000, 0), "ug": ("grams", 1e-6, 0),
    "kw": ("watts", 1000, 0), "mw": ("watts", 0.001, 0), "j": ("joules", 1, 0), "wh": ("joules", 3600, 0),
    "m3": ("cubic_meters", 1, 0), "m2": ("square_meters", 1, 0), "nm": ("newton_meters", 1, 0),
    "n": ("newtons", 1, 0), "t": ("teslas", 1, 0), "k": ("kelvin", 1, 0), "lm": ("lumens", 1, 0),
    "cd": ("candelas", 1, 0), "ohm": ("ohms", 1, 0), "va": ("volt_amperes", 1, 0),
    "kvah": ("volt_ampere_seconds", 3_600_000, 0), "us": ("seconds", 1e-6, 0), "uv": ("volts", 1e-6, 0),
    "kv": ("volts", 1000, 0),
  ]
  /// The same for units of several words.
  private static let quotients: [[String]: (name: String, factor: Double)] = [
    ["m", "per", "s"]: ("meters_per_second", 1), ["m", "per", "s2"]: ("meters_per_square_second", 1),
    ["km", "per", "h"]: ("meters_per_second", 1 / 3.6), ["s", "per", "500m"]: ("seconds_per_500_meters", 1),
    ["m3", "per", "h"]: ("cubic_meters_per_second", 1.0 / 3600),
    ["us", "per", "cm"]: ("siemens_per_meter", 0.0001), ["degrees", "per", "s"]: ("degrees_per_second", 1),
    ["g", "per", "s"]: ("grams_per_second", 1), ["l", "per", "s"]: ("liters_per_second", 1),
    ["ug", "per", "m3"]: ("grams_per_cubic_meter", 1e-6),
    ["mg", "per", "m3"]: ("grams_per_cubic_meter", 0.001),
    ["kg", "per", "m3"]: ("grams_per_cubic_meter", 1000),
    ["l", "per", "h"]: ("liters_per_second", 1.0 / 3600),
    ["kcal", "per", "hour"]: ("watts", 4184.0 / 3600), ["kcal", "per", "minute"]: ("watts", 4184.0 / 60),
    ["mg", "per", "dl"]: ("grams_per_liter", 0.01), ["mmol", "per", "l"]: ("moles_per_liter", 0.001),
    ["w", "per", "m2"]: ("watts_per_square_meter", 1), ["kg", "per", "m2"]: ("grams_per_square_meter", 1000),
    ["lm", "per", "w"]: ("lumens_per_watt", 1), ["pollen", "per", "m3"]: ("pollen_per_cubic_meter", 1),
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
    // The second value of a kind, such as humidity_percent_2: the name ends with the unit.
    if let number = words.last, number.allSatisfy(\.isNumber) {
      let others = words.dropLast()
      let length = Self.quotients[Array(others.suffix(3))] != nil ? 3 : 1
      if length == 3 || others.count > 1 && others.last.map({ Self.units[$0] != nil }) ?? false {
        words = others.dropLast(length) + [number] + others.suffix(length)
      }
    }
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
    // A letter alone is a name: of a layout such as n=u8.
    let isName = words.count == 1 && words[0].count < 3
    var unit = isQuotient || isName ? nil : words.last.flatMap { Self.units[$0] }
    if words.first == "acceleration", let last = words.last, ["g", "mg"].contains(last) {
      unit = ("gravities", last == "g" ? 1 : 0.001, 0)
    }
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
