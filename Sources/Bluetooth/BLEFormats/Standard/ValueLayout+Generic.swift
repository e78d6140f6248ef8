// SPDX-License-Identifier: MIT

extension ValueLayout {
  /// Generic Access, Generic Attribute, Human Interface Device, TX Power, and values of no particular service.
  static func generic(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a00:
      ValueLayout(
        "Device Name", source: core("C 12.1"), isWritable: true, .plain("device_name", .text(.rest)))
    case 0x2a01:
      ValueLayout(
        "Appearance", source: core("C 12.2"),
        .plain("appearance", .appearance))
    case 0x2a04:
      ValueLayout(
        "Peripheral Preferred Connection Parameters", source: core("C 12.3"),
        interval("minimum_interval_ms", "interval"), interval("maximum_interval_ms", "to"),
        .number("latency_events", "latency", .u16, in: 0...499),
        .number(
          "supervision_timeout_ms", "timeout", .u16, times: 10, unit: "ms", .word(0xffff, "no preference"),
          in: 10...3200))
    case 0x2aa6:
      ValueLayout(
        "Central Address Resolution", source: core("C 12.4"),
        .choice("central_address_resolution", .yesOrNo))
    case 0x2ac9:
      ValueLayout(
        "Resolvable Private Address Only", source: core("C 12.5"),
        .choice("resolvable_private_address_only", Choice("yes")))
    case 0x2a05:
      ValueLayout(
        "Service Changed", source: core("G 7.1"), .plain("first_handle", "from", .hexNumber(2)),
        .plain("last_handle", "to", .hexNumber(2)))
    case 0x2b29:
      ValueLayout(
        "Client Supported Features", source: core("G 7.2"), isWritable: true,
        .set(
          "client_features", size: 1, ["robust caching", "enhanced ATT bearer", "multiple notifications"]))
    case 0x2b2a:
      ValueLayout("Database Hash", source: core("G 7.3"), .plain("database_hash", .bytes(.fixed(16))))
    case 0x2b3a:
      ValueLayout(
        "Server Supported Features", source: core("G 7.4"),
        .set("server_features", size: 1, ["enhanced ATT bearer"]))
    case 0x2a07: ValueLayout("Tx Power Level", .number("tx_power_dbm", .i8, unit: "dBm", in: -100...20))
    default: humanInterface(number)
    }
  }

  static func core(_ section: String) -> Source {
    .specification("Core Specification, Vol 3, Part \(section)")
  }

  private static func interval(_ key: String, _ label: String) -> LayoutPart {
    .number(
      key, label, .u16, times: 125, ten: -2, unit: "ms", .word(0xffff, "no preference"), in: 6...3200)
  }

  private static func humanInterface(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2a4a:
      ValueLayout(
        "HID Information", source: .specification("HID Service 1.0, 2.10"),
        .plain("hid_version", "version", .hexNumber(2)), .number("country_code", "country", .u8),
        .set("hid_flags", "flags", size: 1, ["remote wake", "normally connectable"]))
    case 0x2a4c:
      ValueLayout(
        "HID Control Point", source: .specification("HID Service 1.0, 2.11"), isWritable: true,
        .choice("hid_control_point", Choice("suspend", "exit suspend")))
    case 0x2a4e:
      ValueLayout(
        "Protocol Mode", source: .specification("HID Service 1.0, 2.4"), isWritable: true,
        .choice("protocol_mode", Choice("boot", "report")))
    case 0x2a31:
      ValueLayout(
        "Scan Refresh", source: .specification("Scan Parameters Service 1.0, 3.2"),
        .choice("scan_refresh", Choice("required")))
    case 0x2a4f:
      ValueLayout(
        "Scan Interval Window", source: .specification("Scan Parameters Service 1.0, 3.1"), isWritable: true,
        .number("scan_interval_ms", "interval", .u16, times: 625, ten: -3, unit: "ms", in: 4...0x4000),
        .number("scan_window_ms", "window", .u16, times: 625, ten: -3, unit: "ms", in: 4...0x4000))
    default: nil
    }
  }
}
