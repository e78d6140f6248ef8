// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import ValueStreams

enum CSVField {
  /// A text as a field: quoted if necessary, on one line, and never a formula.
  ///
  /// Spreadsheets evaluate text that begins with `=`, `+`, `-` or `@`, and text from the air could make them
  /// do anything: an apostrophe before it keeps it a text.
  static func text(_ text: String) -> String {
    var field = ""
    if let first = text.unicodeScalars.first, formulaStarts.contains(first) { field += "'" }
    var needsQuotes = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"":
        field += "\"\""
        needsQuotes = true
      case ",":
        field += ","
        needsQuotes = true
      case "\n": field += "\\n"
      case "\r": field += "\\r"
      case "\t": field += "\\t"
      case _ where scalar.properties.generalCategory == .control:
        field += "\\u" + UInt16(truncatingIfNeeded: scalar.value).fourDigits
      default: field.unicodeScalars.append(scalar)
      }
    }
    return needsQuotes ? "\"\(field)\"" : field
  }

  private static let formulaStarts: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n"]
}

/// The fields that every CSV log has; ``CSVTable`` adds those for decoded values and the device name.
struct CSVRow {
  /// The columns, in order.
  enum Column: Int, CaseIterable {
    case time, event, address, service, characteristic, handle, value, via, reason, gapSeconds, count

    var name: String { self == .gapSeconds ? "gap_seconds" : "\(self)" }
  }

  private var fields = [String](repeating: "", count: Column.allCases.count)

  init(event: String) { self[.event] = event }

  /// The text of a field, which needs no quotes; empty unless set.
  subscript(column: Column) -> String {
    get { fields[column.rawValue] }
    set { fields[column.rawValue] = newValue }
  }

  /// Sets the fields that identify the origin of a value.
  mutating func set(_ origin: ValueOrigin) {
    self[.address] = "\(origin.address)"
    self[.via] = origin.transport.rawValue
    switch origin.source {
    case .attribute(let attribute):
      let characteristic = attribute.characteristic
      set(
        service: characteristic.service, characteristic: characteristic.uuid, handle: characteristic.handle)
    case .advertisement(let advertisement): self[.service] = advertisement.service?.longForm ?? ""
    }
  }

  /// Sets the fields that identify the attribute.
  mutating func set(service: BluetoothUUID, characteristic: BluetoothUUID, handle: UInt16?) {
    self[.service] = service.longForm
    self[.characteristic] = characteristic.longForm
    self[.handle] = handle?.description ?? ""
  }

  var text: String { fields.joined(separator: ",") }

  /// The fields after one column, and up to another if given, with the commas that separate them from both.
  func text(behind first: Column, before last: Column? = nil) -> String {
    let end = last?.rawValue ?? fields.endIndex
    return "," + fields[(first.rawValue + 1)..<end].map { $0 + "," }.joined().dropLast(last == nil ? 1 : 0)
  }
}

extension CSVRow {
  /// A row of a table, without its end, with more empty fields before the last one.
  ///
  /// A record never spans lines, and only quoted fields contain commas.
  static func widened(_ row: some Collection<UInt8>, by count: Int) -> [UInt8] {
    var isQuoted = false
    var bytes: [UInt8] = []
    bytes.reserveCapacity(row.count + count)
    var last: Int?
    for byte in row {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == comma, !isQuoted { last = bytes.count }
      bytes.append(byte)
    }
    bytes.insert(contentsOf: [UInt8](repeating: comma, count: count), at: last ?? bytes.endIndex)
    return bytes
  }

  private static let comma = UInt8(ascii: ",")
}
