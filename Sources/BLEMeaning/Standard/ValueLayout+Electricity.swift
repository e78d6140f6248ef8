// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Electricity and light.
  static func electricity(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2ae0: ValueLayout("Average Current", current("current_a"), time("sensing_duration_s"))
    case 0x2ae1: ValueLayout("Average Voltage", voltage("voltage_v"), time("sensing_duration_s"))
    case 0x2aee: ValueLayout("Electric Current", current("current_a"))
    case 0x2aef:
      ValueLayout(
        "Electric Current Range", current("minimum_current_a", "from"), current("maximum_current_a", "to"))
    case 0x2af0:
      ValueLayout(
        "Electric Current Specification", current("minimum_current_a", "from"),
        current("typical_current_a", "typically"), current("maximum_current_a", "to"))
    case 0x2af1:
      ValueLayout(
        "Electric Current Statistics", current("average_current_a", "average"),
        current("standard_deviation_a", "deviation"), current("minimum_current_a", "minimum"),
        current("maximum_current_a", "maximum"), time("sensing_duration_s"))
    case 0x2af2: ValueLayout("Energy", .number("energy_kwh", .u24, unit: "kWh", .unknown(0xffffff)))
    case 0x2b05: ValueLayout("Power", power("power_w"))
    case 0x2b06:
      ValueLayout(
        "Power Specification", power("minimum_power_w", "from"), power("typical_power_w", "typically"),
        power("maximum_power_w", "to"))
    case 0x2b18: ValueLayout("Voltage", voltage("voltage_v"))
    case 0x2b19:
      ValueLayout(
        "Voltage Specification", voltage("minimum_voltage_v", "from"),
        voltage("typical_voltage_v", "typically"), voltage("maximum_voltage_v", "to"))
    case 0x2b1a:
      ValueLayout(
        "Voltage Statistics", voltage("average_voltage_v", "average"),
        voltage("standard_deviation_v", "deviation"), voltage("minimum_voltage_v", "minimum"),
        voltage("maximum_voltage_v", "maximum"), time("sensing_duration_s"))
    case 0x2b89:
      ValueLayout(
        "Apparent Energy 32",
        .number(
          "apparent_energy_kvah", .u32, ten: -3, unit: "kVAh", .invalid(0xffff_fffe), .unknown(0xffff_ffff)))
    case 0x2b8a:
      ValueLayout(
        "Apparent Power",
        .number("apparent_power_va", .u24, ten: -1, unit: "VA", .invalid(0xfffffe), .unknown(0xffffff)))
    case 0x2ba8:
      ValueLayout(
        "Energy 32",
        .number("energy_kwh", .u32, ten: -3, unit: "kWh", .invalid(0xffff_fffe), .unknown(0xffff_ffff)))
    case 0x2be0:
      ValueLayout("High Voltage", .number("voltage_v", .u24, two: -6, unit: "V", .unknown(0xffffff)))
    case 0x2be8:
      ValueLayout(
        "Voltage Frequency",
        .number("frequency_hz", .u16, unit: "Hz", .word(0, "DC"), .invalid(0xfffe), .unknown(0xffff)))
    default: light(number)
    }
  }

  private static func light(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2ae9:
      ValueLayout(
        "Correlated Color Temperature",
        .number("color_temperature_k", .u16, unit: "K", .unknown(0xffff), in: 800...65_534))
    case 0x2afb:
      ValueLayout("Illuminance", .number("illuminance_lux", .u24, ten: -2, unit: "lx", .unknown(0xffffff)))
    case 0x2afc:
      ValueLayout(
        "Luminous Efficacy",
        .number(
          "luminous_efficacy_lm_per_w", .u16, ten: -1, unit: "lm/W", .unknown(0xffff), in: 0...18_000))
    case 0x2afd:
      ValueLayout(
        "Luminous Energy", .number("luminous_energy_lm_h", .u24, ten: 3, unit: "lm·h", .unknown(0xffffff)))
    case 0x2afe:
      ValueLayout(
        "Luminous Exposure",
        .number("luminous_exposure_lux_h", .u24, ten: 3, unit: "lx·h", .unknown(0xffffff)))
    case 0x2aff:
      ValueLayout("Luminous Flux", .number("luminous_flux_lm", .u16, unit: "lm", .unknown(0xffff)))
    case 0x2b01:
      ValueLayout(
        "Luminous Intensity", .number("luminous_intensity_cd", .u16, unit: "cd", .unknown(0xffff)))
    case 0x2b03: ValueLayout("Perceived Lightness", .number("perceived_lightness", .u16))
    case 0x2be2:
      ValueLayout(
        "Light Output",
        .number("light_output_lm", .u24, unit: "lm", .invalid(0xfffffe), .unknown(0xffffff)))
    case 0x2c1c:
      ValueLayout("Illuminance 16", .number("illuminance_lux", .u16, unit: "lx", .unknown(0xffff)))
    default: nil
    }
  }

  private static func current(_ key: String, _ label: String = "") -> LayoutPart {
    .number(key, label, .u16, ten: -2, unit: "A", .unknown(0xffff))
  }

  private static func voltage(_ key: String, _ label: String = "") -> LayoutPart {
    .number(key, label, .u16, two: -6, unit: "V", .unknown(0xffff), in: 0...1022 * 64)
  }

  private static func power(_ key: String, _ label: String = "") -> LayoutPart {
    .number(key, label, .u24, ten: -1, unit: "W", .invalid(0xfffffe), .unknown(0xffffff))
  }

  /// The duration of the measurement.
  static func time(_ key: String) -> LayoutPart {
    LayoutPart(
      content: .field(LayoutField(key: key, label: "over", unit: "s", kind: .exponentialTime)))
  }
}
