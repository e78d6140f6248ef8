// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// The Heart Rate service.
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
