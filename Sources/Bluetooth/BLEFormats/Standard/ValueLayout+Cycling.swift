// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Speed, cadence and power: on the bicycle and on foot.
  static func cycling(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a5b:
      ValueLayout(
        "CSC Measurement", .flags(1, presence: [0...1]),
        wheelRevolutions.when(0), wheelTime(two: -10).when(0),
        crankRevolutions.when(1), crankTime.when(1))
    case 0x2a5c:
      ValueLayout(
        "CSC Feature",
        .set(
          "csc_features", size: 2, ["wheel revolutions", "crank revolutions", "multiple sensor locations"]))
    case 0x2a5d: ValueLayout("Sensor Location", .choice("sensor_location", sensorLocation))
    case 0x2a63: cyclingPower
    case 0x2a65:
      ValueLayout(
        "Cycling Power Feature",
        .word(
          4, .set("cycling_power_features", cyclingPowerFeatures),
          .choice("measurement_context", "based on", bits: 16...16, Choice("force", "torque")),
          .set(
            "further_features", "and", from: 17,
            [
              "instantaneous measurement direction", "factory calibration date",
              "enhanced offset compensation",
            ]),
          .choice(
            "distributed_system", "distributed system", bits: 20...21,
            Choice("unspecified", "not for use", "for use"))))
    case 0x2a53:
      ValueLayout(
        "RSC Measurement",
        .flags(1, presence: [0...1], .choice("movement", bits: 2...2, Choice("walking", "running"))),
        .number("speed_m_per_s", .u16, two: -8, unit: "m/s"),
        .number("cadence_per_minute", "cadence", .u8, unit: "/min"),
        .number("stride_length_m", "stride", .u16, ten: -2, unit: "m").when(0),
        .number("total_distance_m", "distance", .u32, ten: -1, unit: "m").when(1))
    case 0x2a54:
      ValueLayout(
        "RSC Feature",
        .set(
          "rsc_features", size: 2,
          [
            "stride length", "total distance", "walking or running", "calibration",
            "multiple sensor locations",
          ]))
    default: nil
    }
  }

  private static var wheelRevolutions: LayoutPart { .number("wheel_revolutions", "wheel", .u32) }

  private static func wheelTime(two: Int) -> LayoutPart {
    .number("last_wheel_event_s", "at", .u16, two: two, unit: "s")
  }

  private static var crankRevolutions: LayoutPart { .number("crank_revolutions", "crank", .u16) }

  private static var crankTime: LayoutPart { .number("last_crank_event_s", "at", .u16, two: -10, unit: "s") }

  private static var cyclingPower: ValueLayout {
    ValueLayout(
      "Cycling Power Measurement",
      .flags(
        2, presence: [0...0, 2...2, 4...11],
        .choice("pedal_balance_reference", "balance reference", bits: 1...1, Choice("unknown", "left")).when(
          0),
        .choice("torque_source", "torque source", bits: 3...3, Choice("wheel", "crank")).when(2),
        .bool("offset_compensation", "offset compensation", bit: 12)),
      .number("power_w", .i16, unit: "W"),
      .number("pedal_power_balance_percent", "balance", .u8, two: -1, unit: "%").when(0),
      .number("accumulated_torque_nm", "torque", .u16, two: -5, unit: "Nm").when(2),
      wheelRevolutions.when(4), wheelTime(two: -11).when(4),
      crankRevolutions.when(5), crankTime.when(5),
      .number("maximum_force_n", "maximum force", .i16, unit: "N").when(6),
      .number("minimum_force_n", "minimum force", .i16, unit: "N").when(6),
      .number("maximum_torque_nm", "maximum torque", .i16, two: -5, unit: "Nm").when(7),
      .number("minimum_torque_nm", "minimum torque", .i16, two: -5, unit: "Nm").when(7),
      LayoutPart.word(
        3, .number("maximum_angle_degrees", "maximum angle", bits: 0...11, unit: "°"),
        .number("minimum_angle_degrees", "minimum angle", bits: 12...23, unit: "°")
      ).when(8),
      .number("top_dead_spot_degrees", "top dead spot", .u16, unit: "°").when(9),
      .number("bottom_dead_spot_degrees", "bottom dead spot", .u16, unit: "°").when(10),
      .number("accumulated_energy_kj", "energy", .u16, unit: "kJ").when(11))
  }

  private static var cyclingPowerFeatures: [String?] {
    [
      "pedal power balance", "accumulated torque", "wheel revolutions", "crank revolutions",
      "extreme magnitudes", "extreme angles", "dead spot angles", "accumulated energy",
      "offset compensation indicator", "offset compensation", "content masking", "multiple sensor locations",
      "crank length adjustment", "chain length adjustment", "chain weight adjustment",
      "span length adjustment",
    ]
  }

  static var sensorLocation: Choice {
    Choice(
      "other", "top of shoe", "in shoe", "hip", "front wheel", "left crank", "right crank", "left pedal",
      "right pedal", "front hub", "rear dropout", "chainstay", "rear wheel", "rear hub", "chest", "spider",
      "chain ring")
  }
}
