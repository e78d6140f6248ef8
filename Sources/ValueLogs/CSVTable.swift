// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning
internal import JSON
package import ValueStreams

/// A log as a table after RFC 4180: a header, one record per line, lines that end with CR and LF.
///
/// A record never spans lines, so that a partial one can be recognized after a crash.
package struct CSVTable: TextLogFormat {
  /// The first columns of every log; a column for each key of decoded values follows, then ``nameColumn``.
  static let columns = CSVRow.Column.allCases.map(\.name)
  static let nameColumn = "name"

  private struct DecodedColumn {
    private static let names = DecodedNames(taken: Set(CSVTable.columns + [CSVTable.nameColumn]))

    let name: String
    let key: String

    init(key: String) {
      self.key = key
      name = DecodedColumn.names.name(of: key)
    }

    /// A column of an existing table; before names were unique, any key could be its name.
    init(name: String) {
      self.name = name
      key = DecodedColumn.names.key(of: name)
    }
  }

  private var decodedColumns: [DecodedColumn] = []
  private var json = JSONWriter()
  private var times = TimeText()

  /// Creates a table with columns for the keys that decoded values can have.
  package init(keys: [String]) { addColumns(for: keys) }

  private mutating func addColumns(for keys: [String]) {
    for key in keys {
      let column = DecodedColumn(key: key)
      if !decodedColumns.contains(where: { $0.name == column.name }) { decodedColumns.append(column) }
    }
  }

  package var header: [UInt8] { Array((allColumns.joined(separator: ",") + "\r\n").utf8) }

  private var allColumns: [String] { CSVTable.columns + decodedColumns.map(\.name) + [CSVTable.nameColumn] }

  package let signature = Array("time,event,address,".utf8)

  /// The columns of a file stay, since it has one header; a file that lacks one cannot be continued.
  package mutating func fit(firstLine: [UInt8]) -> LogFit {
    guard firstLine.starts(with: signature) else { return .foreign }
    let names = String(decoding: firstLine, as: UTF8.self)
      .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let missing = allColumns.filter { !names.contains($0) }
    guard missing.isEmpty else { return .lacks(missing) }
    guard names.starts(with: CSVTable.columns), names.last == CSVTable.nameColumn else { return .foreign }
    decodedColumns = names.dropFirst(CSVTable.columns.count).dropLast().map { DecodedColumn(name: $0) }
    return .same
  }

  /// A handle on the command line, or a name that matches several devices, gets its meaning only when the link is open.
  package mutating func widen(for events: [StreamEvent]) -> Bool {
    let count = decodedColumns.count
    for case .link(let link) in events { addColumns(for: link.decodedKeys) }
    return decodedColumns.count > count
  }

  package mutating func append(_ event: StreamEvent, to bytes: inout [UInt8]) {
    switch event {
    case .values(let batch): append(batch, to: &bytes)
    case .link(let link):
      var row = CSVRow(event: link.event.rawValue)
      row[.time] = link.time.utc
      row[.address] = "\(link.address)"
      row[.reason] = CSVField.text(link.reason ?? "")
      row[.gapSeconds] = link.gapSeconds?.description ?? ""
      append(row, to: &bytes)
    case .average(let average): append(average, to: &bytes)
    case .alarm(let alarm):
      var row = CSVRow(event: alarm.event.rawValue)
      row[.time] = alarm.time.utc
      row[.address] = "\(alarm.address)"
      row[.reason] = CSVField.text(alarm.condition)
      append(row, alarm.decoded, name: alarm.name ?? "", to: &bytes)
    case .absence(let absence):
      var row = CSVRow(event: absence.event.rawValue)
      row[.time] = absence.time.utc
      row[.address] = absence.address?.description ?? ""
      row[.gapSeconds] = "\(absence.silence)"
      append(row, name: absence.name ?? "", to: &bytes)
    case .dropped(let dropped):
      var row = CSVRow(event: "dropped")
      row[.time] = dropped.time.utc
      row[.count] = "\(dropped.count)"
      append(row, to: &bytes)
    case .written(let written): append(written, to: &bytes)
    case .served(let served): append(served, to: &bytes)
    case .record, .line: break  // commands with such events do not offer this log
    }
  }

  /// Appends values, whose rows differ only in time and value.
  private mutating func append(_ batch: ValueBatch, to bytes: inout [UInt8]) {
    let origin = batch.origin
    var row = CSVRow(event: "value")
    row.set(origin)
    let (source, transport) = (
      Array(row.text(behind: .time, before: .value).utf8), Array(row.text(behind: .value).utf8)
    )
    let name = Array(",\(CSVField.text(origin.name ?? ""))".utf8)
    let decoded = decodedColumns.isEmpty ? nil : batch.decoded
    for index in batch.values.indices {
      let value = batch.values[index]
      times.append(value.time, to: &bytes)
      bytes += source
      Hex.append(value.value, to: &bytes)
      bytes += transport
      append(decoded?[index], to: &bytes)
      bytes += name
      bytes += CSVTable.lineEnd
    }
  }

  private mutating func append(
    _ row: CSVRow, _ decoded: DecodedFields? = nil, name: String = "", to bytes: inout [UInt8]
  ) {
    bytes += row.text.utf8
    append(decoded, to: &bytes)
    bytes += ",\(CSVField.text(name))".utf8
    bytes += CSVTable.lineEnd
  }

  private static let lineEnd: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]

  private mutating func append(_ decoded: DecodedFields?, to bytes: inout [UInt8]) {
    for column in decodedColumns {
      bytes.append(UInt8(ascii: ","))
      if let value = decoded?[column.key] { bytes += text(of: value).utf8 }
    }
  }

  private mutating func text(of value: DecodedValue) -> String {
    switch value {
    case .integer(let number): return "\(number)"
    case .decimal(let number): return "\(number)"
    case .bool(let isTrue): return isTrue ? "true" : "false"
    case .bytes(let bytes): return Hex.string(bytes)
    case .text(let text): return CSVField.text(text)
    case .list, .fields:
      json.removeAll()
      json.value(value)
      return CSVField.text(String(decoding: json.bytes, as: UTF8.self))
    }
  }

  private mutating func append(_ average: AverageRecord, to bytes: inout [UInt8]) {
    let origin = average.origin
    var row = CSVRow(event: "average")
    row[.time] = average.time.utc
    row.set(origin)
    row[.count] = "\(average.count)"
    append(row, average.decoded, name: origin.name ?? "", to: &bytes)
  }

  private mutating func append(_ written: WrittenRecord, to bytes: inout [UInt8]) {
    let characteristic = written.characteristic
    var row = CSVRow(event: "written")
    row[.time] = written.time.utc
    row[.address] = "\(written.address)"
    row.set(
      service: characteristic.service, characteristic: characteristic.uuid, handle: characteristic.handle)
    row[.value] = Hex.string(written.value ?? [])
    row[.via] = "write"
    row[.count] = "\(written.values)"
    append(row, to: &bytes)
  }

  private mutating func append(_ served: ServedRecord, to bytes: inout [UInt8]) {
    let attribute = served.attribute
    var row = CSVRow(event: served.event.rawValue)
    row[.time] = served.time.utc
    row[.address] = served.address?.description ?? ""
    if let attribute {
      row.set(
        service: attribute.service, characteristic: attribute.characteristic, handle: attribute.handle)
    }
    row[.value] = served.value.map { Hex.string($0) } ?? ""
    row[.via] = served.transport ?? ""
    row[.reason] = served.error.map { CSVField.text($0.description) } ?? ""
    let decoded = attribute?.descriptor == nil ? served.decoded : nil
    append(row, decoded, name: served.name ?? "", to: &bytes)
  }
}

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

  /// Sets the fields that identify where a value came from.
  mutating func set(_ origin: ValueOrigin) {
    let characteristic = origin.characteristic
    self[.address] = "\(origin.address)"
    set(service: characteristic.service, characteristic: characteristic.uuid, handle: characteristic.handle)
    self[.via] = origin.transport.rawValue
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
