// SPDX-License-Identifier: MIT

extension ValueLayout {
  static func userData(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a7e: beats("Aerobic Heart Rate Lower Limit", "aerobic_heart_rate_lower_limit_bpm")
    case 0x2a7f: beats("Aerobic Threshold", "aerobic_threshold_bpm")
    case 0x2a80: ValueLayout("Age", isWritable: true, .number("age_years", .u8, unit: "years"))
    case 0x2a81: beats("Anaerobic Heart Rate Lower Limit", "anaerobic_heart_rate_lower_limit_bpm")
    case 0x2a82: beats("Anaerobic Heart Rate Upper Limit", "anaerobic_heart_rate_upper_limit_bpm")
    case 0x2a83: beats("Anaerobic Threshold", "anaerobic_threshold_bpm")
    case 0x2a84: beats("Aerobic Heart Rate Upper Limit", "aerobic_heart_rate_upper_limit_bpm")
    case 0x2a85: ValueLayout("Date of Birth", isWritable: true, .plain("date_of_birth", .date))
    case 0x2a86:
      ValueLayout(
        "Date of Threshold Assessment", isWritable: true, .plain("date_of_threshold_assessment", .date))
    case 0x2a87: string("Email Address", "email_address", isWritable: true)
    case 0x2a88: beats("Fat Burn Heart Rate Lower Limit", "fat_burn_heart_rate_lower_limit_bpm")
    case 0x2a89: beats("Fat Burn Heart Rate Upper Limit", "fat_burn_heart_rate_upper_limit_bpm")
    case 0x2a8a: string("First Name", "first_name", isWritable: true)
    case 0x2a8c:
      ValueLayout("Gender", isWritable: true, .choice("gender", Choice("male", "female", "unspecified")))
    case 0x2a8d: beats("Heart Rate Max", "heart_rate_max_bpm")
    case 0x2a8e: centimetres("Height", "height_m")
    case 0x2a8f: centimetres("Hip Circumference", "hip_circumference_m")
    case 0x2a90: string("Last Name", "last_name", isWritable: true)
    case 0x2a91: beats("Maximum Recommended Heart Rate", "maximum_recommended_heart_rate_bpm")
    case 0x2a92: beats("Resting Heart Rate", "resting_heart_rate_bpm")
    case 0x2a93:
      ValueLayout(
        "Sport Type for Aerobic and Anaerobic Thresholds", isWritable: true,
        .choice(
          "sport_type",
          Choice(
            "unspecified", "running", "cycling", "rowing", "cross training", "climbing", "skiing", "skating",
            "arm exercising", "lower body exercising", "upper body exercising", "whole body exercising")))
    case 0x2a96:
      ValueLayout(
        "VO2 Max", isWritable: true, .number("vo2_max_ml_per_kg_per_minute", .u8, unit: "mL/kg/min"))
    case 0x2a97: centimetres("Waist Circumference", "waist_circumference_m")
    case 0x2a98:
      ValueLayout("Weight", isWritable: true, .number("weight_kg", .u16, times: 5, ten: -3, unit: "kg"))
    case 0x2a99:
      ValueLayout("Database Change Increment", isWritable: true, .number("database_change_increment", .u32))
    case 0x2a9a: ValueLayout("User Index", .number("user_index", .u8, .unknown(0xff)))
    case 0x2aa2: string("Language", "language", isWritable: true)
    default: furtherUserData(number)
    }
  }

  /// Heart rate zones, and later additions to the service.
  private static func furtherUserData(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a8b:
      zones(
        "Five Zone Heart Rate Limits",
        ["very_light_light", "light_moderate", "moderate_hard", "hard_maximum"])
    case 0x2a94: zones("Three Zone Heart Rate Limits", ["light_moderate", "moderate_hard"])
    case 0x2a95: zones("Two Zone Heart Rate Limits", ["fat_burn_fitness"])
    case 0x2b4c: zones("Four Zone Heart Rate Limits", ["light_moderate", "moderate_hard", "hard_maximum"])
    case 0x2b47:
      ValueLayout(
        "High Resolution Height", isWritable: true, .number("height_m", .u16, ten: -4, unit: "m"))
    case 0x2b48: string("Middle Name", "middle_name", isWritable: true)
    case 0x2b49:
      ValueLayout("Stride Length", isWritable: true, .number("stride_length_m", .u16, ten: -3, unit: "m"))
    case 0x2b4a:
      ValueLayout(
        "Handedness", isWritable: true,
        .choice("handedness", Choice("left handed", "right handed", "ambidextrous", "unspecified")))
    case 0x2b4f:
      ValueLayout(
        "Sedentary Interval Notification", isWritable: true,
        .number("sedentary_interval_s", .u16, unit: "s", .word(0, "no notification")))
    case 0x2b50:
      ValueLayout("Caloric Intake", isWritable: true, .number("caloric_intake_kcal", .u16, unit: "kcal"))
    default: nil
    }
  }

  private static func beats(_ name: String, _ key: String) -> ValueLayout {
    ValueLayout(name, isWritable: true, .number(key, .u8, unit: "bpm"))
  }

  private static func centimetres(_ name: String, _ key: String) -> ValueLayout {
    ValueLayout(name, isWritable: true, .number(key, .u16, ten: -2, unit: "m"))
  }

  private static func zones(_ name: String, _ limits: [String]) -> ValueLayout {
    ValueLayout(
      name, isWritable: true,
      parts: limits.map { limit in
        .number(
          "\(limit)_limit_bpm", limit.replacing("_", with: "/").replacing("very/", with: "very "), .u8,
          unit: "bpm")
      })
  }
}
