// SPDX-License-Identifier: MIT

/// The records of "Extra Manufacturer Data", Victron Energy; the one of Orion XS (0F) is that of the package victron-ble.
extension VictronRecord {
  /// Creates the record with a number, or returns nil if it is not known.
  init?(_ number: UInt8) {
    switch number {
    case 0x01:
      self.init(
        "solar charger", .state, .chargerError, .batteryVoltage, .batteryCurrent, .yield, .solarPower,
        .unsigned("load_current_a", "load", 9, ten: -1, "A"))
    case 0x02:
      self.init(
        "battery monitor", .remaining, .batteryVoltage, .alarm, .auxiliary, .preciseCurrent, .consumed,
        .charge)
    case 0x03:
      self.init(
        "inverter", .state, .alarm, .batteryVoltage,
        .unsigned("ac_apparent_power_va", "AC", 16, "VA"), .unsigned("ac_voltage_v", "AC", 15, ten: -2, "V"),
        .unsigned("ac_current_a", "AC", 11, ten: -1, "A"))
    case 0x04:
      self.init(
        "DC/DC converter", .state, .chargerError, .inputVoltage,
        .signed("output_voltage_v", "output", 16, ten: -2, "V"), .offReason)
    case 0x05: self.init("smart lithium", fields: Self.smartLithium)
    case 0x06:
      self.init(
        "inverter RS", .state, .chargerError, .batteryVoltage, .batteryCurrent, .solarPower, .yield,
        .acOutPower(16))
    case 0x07:
      self.init(
        "GX device", .unsigned("battery_voltage_v", "battery", 16, ten: -2, "V"),
        .unsigned("solar_power_w", "solar", 20, "W"), .roundCharge,
        .signed("battery_power_w", "battery", 21, "W"),
        .signed("dc_power_w", "DC", 21, "W"))
    case 0x08: self.init("AC charger", fields: Self.acCharger)
    case 0x09:
      self.init(
        "smart battery protect", .state,
        .choice("output_state", "output", 8, Choice(["shut down", "on"], others: [4: "off"]), absent: 0xff),
        .chargerError, .alarm, .set("warning", "warning", 16, VictronField.alarms),
        .signed("input_voltage_v", "input", 16, ten: -2, "V"), .outputVoltage, .offReason)
    case 0x0a:
      self.init(
        "BMS", .flags("error_flags", "error", 8), .remaining, .batteryVoltage, .batteryCurrent,
        .flags("io_status", "I/O", 16), .flags("alarm_flags", "alarm", 18), .charge, .consumed, .temperature)
    case 0x0b:
      self.init(
        "Multi RS", .state, .chargerError, .batteryCurrent, .positiveVoltage, .acInput, .acInPower(16),
        .acOutPower(16), .solarPower, .yield)
    case 0x0c:
      self.init(
        "VE.Bus", .state, .unsigned("vebus_error", "error", 8), .batteryCurrent, .positiveVoltage, .acInput,
        .acInPower(19), .acOutPower(19),
        .choice("alarm_level", "alarm", 2, Choice("none", "warning", "alarm"), absent: 3), .temperature,
        .roundCharge)
    case 0x0d:
      self.init(
        "DC energy meter", .choice("meter", "", 16, Self.meters, isSigned: true), .batteryVoltage, .alarm,
        .auxiliary, .preciseCurrent)
    case 0x0f:
      self.init(
        "Orion XS", .state, .chargerError, .outputVoltage,
        .unsigned("output_current_a", "output", 16, ten: -1, "A"),
        .inputVoltage, .unsigned("input_current_a", "input", 16, ten: -1, "A"), .offReason)
    default: return nil
    }
  }

  private static let smartLithium: [VictronField] =
    [.flags("bms_flags", "BMS", 32), .flags("error_flags", "error", 16)] + (1...8).map(VictronField.cell)
    + [
      .unsigned("battery_voltage_v", "battery", 12, ten: -2, "V"),
      .choice(
        "balancer", "balancer", 4, Choice("unknown", "balanced", "balancing", "imbalance"), absent: 0xf),
      .temperature,
    ]

  private static let acCharger: [VictronField] =
    [.state, .chargerError]
    + (1...3).flatMap { number -> [VictronField] in
      [
        .unsigned("battery_\(number)_voltage_v", "battery \(number)", 13, ten: -2, "V"),
        .unsigned("battery_\(number)_current_a", "battery \(number)", 11, ten: -1, "A"),
      ]
    } + [.temperature, .unsigned("ac_current_a", "AC", 9, ten: -1, "A")]

  private static let meters = Choice(
    [
      .reserved, "load", "electric drive", "fridge", "water pump", "bilge pump", "DC system", "inverter",
      "water heater",
    ],
    others: [
      -9: "solar charger", -8: "wind charger", -7: "shaft generator", -6: "alternator", -5: "fuel cell",
      -4: "water generator", -3: "DC/DC charger", -2: "AC charger", -1: "source",
    ])
}

extension VictronField {
  fileprivate static let state = choice(
    "state", "", 8,
    Choice(
      [
        "off", "low power", "fault", "bulk", "absorption", "float", "storage", "equalize", "passthrough",
        "inverting", "assisting", "power supply",
      ],
      others: [
        244: "sustain", 245: "starting up", 246: "repeated absorption", 247: "recondition",
        248: "battery safe",
        249: "active", 250: "blocked", 251: "test", 252: "external control",
      ]), absent: 0xff)
  /// The error codes that victronenergy.com/live/mppt-error-codes lists.
  fileprivate static let chargerError = unsigned("charger_error", "error", 8)
  fileprivate static let batteryVoltage = signed("battery_voltage_v", "battery", 16, ten: -2, "V")
  fileprivate static let positiveVoltage = unsigned("battery_voltage_v", "battery", 14, ten: -2, "V")
  fileprivate static let batteryCurrent = signed("battery_current_a", "battery", 16, ten: -1, "A")
  fileprivate static let inputVoltage = unsigned("input_voltage_v", "input", 16, ten: -2, "V")
  fileprivate static let outputVoltage = unsigned("output_voltage_v", "output", 16, ten: -2, "V")
  fileprivate static let yield = unsigned("yield_today_kwh", "today", 16, ten: -2, "kWh")
  fileprivate static let solarPower = unsigned("solar_power_w", "solar", 16, "W")
  fileprivate static let remaining = unsigned("remaining_min", "remaining", 16, "min")
  fileprivate static let consumed = unsigned("consumed_ah", "consumed", 20, ten: -1, times: -1, "Ah")
  fileprivate static let charge = unsigned("charge_percent", "charge", 10, ten: -1, "%")
  fileprivate static let roundCharge = unsigned("charge_percent", "charge", 7, "%")
  fileprivate static let temperature = unsigned("temperature_celsius", "", 7, plus: -40, "°C")
  fileprivate static let acInput = choice(
    "ac_input", "AC input", 2, Choice("1", "2", "not connected"), absent: 3)

  /// The document has all bits set for a current that is not available; devices send the largest positive number too.
  fileprivate static var preciseCurrent: VictronField {
    var field = signed("battery_current_a", "battery", 22, ten: -3, "A")
    field.absent.append(0x3f_ffff)
    return field
  }

  fileprivate static func acInPower(_ width: Int) -> VictronField {
    signed("ac_in_power_w", "AC in", width, "W")
  }

  fileprivate static func acOutPower(_ width: Int) -> VictronField {
    signed("ac_out_power_w", "AC out", width, "W")
  }

  /// Bits without documented names.
  fileprivate static func flags(_ key: String, _ label: String, _ width: Int) -> VictronField {
    VictronField(
      key: key, label: label, unit: "", width: width,
      kind: .number(isSigned: false, ten: 0, times: 1, plus: 0))
  }

  fileprivate static func cell(_ number: Int) -> VictronField {
    var field = unsigned("cell_\(number)_voltage_v", "cell \(number)", 7, ten: -2, plus: 260, "V")
    field.words = [0: "below 2.61", 0x7e: "above 3.85"]
    return field
  }

  fileprivate static let alarm = set("alarm", "alarm", 16, alarms)

  fileprivate static let alarms: [String?] = [
    "low voltage", "high voltage", "low charge", "low starter voltage", "high starter voltage",
    "low temperature", "high temperature", "midpoint voltage", "overload", "DC ripple", "low AC voltage",
    "high AC voltage", "short circuit", "BMS lockout",
  ]

  fileprivate static let offReason = set(
    "off_reason", "off because of", 32,
    [
      "no input power", "switch", "register", "remote input", "protection", "pay as you go", "BMS",
      "engine shutdown", "input voltage analysis",
    ])
}
