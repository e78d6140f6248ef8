// SPDX-License-Identifier: MIT

extension ValueLayout {
  static func battery(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a19: ValueLayout("Battery Level", batteryLevel)
    case 0x2be9:
      ValueLayout(
        "Battery Critical Status",
        .set("battery_critical_status", size: 1, ["critical power state", "immediate service required"]))
    case 0x2bea:
      ValueLayout(
        "Battery Health Status", .flags(1, presence: [0...3]),
        .number("health_percent", "health", .u8, unit: "%", in: 0...100).when(0),
        .number("cycle_count", "cycles", .u16).when(1),
        .number(
          "temperature_celsius", "temperature", .i8, unit: "°C", .word(127, "more than 126"),
          .word(-128, "less than -127")
        ).when(2),
        .number("deep_discharge_count", "deep discharges", .u16).when(3))
    case 0x2bed: batteryLevelStatus
    case 0x2bee:
      ValueLayout(
        "Battery Time Status", .flags(1, presence: [0...1]),
        minutes("time_until_discharged_minutes", "discharged in"),
        minutes("time_until_discharged_on_standby_minutes", "on standby").when(0),
        minutes("time_until_recharged_minutes", "recharged in").when(1))
    case 0x2bef: ValueLayout("Estimated Service Date", .plain("estimated_service_date", .dayCount))
    case 0x2bf0:
      ValueLayout(
        "Battery Energy Status", .flags(1, presence: [0...5]),
        .sfloat("external_source_power_w", "external power", unit: "W").when(0),
        .sfloat("present_voltage_v", "voltage", unit: "V").when(1),
        .sfloat("available_energy_kwh", "available", unit: "kWh").when(2),
        .sfloat("available_battery_capacity_kwh", "capacity", unit: "kWh").when(3),
        .sfloat("charge_rate_w", "charge rate", unit: "W").when(4),
        .sfloat("available_energy_at_last_charge_kwh", "at last charge", unit: "kWh").when(5))
    default: nil
    }
  }

  private static var batteryLevel: LayoutPart {
    .number("battery_level_percent", .u8, unit: "%", in: 0...100)
  }

  private static func minutes(_ key: String, _ label: String) -> LayoutPart {
    .number(key, label, .u24, unit: "min", .unknown(0xffffff), .word(0xfffffe, "more than 16777213"))
  }

  private static var batteryLevelStatus: ValueLayout {
    let source = Choice("no", "yes", "unknown")
    return ValueLayout(
      "Battery Level Status", .flags(1, presence: [0...2]),
      .word(
        2, .bool("battery_present", "present", bit: 0),
        .choice("wired_power", "wired power", bits: 1...2, source),
        .choice("wireless_power", "wireless power", bits: 3...4, source),
        .choice(
          "charge_state", bits: 5...6,
          Choice("unknown", "charging", "discharging actively", "discharging inactively")),
        .choice("charge_level", "level", bits: 7...8, Choice("unknown", "good", "low", "critical")),
        .choice(
          "charging_type", "charging", bits: 9...11,
          Choice("unknown or not charging", "constant current", "constant voltage", "trickle", "float")),
        .set("charging_faults", "faults", from: 12, ["battery", "external power source", "other"])),
      .number("battery_identifier", "battery", .u16).when(0), batteryLevel.when(1),
      LayoutPart.word(
        1, .choice("service_required", "service required", bits: 0...1, Choice("no", "yes", "unknown")),
        .bool("battery_fault", "battery fault", bit: 2)
      ).when(2))
  }
}
