// SPDX-License-Identifier: MIT
internal import BLEFormats

/// The names that a person would choose for fields, made of their keys.
enum KeyWords {
  /// The words that are not simply written with a capital.
  private static let own = [
    "average_pace_s_per_500m": "Average pace", "co2": "CO₂", "energy_kcal_per_hour": "Energy per hour",
    "energy_kcal_per_minute": "Energy per minute", "hba1c": "HbA1c", "nox_index": "NOx index", "pm1": "PM1",
    "pm10": "PM10",
    "pm2_5": "PM2.5", "pm4": "PM4", "rssi": "Signal strength", "rssi_at_1m": "Signal strength at 1 m",
    "spo2": "SpO₂", "tvoc": "TVOC", "tx_power": "Transmit power", "uv_index": "UV index", "voc": "VOC",
    "voc_index": "VOC index", "wifi_rssi": "Wi-Fi signal strength", "problem_detected": "Problem",
    "no_motion": "Time without motion", "pace_s_per_500m": "Pace",
  ]

  /// The words that are abbreviations.
  private static let abbreviations: Set = [
    "ac", "bmi", "bms", "dc", "gtin", "hdop", "hid", "io", "ln", "rr", "rsc", "rssi", "uuid", "vdop", "voc",
  ]

  /// The name of a field: `Temperature` for `temperature_celsius`, `Temperature 2` for `temperature_celsius_2`.
  static func name(of field: DecodedFields.Field) -> String {
    if let name = own[field.key] { return name }
    var first = field
    first.key = withoutNumber(field.key)
    let quantity = first.quantity
    let name = own[quantity] ?? capitalized(quantity)
    if first.key == field.key { return name }
    return "\(name) \(field.key.dropFirst(first.key.utf8.count + 1))"
  }

  private static func capitalized(_ key: String) -> String {
    let words = key.split(separator: "_").map {
      abbreviations.contains(String($0)) ? $0.uppercased() : String($0)
    }
    let text = words.joined(separator: " ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  /// A key without the number of one of several: `temperature_celsius` for `temperature_celsius_2`.
  static func withoutNumber(_ key: String) -> String {
    guard let end = key.lastIndex(of: "_"), let number = Int(key[key.index(after: end)...]), number > 1,
      end > key.startIndex
    else { return key }
    return String(key[..<end])
  }
}
