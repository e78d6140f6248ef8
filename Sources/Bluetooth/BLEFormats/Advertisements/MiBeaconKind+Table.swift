// SPDX-License-Identifier: MIT

/// The objects that the protocol defines: "Mijia BLE Object Definition", Xiaomi.
extension MiBeaconKind {
  /// The general events.
  static func event(_ identifier: UInt16) -> MiBeaconKind? {
    switch identifier {
    case 0x0003: state("motion", "motion")
    case 0x0006:
      fields(
        keyIdentifier,
        .choice(
          "fingerprint", "fingerprint",
          Choice(
            "accepted", "rejected", "timeout", "low quality", "area too small", "skin too dry", "skin too wet"
          )))
    case 0x0007:
      fields(
        .choice("door_state", "door", Choice("open", "closed", "left open", "knock", "forced", "stuck")),
        timestamp.optional)
    case 0x0008: fields(.choice("armed", "armed", .yesOrNo), timestamp.optional)
    case 0x0009:
      fields(
        .plain(
          "gesture",
          .choice(Choice(.reserved, "shake", "flip 90°", "flip 180°", "rotate", "tap", "nudge"), .u16)))
    case 0x000a: fields(.number("temperature_celsius", .i16, ten: -2, unit: "°C"))
    case 0x000b: fields(.word(1, lockAction, lockMethod), keyIdentifier, timestamp)
    case 0x000c: state("moisture", "moisture")
    case 0x000d, 0x1015:
      choice("smoke_state", "smoke", Choice("none", "alarm", "fault", "self-test", "simulated alarm"))
    case 0x000e:
      choice(
        "gas_state", "gas",
        Choice("none", "alarm", "fault", "end of life", "preheating", "self-test", "simulated alarm"))
    case 0x000f: motion(illuminance)
    case 0x0010:
      fields(
        .flags(1, presence: [], brushing),
        .number("brushing_counter", "counter", .u8).when(0, is: false).optional,
        score.when(0).optional)
    case 0x0011:
      choice(
        "visitor", "",
        Choice(
          "stays", "passes by", "rings the bell", "leaves a message", "damages the device", "duress",
          "abnormal unlock"))
    case 0x0012:
      fields(
        .number("mass_g", .u16, unit: "g"), .choice("weighing", Choice("current", "decrease", "increase")))
    case 0x1001:
      // The document has one number of two bytes.
      fields(
        .number("button_number", "button", .u8), .number("button_value", "value", .u8),
        .choice("button", Choice("press", "double press", "long press", "triple press")))
    default: nil
    }
  }

  /// The general attributes.
  static func attribute(_ identifier: UInt16) -> MiBeaconKind? {
    switch identifier {
    case 0x1002: state("asleep", "asleep")
    case 0x1003: fields(.number("reported_rssi_dbm", "reported", .i8, unit: "dBm"))
    case 0x1004: fields(tenths("temperature_celsius"))
    case 0x1005:
      fields(.choice("power", "power", .yesOrNo), .number("temperature_celsius", .u8, unit: "°C"))
    case 0x1006: fields(humidity)
    case 0x1007: fields(illuminance)
    case 0x1008: fields(percent("moisture"))
    case 0x1009: fields(.number("conductivity_us_per_cm", "conductivity", .u16, unit: "µS/cm"))
    case 0x100a: fields(percent("battery"))
    case 0x100d: fields(tenths("temperature_celsius"), humidity)
    case 0x100e:
      fields(
        .word(
          1, .bool("square_bolt", "square bolt", bit: 0), .bool("dead_bolt", "dead bolt", bit: 1),
          .bool("latch_bolt", "latch bolt", bit: 2), .bool("child_lock", "child lock", bit: 3)))
    case 0x100f: choice("door_state", "door", Choice(["open", "closed"], others: [0xff: "abnormal"]))
    case 0x1010: fields(.number("formaldehyde_mg_per_m3", "formaldehyde", .u16, ten: -2, unit: "mg/m³"))
    case 0x1011: state("bound", "bound")
    case 0x1012: state("power", "power")
    case 0x1013: fields(percent("consumable"))
    case 0x1014: state("moisture", "moisture")
    case 0x1016: state("gas", "gas")
    case 0x1017: noMotion(.u32)
    case 0x1018: state("light", "light")
    case 0x1019: choice("opening_state", "opening", Choice("open", "closed", "left open", "reset"))
    case 0x101a: fields(.number("mass_g", .u16, unit: "g"))
    case 0x101b: choice("motion", "motion", Choice(.isTrue(true), .isTrue(false)))
    case 0x101c: state("in_bed", "in bed")
    default: nil
    }
  }

  /// Attributes and events of single vendors.
  static func vendor(_ identifier: UInt16) -> MiBeaconKind? {
    switch identifier {
    case 0x2000:
      fields(
        .number("skin_temperature_celsius", "skin", .i16, ten: -2, unit: "°C"),
        .number("board_temperature_celsius", "board", .i16, ten: -2, unit: "°C"), percent("battery"))
    case 0x2001:
      fields(
        .number("steps", "steps", .u16), .choice("sleep", "sleep", Choice(.reserved, "asleep", "awake")),
        .number("rssi_magnitude", "RSSI magnitude", .u8))
    case 0x2002:
      fields(
        .choice(
          "mode", "mode", Choice(["charging", "standby", "standard", "strong"], others: [0xff: "abnormal"])),
        .number("gear", "gear", .u8))
    case 0x2003:
      fields(
        .number("steps", "steps", .u16), .number("heart_rate_bpm", .u8, unit: "bpm"),
        .number("activity", "activity", .u8))
    case 0x3000: choice("plant_monitor", "plant monitor", Choice("normal", "unplugged"))
    case 0x3001: choice("base", "base", Choice("separated", "connected"))
    case 0x3002: choice("timer", "timer", Choice("work starts", "work ends", "rest starts", "rest ends"))
    case 0x3003:
      fields(.choice("brushing", "brushing", Choice("start", "end")), timestamp, score.optional)
    default: nil
    }
  }

  static let timestamp = LayoutPart.number("timestamp_s", "timestamp", .u32, unit: "s")
  private static let score = LayoutPart.number("score", "score", .u8)
  private static let brushing = BitField.choice("brushing", "brushing", bits: 0...0, Choice("start", "end"))
  private static let humidity = LayoutPart.number("humidity_percent", "humidity", .u16, ten: -1, unit: "%")
  private static let illuminance = LayoutPart.number("illuminance_lux", .u24, unit: "lx")

  private static func tenths(_ key: String) -> LayoutPart { .number(key, .i16, ten: -1, unit: "°C") }

  static func percent(_ name: String) -> LayoutPart { .number("\(name)_percent", name, .u8, unit: "%") }

  private static let lockAction = BitField.choice(
    "lock", "", bits: 0...3,
    Choice(
      [
        "unlocked outside", "locked", "deadlocked", "deadlock released", "unlocked inside", "locked inside",
        "child lock on", "child lock off", "locked outside",
      ], others: [15: "abnormal"]))

  private static let lockMethod = BitField.choice(
    "lock_method", "by", bits: 4...7,
    Choice(
      [
        "Bluetooth", "password", "biometrics", "key", "turntable", "NFC", "one-time password",
        "two-step verification", "duress", "HomeKit", "manual", "automatic",
      ], others: [15: "abnormal"]))

  /// The identity behind an operation, or the fault that the lock reports.
  private static let keyIdentifier = LayoutPart.number(
    "key_id", "key", .u32, .word(0, "administrator"), .word(0xffff_ffff, "unknown operator"),
    .word(0xdead_beef, "invalid operator"), .word(0xc0de_0000, "many wrong passwords"),
    .word(0xc0de_0001, "many wrong fingerprints"), .word(0xc0de_0002, "password timeout"),
    .word(0xc0de_0003, "lock picking"), .word(0xc0de_0004, "reset button"),
    .word(0xc0de_0005, "many wrong keys"),
    .word(0xc0de_0006, "foreign body in the keyhole"), .word(0xc0de_0007, "key left in the lock"),
    .word(0xc0de_0008, "many wrong NFC tags"), .word(0xc0de_0009, "not locked in time"),
    .word(0xc0de_000a, "many failures in several ways"), .word(0xc0de_000b, "many wrong faces"),
    .word(0xc0de_000c, "many wrong veins"), .word(0xc0de_000d, "hijacking alarm"),
    .word(0xc0de_000e, "unlocked inside while armed"), .word(0xc0de_000f, "many wrong palm prints"),
    .word(0xc0de_0010, "safe moved"), .word(0xc0de_1000, "battery below 10 %"),
    .word(0xc0de_1001, "battery below 5 %"), .word(0xc0de_1002, "fingerprint sensor fault"),
    .word(0xc0de_1003, "accessory battery low"), .word(0xc0de_1004, "mechanical fault"),
    .word(0xc0de_1005, "lock sensor fault"))
}
