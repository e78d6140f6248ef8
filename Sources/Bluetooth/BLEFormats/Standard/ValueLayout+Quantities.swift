// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Quantities that many services use: counts, times, temperatures, flows, mechanics.
  static func quantity(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2ae2: ValueLayout("Boolean", isWritable: true, .choice("value", .yesOrNo))
    case 0x2ae8: ValueLayout("Coefficient", .plain("coefficient", .real(RealShape(.ieee(.f32)))))
    case 0x2aea: ValueLayout("Count 16", .number("count", .u16, .unknown(0xffff)))
    case 0x2aeb: ValueLayout("Count 24", .number("count", .u24, .unknown(0xffffff)))
    case 0x2aec: ValueLayout("Country Code", .number("country_code", .u16, .unknown(0xffff), in: 0...4095))
    case 0x2aed: ValueLayout("Date UTC", .plain("date", .dayCount))
    case 0x2af5: fixedString("Fixed String 16", 16)
    case 0x2af6: fixedString("Fixed String 24", 24)
    case 0x2af7: fixedString("Fixed String 36", 36)
    case 0x2af8: fixedString("Fixed String 8", 8)
    case 0x2bde: fixedString("Fixed String 64", 64)
    case 0x2af9: ValueLayout("Generic Level", isWritable: true, .number("level", .u16))
    case 0x2afa: ValueLayout("Global Trade Item Number", .number("gtin", .u48, .unknown(0)))
    case 0x2b02: ValueLayout("Mass Flow", .number("mass_flow_g_per_s", .u16, unit: "g/s", .unknown(0xffff)))
    case 0x2b04:
      ValueLayout(
        "Percentage 8", .number("percentage", .u8, two: -1, unit: "%", .unknown(0xff), in: 0...200))
    case 0x2b0d: ValueLayout("Temperature 8", temperature8("temperature_celsius"))
    case 0x2b0e:
      ValueLayout(
        "Temperature 8 in a Period of Day", temperature8("temperature_celsius"),
        decihours("start_time_hours", "from"), decihours("end_time_hours", "to"))
    case 0x2b0f:
      ValueLayout(
        "Temperature 8 Statistics", temperature8("average_celsius", "average"),
        temperature8("standard_deviation_celsius", "deviation"), temperature8("minimum_celsius", "minimum"),
        temperature8("maximum_celsius", "maximum"), time("sensing_duration_s"))
    case 0x2b10:
      ValueLayout(
        "Temperature Range", temperature("minimum_celsius", "from"), temperature("maximum_celsius", "to"))
    case 0x2b11:
      ValueLayout(
        "Temperature Statistics", temperature("average_celsius", "average"),
        temperature("standard_deviation_celsius", "deviation"), temperature("minimum_celsius", "minimum"),
        temperature("maximum_celsius", "maximum"), time("sensing_duration_s"))
    case 0x2b12: ValueLayout("Time Decihour 8", decihours("time_hours"))
    case 0x2b13: ValueLayout("Time Exponential 8", time("time_s"))
    case 0x2b14: ValueLayout("Time Hour 24", .number("time_hours", .u24, unit: "h", .unknown(0xffffff)))
    case 0x2b15:
      ValueLayout("Time Millisecond 24", .number("time_s", .u24, ten: -3, unit: "s", .unknown(0xffffff)))
    case 0x2b16: ValueLayout("Time Second 16", .number("time_s", .u16, unit: "s", .unknown(0xffff)))
    case 0x2b17: ValueLayout("Time Second 8", .number("time_s", .u8, unit: "s", .unknown(0xff)))
    case 0x2b1b:
      ValueLayout(
        "Volume Flow", .number("volume_flow_l_per_s", .u16, ten: -3, unit: "L/s", .unknown(0xffff)))
    case 0x2b8d:
      ValueLayout(
        "Cosine of the Angle", .number("cosine", .i8, ten: -2, .unknown(0x7f), in: -100...100))
    case 0x2bdf:
      ValueLayout(
        "High Temperature",
        .number(
          "temperature_celsius", .i16, two: -1, unit: "°C", .invalid(-0x7fff), .unknown(-0x8000),
          in: -546...32_767))
    case 0x2be6: ValueLayout("Time Second 32", .number("time_s", .u32, unit: "s", .unknown(0xffff_ffff)))
    default: mechanics(number)
    }
  }

  private static func mechanics(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2abe: string("Object Name", "object_name", isWritable: true)
    case 0x2abf: ValueLayout("Object Type", .plain("object_type", .uuid))
    case 0x2ac1: ValueLayout("Object First-Created", isWritable: true, .dateTime("time"))
    case 0x2ac2: ValueLayout("Object Last-Modified", isWritable: true, .dateTime("time"))
    case 0x2ac3: ValueLayout("Object ID", .plain("object_id", .hexNumber(6)))
    case 0x2b46: ValueLayout("Preferred Units", isWritable: true, .plain("units", .shortUUIDs))
    case 0x2c06:
      ValueLayout(
        "Acceleration",
        .number("acceleration_m_per_s2", .i32, ten: -3, unit: "m/s²", .unknown(0x7fff_ffff)))
    case 0x2c07: ValueLayout("Force", .number("force_n", .i32, ten: -3, unit: "N", .unknown(0x7fff_ffff)))
    case 0x2c08:
      ValueLayout(
        "Linear Position", .number("position_m", .i32, ten: -7, unit: "m", .unknown(0x7fff_ffff)))
    case 0x2c09:
      ValueLayout(
        "Rotational Speed", .number("rotational_speed_rpm", .i32, unit: "rpm", .unknown(0x7fff_ffff)))
    case 0x2c0a: ValueLayout("Length", .number("length_m", .u32, ten: -7, unit: "m", .unknown(0xffff_ffff)))
    case 0x2c0b: ValueLayout("Torque", .number("torque_nm", .i32, ten: -2, unit: "Nm", .unknown(0x7fff_ffff)))
    case 0x2c1f: ValueLayout("Acceleration Detection Status", .choice("acceleration_detected", .yesOrNo))
    case 0x2c20: ValueLayout("Door/Window Status", .choice("status", Choice("open", "closed", "tilted")))
    default: nil
    }
  }

  private static func fixedString(_ name: String, _ size: Int) -> ValueLayout {
    ValueLayout(name, isWritable: true, .plain("text", .text(.fixed(size))))
  }

  private static func temperature8(_ key: String, _ label: String = "") -> LayoutPart {
    .number(key, label, .i8, two: -1, unit: "°C", .unknown(0x7f))
  }

  private static func decihours(_ key: String, _ label: String = "") -> LayoutPart {
    .number(key, label, .u8, ten: -1, unit: "h", .unknown(0xff), in: 0...239)
  }
}

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
    case 0x2aff: ValueLayout("Luminous Flux", .number("luminous_flux_lm", .u16, unit: "lm", .unknown(0xffff)))
    case 0x2b01:
      ValueLayout(
        "Luminous Intensity", .number("luminous_intensity_cd", .u16, unit: "cd", .unknown(0xffff)))
    case 0x2b03: ValueLayout("Perceived Lightness", .number("perceived_lightness", .u16))
    case 0x2be2:
      ValueLayout(
        "Light Output",
        .number("light_output_lm", .u24, unit: "lm", .invalid(0xfffffe), .unknown(0xffffff)))
    case 0x2c1c: ValueLayout("Illuminance 16", .number("illuminance_lux", .u16, unit: "lx", .unknown(0xffff)))
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

  static func time(_ key: String) -> LayoutPart {
    LayoutPart(
      content: .field(LayoutField(key: key, label: "over", unit: "s", kind: .exponentialTime)))
  }
}
