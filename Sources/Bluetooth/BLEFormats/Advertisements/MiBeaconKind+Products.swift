// SPDX-License-Identifier: MIT

/// The objects of single products, which are named in their instances at miot-spec.org; the same number means the same in all.
extension MiBeaconKind {
  /// Attributes.
  static func product(_ identifier: UInt16) -> MiBeaconKind? {
    switch identifier {
    case 0x4801, 0x4c01: fields(real("temperature_celsius", "", unit: "°C"))
    case 0x4802, 0x4c02: fields(percent("humidity"))
    case 0x4803, 0x4c03, 0x5003: fields(percent("battery"))
    case 0x4804, 0x4a12: choice("opening_state", "opening", Choice(.reserved, "open", "closed"))
    case 0x4805: fields(real("illuminance_lux", "", unit: "lx"))
    case 0x4806: state("moisture", "moisture")
    case 0x4808, 0x4c08: fields(real("humidity_percent", "humidity", unit: "%"))
    case 0x480c: choice("opening_state", "opening", Choice("open", "closed"))
    case 0x4818: noMotion(.u16)
    case 0x483c, 0x484e: presence("occupancy", "occupancy")
    case 0x483d: fields(.number("occupied_s", "occupied for", .u32, unit: "s"))
    case 0x483e: fields(.number("vacant_s", "vacant for", .u32, unit: "s"))
    case 0x4851: fields(.number("occupied_min", "occupied for", .u8, unit: "min"))
    case 0x4852: fields(.number("vacant_min", "vacant for", .u8, unit: "min"))
    case 0x487b: state("splash", "splash")
    case 0x4c14, 0x5414: fields(.number("mode", "mode", .u8))
    case 0x5413: presence("occupancy_near", "occupancy near")
    case 0x5422: choice("charging", "", Choice("charging", "not charging", "full"))
    case 0x5810: choice("asleep", "asleep", Choice(.isTrue(true), .isTrue(false)))
    case 0x6461: choice("worn", "worn", Choice(.isTrue(true), .isTrue(false)))
    default: nil
    }
  }

  /// Events.
  static func productEvent(_ identifier: UInt16) -> MiBeaconKind? {
    switch identifier {
    case 0x4a01, 0x4e01: state("battery_low", "battery low")
    case 0x4a08: motion(real("illuminance_lux", "", unit: "lx"))
    case 0x4a0c, 0x4e0c, 0x560c: press("press")
    case 0x4a0d, 0x4e0d, 0x560d: press("double press")
    case 0x4a0e, 0x4e0e, 0x560e: press("long press")
    case 0x4a0f: state("removed", "removed by force")
    case 0x4a13: choice("button", "button", Choice(.reserved, "press"))
    case 0x4a1a: state("left_open", "left open")
    case 0x4a68: choice("leak", "leak", Choice("bottom wet", "bottom dry", "top wet", "top dry"))
    case 0x4e16:
      fields(
        .number("profile", "profile", .u8), .number("mass_kg", .u32, ten: -2, unit: "kg"), timestamp)
    case 0x4e1c: fields(.plain("reset", "reset", .bytes(.rest)))
    case 0x6e16:
      MiBeaconKind(
        parts: [.number("profile", "profile", .u8), bodyComposition, timestamp], finish: finishBodyComposition
      )
    default: nil
    }
  }

  /// Weight, heart rate and impedance in 32 bits; those that are not measured are left out.
  private static let bodyComposition = LayoutPart.word(
    4, packed("mass_kg", bits: 0...10, ten: -1, unit: "kg"),
    packed("heart_rate_bpm", bits: 11...17, unit: "bpm"),
    packed("impedance_ohm", bits: 18...31, ten: -1, unit: "Ω"))

  /// The heart rate counts from 50; the impedance is that of 250 kHz if nothing else is measured, otherwise of 50 kHz.
  @Sendable private static func finishBodyComposition(_ fields: inout DecodedFields) {
    let absent: [String: [DecodedValue]] = [
      "mass_kg": [tenth(0), tenth(0x7ff)], "heart_rate_bpm": [0, 0x7f], "impedance_ohm": [tenth(0)],
    ]
    fields.fields.removeAll { absent[$0.key]?.contains($0.value) ?? false }
    let isAlone = fields["mass_kg"] == nil && fields["heart_rate_bpm"] == nil
    for index in fields.fields.indices {
      switch (fields.fields[index].key, fields.fields[index].value) {
      case ("heart_rate_bpm", .integer(let rate)): fields.fields[index].value = .integer(rate + 50)
      case ("impedance_ohm", _):
        fields.fields[index].key = isAlone ? "impedance_high_ohm" : "impedance_low_ohm"
      default: break
      }
    }
  }

  private static func tenth(_ mantissa: Int) -> DecodedValue {
    .decimal(DecimalNumber(mantissa: mantissa, exponent: -1))
  }

  private static func packed(
    _ key: String, bits: ClosedRange<Int>, ten: Int = 0, unit: String
  ) -> BitField {
    BitField(
      key: key, label: "", unit: unit, shift: bits.lowerBound, width: bits.count,
      kind: .number(NumberShape(width: .u32, decimal: ten)))
  }

  private static func real(_ key: String, _ label: String, unit: String) -> LayoutPart {
    LayoutPart(
      content: .field(LayoutField(key: key, label: label, unit: unit, kind: .real(RealShape(.ieee(.f32))))))
  }
}
