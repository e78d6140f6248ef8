// SPDX-License-Identifier: MIT

/// A kind of object in BTHome, and the format of its bytes.
struct BTHomeKind {
  /// The encoding of the value.
  private enum Shape {
    /// An integer of some bytes, times `times`, times ten to the power of `ten`.
    case number(Int, isSigned: Bool, times: Int, ten: Int)
    /// True or false.
    case state
    /// A number that represents a word.
    case event([Int: String])
    /// A word and a number of steps.
    case dimmer
    /// A length, a number that represents a word, and its arguments.
    case command
    /// A length, and that many bytes of UTF-8.
    case text
    /// A length, and that many bytes.
    case raw
    /// Several numbers, the least significant first.
    case version(Int)
  }

  /// The name of the value, with its unit at the end.
  let key: String
  /// The symbol of the unit; empty if there is none.
  let unit: String
  private let shape: Shape

  private init(_ key: String, _ unit: String, _ shape: Shape) {
    (self.key, self.unit, self.shape) = (key, unit, shape)
  }

  /// Whether the unit alone does not show what is measured.
  static func needsLabel(_ unit: String) -> Bool { unit != "°C" && unit != "hPa" && unit != "lx" }

  private static func unsigned(
    _ key: String, _ size: Int, ten: Int = 0, _ unit: String = ""
  ) -> BTHomeKind {
    BTHomeKind(key, unit, .number(size, isSigned: false, times: 1, ten: ten))
  }

  private static func signed(
    _ key: String, _ size: Int, ten: Int = 0, _ unit: String = "", times: Int = 1
  ) -> BTHomeKind {
    BTHomeKind(key, unit, .number(size, isSigned: true, times: times, ten: ten))
  }

  /// The kind with a number, or nil if the format does not define it.
  init?(_ identifier: UInt8) {
    guard let kind = Self.measurement(identifier) ?? Self.later(identifier) ?? Self.state(identifier) else {
      return nil
    }
    self = kind
  }

  private static func measurement(_ identifier: UInt8) -> BTHomeKind? {
    switch identifier {
    case 0x00: unsigned("packet_id", 1)
    case 0x01: unsigned("battery_percent", 1, "%")
    case 0x02: signed("temperature_celsius", 2, ten: -2, "°C")
    case 0x03: unsigned("humidity_percent", 2, ten: -2, "%")
    case 0x04: unsigned("pressure_hpa", 3, ten: -2, "hPa")
    case 0x05: unsigned("illuminance_lux", 3, ten: -2, "lx")
    case 0x06: unsigned("mass_kg", 2, ten: -2, "kg")
    case 0x07: unsigned("mass_lb", 2, ten: -2, "lb")
    case 0x08: signed("dew_point_celsius", 2, ten: -2, "°C")
    case 0x09: unsigned("count", 1)
    case 0x0a: unsigned("energy_kwh", 3, ten: -3, "kWh")
    case 0x0b: unsigned("power_w", 3, ten: -2, "W")
    case 0x0c: unsigned("voltage_v", 2, ten: -3, "V")
    case 0x0d: unsigned("pm2_5_ug_per_m3", 2, "µg/m³")
    case 0x0e: unsigned("pm10_ug_per_m3", 2, "µg/m³")
    case 0x12: unsigned("co2_ppm", 2, "ppm")
    case 0x13: unsigned("tvoc_ug_per_m3", 2, "µg/m³")
    case 0x14: unsigned("moisture_percent", 2, ten: -2, "%")
    case 0x2e: unsigned("humidity_percent", 1, "%")
    case 0x2f: unsigned("moisture_percent", 1, "%")
    case 0x3a: BTHomeKind("button", "", .event(buttonEvents))
    case 0x3b: BTHomeKind("command", "", .command)
    case 0x3c: BTHomeKind("dimmer", "", .dimmer)
    case 0x3d: unsigned("count", 2)
    case 0x3e: unsigned("count", 4)
    case 0x3f: signed("rotation_degrees", 2, ten: -1, "°")
    case 0x40: unsigned("distance_mm", 2, "mm")
    case 0x41: unsigned("distance_m", 2, ten: -1, "m")
    case 0x42: unsigned("duration_s", 3, ten: -3, "s")
    case 0x43: unsigned("current_a", 2, ten: -3, "A")
    case 0x44: unsigned("speed_m_per_s", 2, ten: -2, "m/s")
    case 0x45: signed("temperature_celsius", 2, ten: -1, "°C")
    case 0x46: unsigned("uv_index", 1, ten: -1)
    case 0x47: unsigned("volume_l", 2, ten: -1, "l")
    case 0x48: unsigned("volume_ml", 2, "ml")
    case 0x49: unsigned("flow_m3_per_h", 2, ten: -3, "m³/h")
    case 0x4a: unsigned("voltage_v", 2, ten: -1, "V")
    default: nil
    }
  }

  private static func later(_ identifier: UInt8) -> BTHomeKind? {
    switch identifier {
    case 0x4b: unsigned("gas_m3", 3, ten: -3, "m³")
    case 0x4c: unsigned("gas_m3", 4, ten: -3, "m³")
    case 0x4d: unsigned("energy_kwh", 4, ten: -3, "kWh")
    case 0x4e: unsigned("volume_l", 4, ten: -3, "l")
    case 0x4f: unsigned("water_l", 4, ten: -3, "l")
    case 0x50: unsigned("timestamp_s", 4, "s")
    case 0x51: unsigned("acceleration_m_per_s2", 2, ten: -3, "m/s²")
    case 0x52: unsigned("gyroscope_degrees_per_s", 2, ten: -3, "°/s")
    case 0x53: BTHomeKind("text", "", .text)
    case 0x54: BTHomeKind("raw", "", .raw)
    case 0x55: unsigned("volume_storage_l", 4, ten: -3, "l")
    case 0x56: unsigned("conductivity_us_per_cm", 2, "µS/cm")
    case 0x57: signed("temperature_celsius", 1, "°C")
    case 0x58: signed("temperature_celsius", 1, ten: -2, "°C", times: 35)
    case 0x59: signed("count", 1)
    case 0x5a: signed("count", 2)
    case 0x5b: signed("count", 4)
    case 0x5c: signed("power_w", 4, ten: -2, "W")
    case 0x5d: signed("current_a", 2, ten: -3, "A")
    case 0x5e: unsigned("direction_degrees", 2, ten: -2, "°")
    case 0x5f: unsigned("precipitation_mm", 2, ten: -1, "mm")
    case 0x60: unsigned("channel", 1)
    case 0x61: unsigned("rotational_speed_rpm", 2, "rpm")
    case 0x62: signed("speed_m_per_s", 4, ten: -6, "m/s")
    case 0x63: signed("acceleration_m_per_s2", 4, ten: -6, "m/s²")
    case 0x64: unsigned("light_level", 1)
    case 0x65: unsigned("settings_revision", 1)
    case 0xf0: unsigned("device_type", 2)
    case 0xf1: BTHomeKind("firmware", "", .version(4))
    case 0xf2: BTHomeKind("firmware", "", .version(3))
    default: nil
    }
  }

  private static func state(_ identifier: UInt8) -> BTHomeKind? {
    let key: String? =
      switch identifier {
      case 0x0f: "state"
      case 0x10: "power"
      case 0x11: "opening"
      case 0x15: "battery_low"
      case 0x16: "battery_charging"
      case 0x17: "carbon_monoxide"
      case 0x18: "cold"
      case 0x19: "connected"
      case 0x1a: "door"
      case 0x1b: "garage_door"
      case 0x1c: "gas"
      case 0x1d: "heat"
      case 0x1e: "light"
      case 0x1f: "lock"
      case 0x20: "moisture"
      case 0x21: "motion"
      case 0x22: "moving"
      case 0x23: "occupancy"
      case 0x24: "plug"
      case 0x25: "presence"
      case 0x26: "problem"
      case 0x27: "running"
      case 0x28: "safety"
      case 0x29: "smoke"
      case 0x2a: "sound"
      case 0x2b: "tamper"
      case 0x2c: "vibration"
      case 0x2d: "window"
      default: nil
      }
    return key.map { BTHomeKind($0, "", .state) }
  }

  private static var buttonEvents: [Int: String] {
    [
      0x00: "none", 0x01: "press", 0x02: "double press", 0x03: "triple press", 0x04: "long press",
      0x05: "long double press", 0x06: "long triple press", 0x80: "hold press", 0x81: "hold release",
    ]
  }

  private static var commands: [Int: String] {
    [0x00: "off", 0x01: "on", 0x02: "toggle", 0x03: "step up", 0x04: "step down"]
  }

  /// The value after the number of the kind; nil if there are too few bytes.
  func value(_ reader: inout ByteReader) -> DecodedValue? {
    switch shape {
    case .number(let size, let isSigned, let times, let ten):
      guard let raw = isSigned ? reader.signed(size) : reader.unsigned(size) else { return nil }
      return ten == 0 ? .integer(raw * times) : .decimal(DecimalNumber(mantissa: raw * times, exponent: ten))
    case .state: return reader.unsigned(1).map { .bool($0 != 0) }
    case .event(let names): return reader.unsigned(1).map { .text(names[$0] ?? "event \($0)") }
    case .dimmer:
      guard let event = reader.unsigned(1), let steps = reader.unsigned(1) else { return nil }
      switch event {
      case 0: return "none"
      case 1: return .integer(-steps)
      case 2: return .integer(steps)
      default: return .text("event \(event)")
      }
    case .command:
      // Only the low bits are the length, that of the arguments.
      guard let length = reader.unsigned(1), let command = reader.unsigned(1),
        let arguments = reader.bytes(length & 0x1f)
      else { return nil }
      let name = Self.commands[command] ?? "command \(command)"
      return .text(arguments.isEmpty ? name : "\(name) \(Hex.string(arguments))")
    case .text:
      guard let length = reader.unsigned(1), let bytes = reader.bytes(length) else { return nil }
      return .text(String(decoding: bytes, as: UTF8.self))
    case .raw:
      guard let length = reader.unsigned(1), let bytes = reader.bytes(length) else { return nil }
      return .bytes(bytes)
    case .version(let count):
      return reader.bytes(count).map { .text($0.reversed().map(String.init).joined(separator: ".")) }
    }
  }
}
