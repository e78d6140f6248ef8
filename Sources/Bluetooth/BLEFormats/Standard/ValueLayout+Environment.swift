// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// The Environmental Sensing service: weather, air, light.
  static func environment(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a2c: ValueLayout("Magnetic Declination", degrees("magnetic_declination_degrees"))
    case 0x2a6c: ValueLayout("Elevation", .number("elevation_m", .i24, ten: -2, unit: "m"))
    case 0x2a6d: ValueLayout("Pressure", .number("pressure_pa", .u32, ten: -1, unit: "Pa"))
    case 0x2a6e: ValueLayout("Temperature", temperature("temperature_celsius"))
    case 0x2a6f:
      ValueLayout(
        "Humidity", .number("humidity_percent", .u16, ten: -2, unit: "%", .unknown(0xffff), in: 0...10_000))
    case 0x2a70: ValueLayout("True Wind Speed", speed("wind_speed_m_per_s"))
    case 0x2a71: ValueLayout("True Wind Direction", degrees("wind_direction_degrees"))
    case 0x2a72: ValueLayout("Apparent Wind Speed", speed("apparent_wind_speed_m_per_s"))
    case 0x2a73: ValueLayout("Apparent Wind Direction", degrees("apparent_wind_direction_degrees"))
    case 0x2a74: ValueLayout("Gust Factor", .number("gust_factor", .u8, ten: -1))
    case 0x2a75: ValueLayout("Pollen Concentration", .number("pollen_per_m3", .u24, unit: "/m³"))
    case 0x2a76: ValueLayout("UV Index", .number("uv_index", .u8))
    case 0x2a77: ValueLayout("Irradiance", .number("irradiance_w_per_m2", .u16, ten: -1, unit: "W/m²"))
    case 0x2a78: ValueLayout("Rainfall", .number("rainfall_m", .u16, ten: -3, unit: "m"))
    case 0x2a79: ValueLayout("Wind Chill", .number("wind_chill_celsius", .i8, unit: "°C"))
    case 0x2a7a: ValueLayout("Heat Index", .number("heat_index_celsius", .i8, unit: "°C"))
    case 0x2a7b: ValueLayout("Dew Point", .number("dew_point_celsius", .i8, unit: "°C"))
    case 0x2aa0: ValueLayout("Magnetic Flux Density - 2D", tesla("x"), tesla("y"))
    case 0x2aa1: ValueLayout("Magnetic Flux Density - 3D", tesla("x"), tesla("y"), tesla("z"))
    case 0x2aa3:
      ValueLayout(
        "Barometric Pressure Trend",
        .choice(
          "pressure_trend",
          Choice(
            "unknown", "continuously falling", "continuously rising", "falling, then steady",
            "rising, then steady", "falling before a lesser rise", "falling before a greater rise",
            "rising before a greater fall", "rising before a lesser fall", "steady")))
    case 0x2c1b:
      ValueLayout(
        "Humidity 8", .number("humidity_percent", .u8, two: -1, unit: "%", .unknown(0xff), in: 0...200))
    default: air(number)
    }
  }

  /// Gases and particles in the air.
  private static func air(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2b8c:
      ValueLayout(
        "CO2 Concentration",
        .number(
          "co2_ppm", .u16, unit: "ppm", .word(0xfffe, "65534 or more"), .unknown(0xffff)))
    case 0x2bcf: concentration("Ammonia Concentration", "ammonia_kg_per_m3")
    case 0x2bd0: concentration("Carbon Monoxide Concentration", "carbon_monoxide_kg_per_m3")
    case 0x2bd1: ValueLayout("Methane Concentration", .sfloat("methane_ppb", unit: "ppb"))
    case 0x2bd2: concentration("Nitrogen Dioxide Concentration", "nitrogen_dioxide_kg_per_m3")
    case 0x2bd3:
      concentration("Non-Methane Volatile Organic Compounds Concentration", "non_methane_voc_kg_per_m3")
    case 0x2bd4: concentration("Ozone Concentration", "ozone_kg_per_m3")
    case 0x2bd5: concentration("Particulate Matter - PM1 Concentration", "pm1_kg_per_m3")
    case 0x2bd6: concentration("Particulate Matter - PM2.5 Concentration", "pm2_5_kg_per_m3")
    case 0x2bd7: concentration("Particulate Matter - PM10 Concentration", "pm10_kg_per_m3")
    case 0x2bd8: concentration("Sulfur Dioxide Concentration", "sulfur_dioxide_kg_per_m3")
    case 0x2bd9: concentration("Sulfur Hexafluoride Concentration", "sulfur_hexafluoride_kg_per_m3")
    case 0x2be4:
      ValueLayout(
        "Noise", .number("noise_db", .u8, unit: "dB", .word(0xfe, "254 or more"), .unknown(0xff)))
    case 0x2be7:
      ValueLayout(
        "VOC Concentration",
        .number("voc_ppb", .u16, unit: "ppb", .word(0xfffe, "65534 or more"), .unknown(0xffff)))
    default: nil
    }
  }

  private static func concentration(_ name: String, _ key: String) -> ValueLayout {
    ValueLayout(name, .sfloat(key, unit: "kg/m³"))
  }

  private static func degrees(_ key: String) -> LayoutPart {
    .number(key, .u16, ten: -2, unit: "°", in: 0...35_999)
  }

  private static func speed(_ key: String) -> LayoutPart { .number(key, .u16, ten: -2, unit: "m/s") }

  private static func tesla(_ axis: String) -> LayoutPart {
    .number("magnetic_flux_density_\(axis)_t", axis, .i16, ten: -7, unit: "T")
  }

  static func temperature(_ key: String, _ label: String = "") -> LayoutPart {
    .number(key, label, .i16, ten: -2, unit: "°C", .unknown(-0x8000), in: -27_315...32_767)
  }
}
