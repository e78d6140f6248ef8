// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Alerts: immediate alert, link loss, alert notification, phone alert status.
  static func alert(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a06:
      ValueLayout("Alert Level", isWritable: true, .choice("alert_level", Choice("none", "mild", "high")))
    case 0x2a3f:
      ValueLayout("Alert Status", .set("alert_status", size: 1, ["ringer", "vibrate", "display alert"]))
    case 0x2a40:
      ValueLayout(
        "Ringer Control Point", isWritable: true,
        .choice(
          "ringer_control_point", Choice(.reserved, "silent mode", "mute once", "cancel silent mode")))
    case 0x2a41: ValueLayout("Ringer Setting", .choice("ringer_setting", Choice("silent", "normal")))
    case 0x2a42: ValueLayout("Alert Category ID Bit Mask", categories)
    case 0x2a43: ValueLayout("Alert Category ID", category)
    case 0x2a44:
      ValueLayout(
        "Alert Notification Control Point", isWritable: true,
        .choice(
          "command",
          Choice(
            "enable new alerts", "enable unread status", "disable new alerts", "disable unread status",
            "notify new alert immediately", "notify unread status immediately")),
        .choice(
          "category",
          Choice(categoryNames.map { .name($0) }, others: [255: "all"])))
    case 0x2a45:
      ValueLayout(
        "Unread Alert Status", category,
        .number("unread_count", "unread", .u8, .word(255, "more than 254")))
    case 0x2a46:
      ValueLayout(
        "New Alert", isWritable: true, category, .number("new_alerts", "new", .u8),
        .plain("text", .text(.rest))
      )
    case 0x2a47: ValueLayout("Supported New Alert Category", categoriesOfOneOrTwoBytes)
    case 0x2a48: ValueLayout("Supported Unread Alert Category", categoriesOfOneOrTwoBytes)
    default: nil
    }
  }

  private static var categoryNames: [String] {
    [
      "simple alert", "email", "news", "call", "missed call", "SMS/MMS", "voice mail", "schedule",
      "high prioritized alert", "instant message",
    ]
  }

  private static var category: LayoutPart {
    .choice("category", Choice(categoryNames.map { .name($0) }, others: [:]))
  }

  private static var categories: LayoutPart { .set("categories", size: 2, categoryNames) }

  /// The second byte is optional; without it, its bits are zero.
  private static var categoriesOfOneOrTwoBytes: [LayoutPart] {
    [
      .set("categories", size: 1, Array(categoryNames.prefix(8))),
      LayoutPart.set("further_categories", size: 1, Array(categoryNames.suffix(2))).optional,
    ]
  }

  private init(_ name: String, _ parts: [LayoutPart]) { self.init(name, parts: parts) }
}
