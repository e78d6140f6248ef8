// SPDX-License-Identifier: MIT

/// What a number is to Home Assistant, which knows only certain units with each class.
struct SensorKind: Equatable {
  let unit: String
  /// Nil for a number that Home Assistant has no class for.
  let deviceClass: String?
  /// Nil for a number that it must not average.
  let stateClass: String?

  /// - Parameters:
  ///   - key: of the decoded value, such as `humidity_percent`.
  ///   - unit: its symbol, such as `%`.
  init(key: String, unit: String) {
    self.unit = unit
    deviceClass = SensorKind.deviceClass(key, unit)
    // An amount of energy is a sum; of which period, the value does not say.
    stateClass = deviceClass == "energy" ? nil : "measurement"
  }

  private static func deviceClass(_ key: String, _ unit: String) -> String? {
    switch unit {
    // A difference is not converted as a temperature is.
    case "°C", "°F", "K": key.hasPrefix("standard_deviation") ? nil : "temperature"
    case "%" where key.hasPrefix("humidity"): "humidity"
    case "%" where key.hasPrefix("battery_level"): "battery"
    case "ppm" where key.hasPrefix("co2"): "carbon_dioxide"
    case "mg/dL", "mmol/L": key.hasPrefix("glucose") ? "blood_glucose_concentration" : nil
    default: classes[unit]
    }
  }

  /// The classes of the units that mean one quantity only.
  private static let classes = [
    "Pa": "pressure", "lx": "illuminance", "W/m²": "irradiance",
    "V": "voltage", "A": "current", "W": "power", "VA": "apparent_power", "Hz": "frequency",
    "kWh": "energy", "kJ": "energy", "kcal": "energy",
    "kg": "weight", "g": "weight", "mg": "weight", "lb": "weight",
    "m": "distance", "in": "distance", "m/s": "speed", "km/h": "speed",
    "h": "duration", "min": "duration", "s": "duration", "ms": "duration",
    "dBm": "signal_strength",
  ]
}
