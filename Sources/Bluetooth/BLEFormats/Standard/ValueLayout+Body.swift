// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Scales: weight and body composition.
  static func body(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a9d:
      ValueLayout(
        "Weight Measurement", .flags(1, presence: [0...3]),
        .number("weight_kg", .u16, times: 5, ten: -3, unit: "kg", .word(0xffff, "unsuccessful"))
          .when(0, is: false),
        .number("weight_lb", .u16, ten: -2, unit: "lb", .word(0xffff, "unsuccessful")).when(0),
        .dateTime("time").when(1), user.when(2),
        .number("bmi_kg_per_m2", "BMI", .u16, ten: -1, unit: "kg/m²").when(3),
        metres.when(3).when(0, is: false), inches.when(3).when(0))
    case 0x2a9c: bodyComposition
    case 0x2a9b:
      ValueLayout(
        "Body Composition Feature",
        .word(
          4,
          .set(
            "body_composition_features",
            [
              "time stamp", "multiple users", "basal metabolism", "muscle percentage", "muscle mass",
              "fat free mass", "soft lean mass", "body water mass", "impedance", "weight", "height",
            ]),
          .choice("weight_resolution", "weight resolution", bits: 11...14, weightResolution),
          .choice("height_resolution", "height resolution", bits: 15...17, heightResolution)))
    case 0x2a9e:
      ValueLayout(
        "Weight Scale Feature",
        .word(
          4, .set("weight_scale_features", ["time stamp", "multiple users", "BMI"]),
          .choice("weight_resolution", "weight resolution", bits: 3...6, weightResolution),
          .choice("height_resolution", "height resolution", bits: 7...9, heightResolution)))
    default: nil
    }
  }

  private static var bodyComposition: ValueLayout {
    var parts: [LayoutPart] = [
      .flags(2, presence: [0...11], .bool("multiple_packets", "multiple packets", bit: 12)),
      .number("body_fat_percent", "fat", .u16, ten: -1, unit: "%", .word(0xffff, "unsuccessful")),
      .dateTime("time").when(1), user.when(2),
      .number("basal_metabolism_kj", "basal metabolism", .u16, unit: "kJ").when(3),
      .number("muscle_percent", "muscle", .u16, ten: -1, unit: "%").when(4),
    ]
    for (bit, key, label) in [
      (5, "muscle_mass", "muscle"), (6, "fat_free_mass", "fat free"), (7, "soft_lean_mass", "soft lean"),
      (8, "body_water_mass", "water"),
    ] {
      parts += [
        kilograms("\(key)_kg", label).when(bit).when(0, is: false),
        pounds("\(key)_lb", label).when(bit).when(0),
      ]
    }
    parts += [
      .number("impedance_ohm", "impedance", .u16, ten: -1, unit: "Ω").when(9),
      kilograms("weight_kg", "weight").when(10).when(0, is: false),
      pounds("weight_lb", "weight").when(10).when(0),
      metres.when(11).when(0, is: false), inches.when(11).when(0),
    ]
    return ValueLayout("Body Composition Measurement", parts: parts)
  }

  private static var user: LayoutPart { .number("user_id", "user", .u8, .unknown(0xff)) }

  private static func kilograms(_ key: String, _ label: String) -> LayoutPart {
    .number(key, label, .u16, times: 5, ten: -3, unit: "kg")
  }

  private static func pounds(_ key: String, _ label: String) -> LayoutPart {
    .number(key, label, .u16, ten: -2, unit: "lb")
  }

  private static var metres: LayoutPart { .number("height_m", "height", .u16, ten: -3, unit: "m") }

  private static var inches: LayoutPart { .number("height_in", "height", .u16, ten: -1, unit: "in") }

  private static var weightResolution: Choice {
    Choice(
      "not specified", "0.5 kg or 1 lb", "0.2 kg or 0.5 lb", "0.1 kg or 0.2 lb", "0.05 kg or 0.1 lb",
      "0.02 kg or 0.05 lb", "0.01 kg or 0.02 lb", "0.005 kg or 0.01 lb")
  }

  private static var heightResolution: Choice {
    Choice("not specified", "0.01 m or 1 in", "0.005 m or 0.5 in", "0.001 m or 0.1 in")
  }
}
