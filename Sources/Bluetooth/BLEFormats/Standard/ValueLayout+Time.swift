// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// The Current Time service and its relatives.
  static func time(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a08: ValueLayout("Date Time", isWritable: true, .dateTime("time"))
    case 0x2a09: ValueLayout("Day of Week", isWritable: true, weekday)
    case 0x2a0a: ValueLayout("Day Date Time", isWritable: true, .dateTime("time"), weekday)
    case 0x2a0c: ValueLayout("Exact Time 256", isWritable: true, .dateTime("time"), weekday, fractions)
    case 0x2a0d: ValueLayout("DST Offset", isWritable: true, daylightSaving)
    case 0x2a0e: ValueLayout("Time Zone", isWritable: true, zone)
    case 0x2a0f: ValueLayout("Local Time Information", isWritable: true, zone, daylightSaving)
    case 0x2a11: ValueLayout("Time with DST", .dateTime("time"), daylightSaving)
    case 0x2a12: ValueLayout("Time Accuracy", accuracy)
    case 0x2a13: ValueLayout("Time Source", source)
    case 0x2a14:
      ValueLayout(
        "Reference Time Information", source, accuracy,
        .number("days_since_update", "updated days ago", .u8, .word(255, "255 or more")),
        .number("hours_since_update", "hours", .u8, .word(255, "255 days or more"), in: 0...23))
    case 0x2a16:
      ValueLayout(
        "Time Update Control Point", isWritable: true,
        .choice(
          "time_update_control_point", Choice(.reserved, "get reference update", "cancel reference update")))
    case 0x2a17:
      ValueLayout(
        "Time Update State", .choice("time_update_state", Choice("idle", "update pending")),
        .choice(
          "time_update_result",
          Choice(
            "successful", "cancelled", "no connection to reference", "reference responded with an error",
            "timeout", "not attempted after reset")))
    case 0x2a2b:
      ValueLayout(
        "Current Time", isWritable: true, .dateTime("time"), weekday, fractions,
        .set(
          "adjust_reasons", "adjusted by", size: 1,
          ["manual update", "external reference", "change of time zone", "change of DST"]))
    default: nil
    }
  }

  private static var weekday: LayoutPart {
    .choice(
      "day_of_week",
      Choice(
        "unknown day", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
      clock: .weekday)
  }

  private static var fractions: LayoutPart {
    .number("fractions_256", "+", .u8, unit: "/256 s", clock: .fractions)
  }

  private static var zone: LayoutPart {
    .number(
      "time_zone_minutes", "zone", .i8, times: 15, unit: "min", .unknown(-128), in: -48...56, clock: .zone)
  }

  private static var daylightSaving: LayoutPart {
    .choice(
      "dst_offset",
      Choice(
        ["standard time", .reserved, "half an hour daylight time", .reserved, "daylight time"],
        others: [8: "double daylight time", 255: "unknown"]), clock: .daylightSaving)
  }

  private static var accuracy: LayoutPart {
    .number(
      "time_accuracy_s", "accuracy", .u8, two: -3, unit: "s", .word(254, "more than 31.625 s"),
      .unknown(255))
  }

  private static var source: LayoutPart {
    .choice(
      "time_source", "source",
      Choice(
        "unknown", "network time protocol", "GPS", "radio time signal", "manual", "atomic clock",
        "cellular network", "not synchronized"))
  }
}
