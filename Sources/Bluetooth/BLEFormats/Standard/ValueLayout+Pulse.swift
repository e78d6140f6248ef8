// SPDX-License-Identifier: MIT

extension ValueLayout {
  static func heartRate(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a37:
      ValueLayout(
        "Heart Rate Measurement",
        .flags(
          1, presence: [0...0, 3...4],
          .choice(
            "sensor_contact", "contact", bits: 1...2, Choice(.absent, .absent, .isTrue(false), .isTrue(true)))
        ),
        .number("heart_rate_bpm", .u8, unit: "bpm").when(0, is: false),
        .number("heart_rate_bpm", .u16, unit: "bpm").when(0),
        .number("energy_expended_kj", "energy", .u16, unit: "kJ").when(3),
        .numbers(
          "rr_intervals_ms", "RR", .u16, times: 1000, two: -10, unit: "ms", isShownInSeconds: true
        ).when(4))
    case 0x2a38:
      ValueLayout(
        "Body Sensor Location",
        .choice(
          "body_sensor_location",
          Choice("other", "chest", "wrist", "finger", "hand", "ear lobe", "foot")))
    case 0x2a39:
      ValueLayout(
        "Heart Rate Control Point", isWritable: true,
        .choice("heart_rate_control_point", Choice(.reserved, "reset energy expended")))
    default: nil
    }
  }
}

extension ValueLayout {
  static func pulseOximeter(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a5e:
      ValueLayout(
        "PLX Spot-Check Measurement", source: .specification("Pulse Oximeter Service 1.0.1, 3.2"),
        .flags(1, presence: [0...3], .bool("clock_not_set", "clock not set", bit: 4)),
        oxygen("spo2_percent", ""), pulse("pulse_rate_bpm", "pulse"),
        .dateTime("time").when(0), measurementStatus.when(1), sensorStatus.when(2),
        .sfloat("pulse_amplitude_index_percent", "pulse amplitude", unit: "%").when(3))
    case 0x2a5f:
      ValueLayout(
        "PLX Continuous Measurement", source: .specification("Pulse Oximeter Service 1.0.1, 3.3"),
        .flags(1, presence: [0...4]),
        oxygen("spo2_percent", ""), pulse("pulse_rate_bpm", "pulse"),
        oxygen("spo2_fast_percent", "fast").when(0), pulse("pulse_rate_fast_bpm", "fast").when(0),
        oxygen("spo2_slow_percent", "slow").when(1), pulse("pulse_rate_slow_bpm", "slow").when(1),
        measurementStatus.when(2), sensorStatus.when(3),
        .sfloat("pulse_amplitude_index_percent", "pulse amplitude", unit: "%").when(4))
    default: nil
    }
  }

  private static func oxygen(_ key: String, _ label: String) -> LayoutPart { .sfloat(key, label, unit: "%") }

  private static func pulse(_ key: String, _ label: String) -> LayoutPart { .sfloat(key, label, unit: "bpm") }

  private static var measurementStatus: LayoutPart {
    .set(
      "measurement_status", "status", size: 2,
      [
        nil, nil, nil, nil, nil, "measurement ongoing", "early estimated data", "validated data",
        "fully qualified data", "data from storage", "data for demonstration", "data for testing",
        "calibration ongoing", "measurement unavailable", "questionable measurement", "invalid measurement",
      ])
  }

  private static var sensorStatus: LayoutPart {
    .set(
      "sensor_status", "sensor", size: 3,
      [
        "extended display update ongoing", "equipment malfunction", "signal processing irregularity",
        "inadequate signal", "poor signal", "low perfusion", "erratic signal", "non-pulsatile signal",
        "questionable pulse", "signal analysis ongoing", "sensor interference", "sensor unconnected to user",
        "unknown sensor connected", "sensor displaced", "sensor malfunctioning", "sensor disconnected",
      ])
  }
}
