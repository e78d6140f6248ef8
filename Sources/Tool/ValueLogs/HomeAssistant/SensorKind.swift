// SPDX-License-Identifier: MIT
internal import ValueStreams

/// The classes of a number in Home Assistant, each of which allows only certain units and states.
package struct SensorKind: Equatable, Sendable {
  /// As Home Assistant spells it; nil if there is none.
  package let unit: String?
  /// Nil if Home Assistant has no class for it.
  package let deviceClass: String?
  /// Nil if Home Assistant must not sum it up or average it.
  package let stateClass: String?
  /// True if it is about the device, and not what it measures.
  package let isDiagnostic: Bool

  /// `key` is that of the decoded value, such as `humidity_percent`; `unit` is a symbol, such as `%`.
  package init(key: String, unit: String) {
    let symbol = Self.spelling[unit] ?? unit
    let measured = Self.measured(key)
    let deviceClass = Self.deviceClass(measured, symbol)
    self.deviceClass = deviceClass
    self.unit = symbol.isEmpty || deviceClass == "timestamp" ? nil : symbol
    let isAverage = measured != key
    stateClass =
      switch deviceClass {
      case "timestamp": nil
      // An extreme of a meter is not a meter.
      case "energy", "gas", "water": isAverage ? nil : "total_increasing"
      case "volume": isAverage ? nil : "total"
      // The mean of 359° and 1° is not 180°; a number that names something has none.
      default: symbol == "°" || Self.isName(measured) ? nil : "measurement"
      }
    isDiagnostic =
      Self.isName(measured) || deviceClass == "signal_strength" || deviceClass == "battery"
      || Self.diagnostic.contains(where: measured.hasPrefix)
  }

  /// The beginnings of the keys of numbers that are about the device.
  private static let diagnostic = [
    "battery", "rssi", "wifi_rssi", "tx_power", "advertisements", "uptime", "update_interval",
  ]

  /// Returns whether a number is a name, such as that of a channel: it is not measured.
  static func isName(_ key: String) -> Bool { names.contains(KeyWords.withoutNumber(key)) }

  private static let names: Set = [
    "alarm_flags", "battery_identifier", "bms_flags", "button_number", "button_value", "channel",
    "charger_error", "country_code", "device_type", "error_flags", "gear", "gtin", "io_status", "vebus_error",
    "flags", "key_id", "major", "minor",
    "mode", "probe", "profile", "reserved", "scenario", "settings_revision", "user_id", "user_index",
    "version",
  ]

  /// The units that Home Assistant spells otherwise.
  private static let spelling = [
    "l": "L", "ml": "mL", "l/s": "L/s", "ug/m3": "µg/m³", "uV": "µV", "us": "μs", "µs": "μs",
    "m/s2": "m/s²",
  ]

  /// The key of what was measured, of that of the least or greatest of several values.
  private static func measured(_ key: String) -> String {
    let prefix = AverageRecord.Extreme.allCases.map { "\($0.rawValue)_" }.first(where: key.hasPrefix)
    return prefix.map { String(key.dropFirst($0.count)) } ?? key
  }

  private static func deviceClass(_ key: String, _ unit: String) -> String? {
    let begins = { (words: [String]) in words.contains(where: key.hasPrefix) }
    return switch unit {
    // A difference is not converted like a temperature; the colour of light is none.
    case "°C", "°F", "K":
      begins(["standard_deviation", "color_temperature"]) ? nil : "temperature"
    case "%":
      if begins(["humidity"]) {
        "humidity"
      } else if begins(["moisture"]) {
        "moisture"
      } else {
        // State of charge, as meters of batteries call it.
        begins(["battery", "charge_percent"]) ? "battery" : nil
      }
    case "ppm": begins(["co2"]) ? "carbon_dioxide" : nil
    case "ppb": begins(["voc", "tvoc"]) ? "volatile_organic_compounds_parts" : nil
    case "µg/m³": particles.first { begins([$0.key]) }?.name
    // Accelerations are in g and mg, too.
    case "g", "mg": key.contains("mass") || key.contains("weight") ? "weight" : nil
    case "mg/dL", "mmol/L": begins(["glucose"]) ? "blood_glucose_concentration" : nil
    case "mm", "m":
      // In metres, there is no such class.
      if begins(["precipitation", "rain"]) { unit == "mm" ? "precipitation" : nil } else { "distance" }
    case "m/s", "km/h":
      begins(["wind", "apparent_wind", "true_wind"]) ? "wind_speed" : "speed"
    case "m³": begins(["gas"]) ? "gas" : volume(key)
    case "L", "mL": unit == "L" && begins(["water"]) ? "water" : volume(key)
    case "dB": begins(["noise", "sound"]) ? "sound_pressure" : nil
    case "dBm": key.contains("rssi") ? "signal_strength" : nil
    case "s": begins(["timestamp"]) ? "timestamp" : "duration"
    // What is available goes up and down.
    case "kWh" where begins(["available", "battery"]): "energy_storage"
    default: classes[unit]
    }
  }

  private static func volume(_ key: String) -> String {
    key.hasPrefix("volume_storage") || key.hasPrefix("medication") ? "volume_storage" : "volume"
  }

  private static let particles = [
    (key: "pm2_5", name: "pm25"), (key: "pm10", name: "pm10"), (key: "pm1_", name: "pm1"),
    (key: "tvoc", name: "volatile_organic_compounds"),
  ]

  /// The classes of the units that mean only one quantity.
  private static let classes = [
    "Pa": "pressure", "hPa": "pressure", "kPa": "pressure", "mbar": "pressure", "bar": "pressure",
    "psi": "pressure", "mmHg": "pressure", "lx": "illuminance", "W/m²": "irradiance",
    "V": "voltage", "mV": "voltage", "µV": "voltage", "kV": "voltage", "A": "current", "mA": "current",
    "W": "power", "mW": "power", "kW": "power", "VA": "apparent_power",
    "Hz": "frequency", "kHz": "frequency", "MHz": "frequency",
    "kWh": "energy", "Wh": "energy", "J": "energy", "kJ": "energy", "kcal": "energy",
    "kg": "weight", "lb": "weight",
    "cm": "distance", "km": "distance", "in": "distance", "ft": "distance",
    "h": "duration", "min": "duration", "ms": "duration", "μs": "duration", "d": "duration",
    "m³/h": "volume_flow_rate", "µS/cm": "conductivity",
  ]
}
