// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// The Fitness Machine service.
  ///
  /// The first flag means that more data follows in another notification; without it, the first field is
  /// present. A resistance level has two bytes in version 1.0 of the service, which most machines implement,
  /// and one byte in the supplement.
  static func fitnessMachine(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2acd: treadmill
    case 0x2ace: crossTrainer(resistance: resistance).formerly(crossTrainer(resistance: wideResistance).parts)
    case 0x2acf: stepClimber
    case 0x2ad0: stairClimber
    case 0x2ad1: rower(resistance: resistance).formerly(rower(resistance: wideResistance).parts)
    case 0x2ad2: indoorBike(resistance: resistance).formerly(indoorBike(resistance: wideResistance).parts)
    case 0x2ad4:
      ValueLayout("Supported Speed Range", range("speed_km_per_h", .u16, .u16, ten: -2, unit: "km/h"))
    case 0x2ad5:
      ValueLayout("Supported Inclination Range", range("inclination_percent", .i16, .u16, ten: -1, unit: "%"))
    case 0x2ad6:
      ValueLayout("Supported Resistance Level Range", range("resistance_level", .u8, .u8, ten: 1))
        .formerly(range("resistance_level", .i16, .u16, ten: -1))
    case 0x2ad7: ValueLayout("Supported Heart Rate Range", range("heart_rate_bpm", .u8, .u8, unit: "bpm"))
    case 0x2ad8: ValueLayout("Supported Power Range", range("power_w", .i16, .u16, unit: "W"))
    default: nil
    }
  }

  private init(_ name: String, _ parts: [LayoutPart]) { self.init(name, parts: parts) }

  private static func range(
    _ key: String, _ width: ByteWidth, _ increment: ByteWidth, ten: Int = 0, unit: String = ""
  ) -> [LayoutPart] {
    [
      .number("minimum_\(key)", "from", width, ten: ten, unit: unit),
      .number("maximum_\(key)", "to", width, ten: ten, unit: unit),
      .number("increment_\(key)", "by", increment, ten: ten, unit: unit),
    ]
  }

  private static var treadmill: ValueLayout {
    ValueLayout(
      "Treadmill Data",
      [moreData(2, 1...12), speed.when(0, is: false), averageSpeed.when(1), distance.when(2)]
        + [inclination.when(3), ramp.when(3)]
        + [
          .number("positive_elevation_gain_m", "up", .u16, ten: -1, unit: "m").when(4),
          .number("negative_elevation_gain_m", "down", .u16, ten: -1, unit: "m").when(4),
          pace.when(5), averagePace.when(6),
        ] + energy(7) + body(heartRate: 8) + times(elapsed: 10)
        + [
          .number("force_on_belt_n", "force", .i16, unit: "N").when(12),
          .number("power_output_w", "power", .i16, unit: "W").when(12),
        ])
  }

  private static func crossTrainer(resistance: LayoutPart) -> ValueLayout {
    let flags = LayoutPart.flags(
      3, presence: [0...14],
      .choice("movement_direction", "direction", bits: 15...15, Choice("forward", "backward")))
    return ValueLayout(
      "Cross Trainer Data",
      [flags, speed.when(0, is: false), averageSpeed.when(1), distance.when(2), stepRate.when(3)]
        + [averageStepRate.when(3), .number("stride_count", "strides", .u16, ten: -1).when(4)]
        + [
          .number("positive_elevation_gain_m", "up", .u16, unit: "m").when(5),
          .number("negative_elevation_gain_m", "down", .u16, unit: "m").when(5),
          inclination.when(6), ramp.when(6), resistance.when(7), power.when(8), averagePower.when(9),
        ] + energy(10) + body(heartRate: 11) + times(elapsed: 13))
  }

  private static var stepClimber: ValueLayout {
    ValueLayout(
      "Step Climber Data",
      [
        moreData(2, 1...8), floors.when(0, is: false),
        .number("step_count", "steps", .u16).when(0, is: false),
      ]
        + [stepRate.when(1), averageStepRate.when(2), elevationGain.when(3)]
        + energy(4) + body(heartRate: 5) + times(elapsed: 7))
  }

  private static var stairClimber: ValueLayout {
    ValueLayout(
      "Stair Climber Data",
      [moreData(2, 1...9), floors.when(0, is: false), stepRate.when(1), averageStepRate.when(2)]
        + [elevationGain.when(3), .number("stride_count", "strides", .u16).when(4)]
        + energy(5) + body(heartRate: 6) + times(elapsed: 8))
  }

  private static func rower(resistance: LayoutPart) -> ValueLayout {
    ValueLayout(
      "Rower Data",
      [
        moreData(2, 1...12),
        .number("stroke_rate_per_minute", .u8, two: -1, unit: "/min").when(0, is: false),
        .number("stroke_count", "strokes", .u16).when(0, is: false),
        .number("average_stroke_rate_per_minute", "average", .u8, two: -1, unit: "/min").when(1),
        distance.when(2), pace.when(3), averagePace.when(4), power.when(5), averagePower.when(6),
        resistance.when(7),
      ] + energy(8) + body(heartRate: 9) + times(elapsed: 11))
  }

  private static func indoorBike(resistance: LayoutPart) -> ValueLayout {
    ValueLayout(
      "Indoor Bike Data",
      [
        moreData(2, 1...12), speed.when(0, is: false), averageSpeed.when(1),
        .number("cadence_rpm", "cadence", .u16, two: -1, unit: "rpm").when(2),
        .number("average_cadence_rpm", "average", .u16, two: -1, unit: "rpm").when(3),
        distance.when(4), resistance.when(5), power.when(6), averagePower.when(7),
      ] + energy(8) + body(heartRate: 9) + times(elapsed: 11))
  }

  // MARK: Fields of several machines

  private static func moreData(_ size: Int, _ presence: ClosedRange<Int>) -> LayoutPart {
    .flags(size, presence: [0...0, presence])
  }

  private static var speed: LayoutPart { .number("speed_km_per_h", .u16, ten: -2, unit: "km/h") }

  private static var averageSpeed: LayoutPart {
    .number("average_speed_km_per_h", "average", .u16, ten: -2, unit: "km/h")
  }

  private static var distance: LayoutPart { .number("total_distance_m", "distance", .u24, unit: "m") }

  private static var inclination: LayoutPart {
    .number("inclination_percent", "inclination", .i16, ten: -1, unit: "%", .unknown(0x7fff))
  }

  private static var ramp: LayoutPart {
    .number("ramp_angle_degrees", "ramp", .i16, ten: -1, unit: "°", .unknown(0x7fff))
  }

  private static var elevationGain: LayoutPart { .number("positive_elevation_gain_m", "up", .u16, unit: "m") }

  private static var floors: LayoutPart { .number("floors", "floors", .u16) }

  private static var stepRate: LayoutPart { .number("step_rate_per_minute", "steps", .u16, unit: "/min") }

  private static var averageStepRate: LayoutPart {
    .number("average_step_rate_per_minute", "average", .u16, unit: "/min")
  }

  private static var pace: LayoutPart { .number("pace_s_per_500m", "pace", .u16, unit: "s/500 m") }

  private static var averagePace: LayoutPart {
    .number("average_pace_s_per_500m", "average pace", .u16, unit: "s/500 m")
  }

  private static var resistance: LayoutPart { .number("resistance_level", "resistance", .u8, ten: 1) }

  /// The field in version 1.0 of the service.
  private static var wideResistance: LayoutPart { .number("resistance_level", "resistance", .i16) }

  private static var power: LayoutPart { .number("power_w", "power", .i16, unit: "W") }

  private static var averagePower: LayoutPart { .number("average_power_w", "average power", .i16, unit: "W") }

  private static func energy(_ bit: Int) -> [LayoutPart] {
    [
      .number("total_energy_kcal", "energy", .u16, unit: "kcal", .unknown(0xffff)).when(bit),
      .number("energy_kcal_per_hour", "", .u16, unit: "kcal/h", .unknown(0xffff)).when(bit),
      .number("energy_kcal_per_minute", "", .u8, unit: "kcal/min", .unknown(0xff)).when(bit),
    ]
  }

  private static func body(heartRate bit: Int) -> [LayoutPart] {
    [
      .number("heart_rate_bpm", "heart rate", .u8, unit: "bpm").when(bit),
      .number("metabolic_equivalent", "MET", .u8, ten: -1).when(bit + 1),
    ]
  }

  private static func times(elapsed bit: Int) -> [LayoutPart] {
    [
      .number("elapsed_time_s", "elapsed", .u16, unit: "s").when(bit),
      .number("remaining_time_s", "remaining", .u16, unit: "s").when(bit + 1),
    ]
  }
}

extension ValueLayout {
  /// The features of a fitness machine, and the state of a training.
  static func fitnessMachineState(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2acc:
      ValueLayout(
        "Fitness Machine Feature", source: .specification("Fitness Machine Service 1.0, 4.3"),
        .set(
          "fitness_machine_features", size: 4,
          [
            "average speed", "cadence", "total distance", "inclination", "elevation gain", "pace",
            "step count", "resistance level", "stride count", "expended energy", "heart rate",
            "metabolic equivalent", "elapsed time", "remaining time", "power measurement",
            "force on belt and power output", "user data retention",
          ]),
        .word(
          4,
          .set(
            "target_setting_features", "targets",
            [
              "speed", "inclination", "resistance", "power", "heart rate", "expended energy", "step number",
              "stride number", "distance", "training time", "time in two heart rate zones",
              "time in three heart rate zones", "time in five heart rate zones", "indoor bike simulation",
              "wheel circumference", "spin down control", "cadence",
            ])))
    case 0x2ad3:
      ValueLayout(
        "Training Status", source: .specification("Fitness Machine Service 1.0, 4.10"),
        .flags(1, presence: [0...0], .bool("extended_string", "extended", bit: 1).when(0)),
        .choice(
          "training_status",
          Choice(
            "other", "idle", "warming up", "low intensity interval", "high intensity interval",
            "recovery interval", "isometric", "heart rate control", "fitness test",
            "speed outside of control region low", "speed outside of control region high", "cool down",
            "watt control", "manual mode", "pre-workout", "post-workout")),
        LayoutPart.plain("text", .text(.rest)).when(0))
    default: nil
    }
  }
}
