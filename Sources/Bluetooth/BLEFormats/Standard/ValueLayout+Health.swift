// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Thermometers and blood pressure monitors.
  static func health(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a1c: temperatureMeasurement("Temperature Measurement")
    case 0x2a1e: temperatureMeasurement("Intermediate Temperature")
    case 0x2a1d: ValueLayout("Temperature Type", .choice("temperature_type", temperatureType))
    case 0x2a21:
      ValueLayout(
        "Measurement Interval", isWritable: true,
        .number("measurement_interval_s", .u16, unit: "s", .word(0, "no periodic measurement")))
    case 0x2a35:
      ValueLayout(
        "Blood Pressure Measurement",
        bloodPressure: [
          ("systolic", "systolic"), ("diastolic", "diastolic"), ("mean_arterial_pressure", "mean"),
        ])
    case 0x2a36: ValueLayout("Intermediate Cuff Pressure", bloodPressure: [("cuff_pressure", "")])
    case 0x2a49:
      ValueLayout(
        "Blood Pressure Feature",
        .set(
          "blood_pressure_features", size: 2,
          [
            "body movement detection", "cuff fit detection", "irregular pulse detection",
            "pulse rate range detection", "measurement position detection", "multiple bonds", "E2E-CRC",
            "user data service", "user facing time",
          ]))
    default: nil
    }
  }

  private static func temperatureMeasurement(_ name: String) -> ValueLayout {
    ValueLayout(
      name, .flags(1, presence: [0...2]),
      .float("temperature_celsius", unit: "°C").when(0, is: false),
      .float("temperature_fahrenheit", unit: "°F").when(0),
      .dateTime("time").when(1),
      .choice("temperature_type", temperatureType).when(2))
  }

  private static var temperatureType: Choice {
    Choice(
      .reserved, "armpit", "body", "ear", "finger", "gastrointestinal tract", "mouth", "rectum", "toe",
      "tympanum")
  }

  /// Pressures in one of two units, and the fields that follow them in both characteristics.
  private init(_ name: String, bloodPressure pressures: [(key: String, label: String)]) {
    var parts: [LayoutPart] = [.flags(1, presence: [0...4])]
    for (suffix, unit, isKilopascal) in [("mmhg", "mmHg", false), ("kpa", "kPa", true)] {
      parts += pressures.map { pressure in
        .sfloat("\(pressure.key)_\(suffix)", pressure.label, unit: unit).when(0, is: isKilopascal)
      }
    }
    // The cuff pressure is the first of three numbers; the other two are NaN.
    if pressures.count == 1 { parts.append(.plain("unused", .unused([0xff, 0x07, 0xff, 0x07]))) }
    parts += [
      .dateTime("time").when(1),
      .sfloat("pulse_rate_bpm", "pulse", unit: "bpm").when(2),
      .number("user_id", "user", .u8, .unknown(0xff)).when(3),
      LayoutPart.word(
        2,
        .set(
          "measurement_status", "status",
          ["body movement", "cuff too loose", "irregular pulse"]),
        .choice(
          "pulse_rate_range", "pulse rate", bits: 3...4,
          Choice("within range", "above upper limit", "below lower limit")),
        .bool("improper_position", "improper position", bit: 5)
      ).when(4),
    ]
    self.init(name, parts: parts)
  }
}
