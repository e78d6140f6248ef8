// SPDX-License-Identifier: MIT

extension ValueLayout {
  static func location(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a67:
      ValueLayout(
        "Location and Speed",
        .flags(
          2, presence: [0...6],
          .choice("position_status", "position", bits: 7...8, positionStatus),
          .choice("speed_and_distance", "speed and distance", bits: 9...9, Choice("2D", "3D")),
          .choice(
            "elevation_source", "elevation by", bits: 10...11,
            Choice("positioning system", "barometric air pressure", "database", "other")
          ).when(3),
          .choice("heading_source", "heading by", bits: 12...12, headingSource).when(4)),
        .number("speed_m_per_s", .u16, ten: -2, unit: "m/s").when(0),
        .number("total_distance_m", "distance", .u24, ten: -1, unit: "m").when(1),
        .number("latitude_degrees", "latitude", .i32, ten: -7, unit: "°").when(2),
        .number("longitude_degrees", "longitude", .i32, ten: -7, unit: "°").when(2),
        .number("elevation_m", "elevation", .i24, ten: -2, unit: "m").when(3),
        .number("heading_degrees", "heading", .u16, ten: -2, unit: "°").when(4),
        .number("rolling_time_s", "rolling time", .u8, unit: "s").when(5),
        .dateTime("utc_time", "UTC").when(6))
    case 0x2a68:
      ValueLayout(
        "Navigation",
        .flags(
          2, presence: [0...2],
          .choice("position_status", "position", bits: 3...4, positionStatus),
          .choice("heading_source", "heading by", bits: 5...5, headingSource),
          .choice("indicator", "to", bits: 6...6, Choice("waypoint", "destination")),
          .bool("waypoint_reached", "waypoint reached", bit: 7),
          .bool("destination_reached", "destination reached", bit: 8)),
        .number("bearing_degrees", "bearing", .u16, ten: -2, unit: "°"),
        .number("heading_degrees", "heading", .u16, ten: -2, unit: "°"),
        .number("remaining_distance_m", "remaining", .u24, ten: -1, unit: "m").when(0),
        .number("remaining_vertical_distance_m", "vertical", .i24, ten: -2, unit: "m").when(1),
        .dateTime("estimated_time_of_arrival", "arrival").when(2))
    case 0x2a69:
      ValueLayout(
        "Position Quality",
        .flags(2, presence: [0...6], .choice("position_status", "position", bits: 7...8, positionStatus)),
        .number("beacons_in_solution", "beacons in solution", .u8).when(0),
        .number("beacons_in_view", "in view", .u8).when(1),
        .number("time_to_first_fix_s", "first fix", .u16, ten: -1, unit: "s").when(2),
        .number("horizontal_position_error_m", "horizontal error", .u32, ten: -2, unit: "m").when(3),
        .number("vertical_position_error_m", "vertical error", .u32, ten: -2, unit: "m").when(4),
        .number("hdop", "HDOP", .u8, times: 2, ten: -1).when(5),
        .number("vdop", "VDOP", .u8, times: 2, ten: -1).when(6))
    case 0x2a6a:
      ValueLayout(
        "LN Feature",
        .set(
          "ln_features", size: 4,
          [
            "speed", "total distance", "location", "elevation", "heading", "rolling time", "UTC time",
            "remaining distance", "remaining vertical distance", "estimated time of arrival",
            "beacons in solution", "beacons in view", "time to first fix", "horizontal position error",
            "vertical position error", "HDOP", "VDOP", "content masking", "fix rate setting",
            "elevation setting", "position status",
          ]))
    case 0x2aae:
      ValueLayout(
        "Latitude", source: .specification("Indoor Positioning Service 1.0, 3.2"),
        .number("latitude_degrees", .i32, ten: -7, unit: "°"))
    case 0x2aaf:
      ValueLayout(
        "Longitude", source: .specification("Indoor Positioning Service 1.0, 3.3"),
        .number("longitude_degrees", .i32, ten: -7, unit: "°"))
    default: nil
    }
  }

  private static var positionStatus: Choice { Choice("no position", "ok", "estimated", "last known") }

  private static var headingSource: Choice { Choice("movement", "magnetic compass") }
}
