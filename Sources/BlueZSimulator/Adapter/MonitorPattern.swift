// SPDX-License-Identifier: MIT
internal import DBus

/// A pattern of a monitor: bytes at an offset of an advertisement field.
struct MonitorPattern {
  let offset: Int
  let type: UInt8
  let bytes: [UInt8]

  /// Parses the patterns of a monitor's object; nil when the daemon would refuse them.
  static func parse(_ properties: DBusValue) -> [MonitorPattern]? {
    guard properties["Type"]?.text == "or_patterns",
      case .array("(yyay)", let elements) = properties["Patterns"]
    else { return nil }
    let patterns = elements.compactMap { MonitorPattern($0) }
    return patterns.isEmpty || patterns.count < elements.count ? nil : patterns
  }

  private init?(_ value: DBusValue) {
    guard case .structure(let fields) = value, fields.count == 3, case .byte(let offset) = fields[0],
      case .byte(let type) = fields[1], case .bytes(let bytes) = fields[2],
      !bytes.isEmpty, Int(offset) + bytes.count <= 31, (0x01...0x3D).contains(type) || type == 0xFF
    else { return nil }
    self.offset = Int(offset)
    self.type = type
    self.bytes = bytes
  }

  func matches(_ report: AdvertisingReport) -> Bool {
    report.fields.contains { field in
      field.type == type && field.bytes.dropFirst(offset).starts(with: bytes)
    }
  }
}
