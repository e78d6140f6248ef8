// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Glucose meters, which send kg/L or mol/L; shown in the usual units, with the digits that were sent.
  static func glucose(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a18:
      ValueLayout(
        "Glucose Measurement",
        .flags(1, presence: [0...3], .bool("context_follows", "context follows", bit: 4)),
        .number("sequence_number", "record", .u16),
        .dateTime("time"),
        .number("time_offset_minutes", "offset", .i16, unit: "min").when(0),
        .sfloat("glucose_mg_per_dl", unit: "mg/dL", shift: 5).when(1).when(2, is: false),
        .sfloat("glucose_mmol_per_l", unit: "mmol/L", shift: 3).when(1).when(2),
        LayoutPart.word(
          1, .choice("sample_type", "sample", bits: 0...3, sampleType),
          .choice("sample_location", "from", bits: 4...7, sampleLocation)
        ).when(1),
        LayoutPart.set(
          "sensor_status", "status", size: 2,
          [
            "battery low", "sensor malfunction", "sample size insufficient", "strip insertion error",
            "strip type incorrect", "result too high", "result too low", "temperature too high",
            "temperature too low", "read interrupted", "general device fault", "time fault",
          ]
        ).when(3))
    case 0x2a34: glucoseContext
    case 0x2a51:
      ValueLayout(
        "Glucose Feature",
        .set(
          "glucose_features", size: 2,
          [
            "low battery detection", "sensor malfunction detection", "sample size",
            "strip insertion error detection",
            "strip type error detection", "result high-low detection", "temperature high-low detection",
            "read interrupt detection", "general device fault", "time fault", "multiple bonds",
          ]))
    default: nil
    }
  }

  private static var sampleType: Choice {
    Choice(
      .reserved, "capillary whole blood", "capillary plasma", "venous whole blood", "venous plasma",
      "arterial whole blood", "arterial plasma", "undetermined whole blood", "undetermined plasma",
      "interstitial fluid", "control solution")
  }

  private static var sampleLocation: Choice {
    Choice(
      [.reserved, "finger", "alternate site test", "earlobe", "control solution"],
      others: [15: "not available"])
  }

  private static var glucoseContext: ValueLayout {
    ValueLayout(
      "Glucose Measurement Context", .flags(1, presence: [0...7]),
      .number("sequence_number", "record", .u16),
      .plain("extended_flags", "extended flags", .bytes(.fixed(1))).when(7),
      .choice(
        "carbohydrate",
        Choice(.reserved, "breakfast", "lunch", "dinner", "snack", "drink", "supper", "brunch")
      ).when(0),
      .sfloat("carbohydrate_g", "carbohydrate", unit: "g", shift: 3).when(0),
      .choice("meal", Choice(.reserved, "preprandial", "postprandial", "fasting", "casual", "bedtime")).when(
        1),
      LayoutPart.word(
        1,
        .choice(
          "tester", "tester", bits: 0...3,
          Choice(
            [.reserved, "self", "health care professional", "lab test"], others: [15: "not available"])),
        .choice(
          "health", "health", bits: 4...7,
          Choice(
            [.reserved, "minor issues", "major issues", "during menses", "under stress", "no issues"],
            others: [15: "not available"]))
      ).when(2),
      .number("exercise_duration_s", "exercise", .u16, unit: "s", .word(0xffff, "overrun")).when(3),
      .number("exercise_intensity_percent", "intensity", .u8, unit: "%").when(3),
      .choice(
        "medication",
        Choice(
          .reserved, "rapid acting insulin", "short acting insulin", "intermediate acting insulin",
          "long acting insulin", "pre-mixed insulin")
      ).when(4),
      .sfloat("medication_mg", "medication", unit: "mg", shift: 6).when(4).when(5, is: false),
      .sfloat("medication_ml", "medication", unit: "mL", shift: 3).when(4).when(5),
      .sfloat("hba1c_percent", "HbA1c", unit: "%").when(6))
  }
}
