// SPDX-License-Identifier: MIT

/// The objects whose meaning depends on the product or on their size: the sources of `xiaomi-ble` and of `ble_monitor`.
extension MiBeaconKind {
  /// Returns the kind of an object that differs from the general one; nil for others.
  static func special(_ identifier: UInt16, _ product: UInt16, _ size: Int) -> MiBeaconKind? {
    switch (identifier, product, size) {
    case (0x1001, 0x03b6, _): dimmer
    case (0x1001, 0x04e1, _): cube
    // RTCGQ02LM sends the time without motion in the place of a state.
    case (0x101b, _, 4): noMotion(.u32)
    // XMOSB01XS has two numbers for an empty room.
    case (0x484e, 0x4683, _):
      choice("occupancy", "occupancy", Choice(.isTrue(false), .isTrue(true), .isTrue(false)))
    // A bed, and not a scale.
    case (0x4e16, 0x20db, _): choice("in_bed", "in bed", Choice(.reserved, .isTrue(true)))
    default: nil
    }
  }

  /// The time since the latest motion; 0 means that there is motion.
  static func noMotion(_ width: ByteWidth) -> MiBeaconKind {
    MiBeaconKind(parts: [.number("no_motion_s", "no motion for", width, unit: "s")]) { fields in
      guard let time = fields["no_motion_s"] else { return }
      let motion = DecodedFields.Field(key: "motion", value: .bool(time == 0), label: "motion", unit: "")
      fields.fields.insert(motion, at: 0)
    }
  }

  /// Presence, which each number except 0 stands for: some sensors send how certain they are.
  static func presence(_ key: String, _ label: String) -> MiBeaconKind {
    MiBeaconKind(parts: [.number(key, label, .u8)]) { fields in
      for index in fields.fields.indices {
        fields.fields[index].value = .bool(fields.fields[index].value != 0)
      }
    }
  }

  /// YLKG07YL and YLKG08YL: presses or steps, in the place of a button and a number.
  private static var dimmer: MiBeaconKind {
    MiBeaconKind(parts: [
      .number("button_number", .i8), .number("button_value", .i8), .number("kind", .u8),
    ]) { fields in
      guard case .integer(let first)? = fields["button_number"],
        case .integer(let second)? = fields["button_value"], case .integer(let kind)? = fields["kind"]
      else { return }
      fields.fields = []
      switch (kind, first) {
      case (3, 0):
        fields.add("button", "press", label: "button")
        fields.add("presses", .integer(second & 0xff), label: "presses")
      case (3, 1):
        fields.add("button", "long press", label: "button")
        fields.add("duration_s", .integer(second & 0xff), label: "for", unit: "s")
      case (4, 0): fields.add("dimmer", .integer(second), label: "dimmer")
      case (4, _):
        fields.add("dimmer", .integer(first), label: "dimmer")
        fields.add("pressed", true, label: "pressed")
      default:
        let bytes = [first, second, kind].map { UInt8(truncatingIfNeeded: $0) }
        fields.add("object_1001", .bytes(bytes), label: "object 1001")
      }
    }
  }

  /// XMMF01JQD, a cube that is turned.
  private static var cube: MiBeaconKind {
    fields(
      .choice("gesture", Choice("rotate right", "rotate left")), .plain("cube", .unused([0, 0])))
  }
}
