// SPDX-License-Identifier: MIT

extension ValueLayout {
  static func descriptor(_ number: UInt16) -> ValueLayout? {
    switch number {
    case 0x2900:
      ValueLayout(
        "Characteristic Extended Properties", source: core("G 3.3.3.1"),
        .set("extended_properties", size: 2, ["reliable write", "writable auxiliaries"]))
    case 0x2901:
      ValueLayout(
        "Characteristic User Description", source: core("G 3.3.3.2"), isWritable: true,
        .plain("user_description", .text(.rest)))
    case 0x2902:
      ValueLayout(
        "Client Characteristic Configuration", source: core("G 3.3.3.3"), isWritable: true,
        .set("configuration", size: 2, ["notification", "indication"]))
    case 0x2903:
      ValueLayout(
        "Server Characteristic Configuration", source: core("G 3.3.3.4"), isWritable: true,
        .set("configuration", size: 2, ["broadcast"]))
    case 0x2904:
      ValueLayout(
        "Characteristic Presentation Format", source: core("G 3.3.3.5"),
        .choice("format", PresentationFormat.formats), .number("exponent", "exponent", .i8),
        .plain("unit", "unit", .hexNumber(2)),
        .choice("namespace", "namespace", Choice("unknown", "Bluetooth SIG")),
        .plain("description", "description", .hexNumber(2)))
    case 0x2905:
      ValueLayout(
        "Characteristic Aggregate Format", source: core("G 3.3.3.6"),
        .plain("handles", .bytes(.rest)))
    case 0x2906:
      ValueLayout(
        "Valid Range", source: .specification("Environmental Sensing Service 1.0.1, 3.1.2.6"),
        .plain("range", .bytes(.rest)))
    case 0x2907:
      ValueLayout(
        "External Report Reference", source: .specification("HID Service 1.0, 2.6.2"),
        .plain("external_report", .uuid))
    case 0x2908:
      ValueLayout(
        "Report Reference", source: .specification("HID Service 1.0, 2.5.3"),
        .number("report_id", "report", .u8),
        .choice("report_type", Choice(.reserved, "input", "output", "feature")))
    case 0x2909:
      ValueLayout(
        "Number of Digitals", source: .specification("Automation IO Service 1.0, 3.1.2.1"),
        .number("number_of_digitals", .u8))
    default: sensingDescriptor(number)
    }
  }

  /// The descriptors of the Environmental Sensing service.
  private static func sensingDescriptor(_ number: UInt16) -> ValueLayout? {
    let service = "Environmental Sensing Service 1.0.1, "
    switch number {
    case 0x290b:
      return ValueLayout(
        "Environmental Sensing Configuration", source: .specification(service + "3.1.2.4"), isWritable: true,
        .choice("trigger_logic", Choice("and", "or")))
    case 0x290c:
      return ValueLayout(
        "Environmental Sensing Measurement", source: .specification(service + "3.1.2.1"),
        .plain("flags", "flags", .hexNumber(2)),
        .choice(
          "sampling_function", "sampling",
          Choice(
            "unspecified", "instantaneous", "arithmetic mean", "RMS", "maximum", "minimum", "accumulated",
            "count")),
        .number("measurement_period_s", "period", .u24, unit: "s", .word(0, "not in use")),
        .number("update_interval_s", "every", .u24, unit: "s", .word(0, "not in use")),
        .number("application", "application", .u8),
        .number("uncertainty_percent", "uncertainty", .u8, two: -1, unit: "%", .unknown(0xff)))
    case 0x290d:
      return ValueLayout(
        "Environmental Sensing Trigger Setting", source: .specification(service + "3.1.2.3"),
        isWritable: true,
        .choice(
          "condition",
          Choice(
            "inactive", "fixed time interval", "no less than the specified time", "value changes",
            "less than", "less than or equal", "greater than", "greater than or equal", "equal", "not equal")),
        .plain("operand", "operand", .bytes(.rest)))
    default: return nil
    }
  }
}
