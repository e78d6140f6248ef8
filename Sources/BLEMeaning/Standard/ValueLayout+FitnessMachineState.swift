// SPDX-License-Identifier: MIT

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
        LayoutPart.plain("text", .text(nil)).when(0))
    default: nil
    }
  }
}
