// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
package import ValueStreams

/// A log as a table after RFC 4180: a header, one record per line, lines that end with CR and LF.
///
/// A record never spans lines, so that a partial one can be recognized after a crash. A list is JSON in one column, and its first
/// elements have columns of their own behind it: as many in every row, whatever its length.
package struct CSVTable: TextLogFormat {
  /// The first columns of every log; a column for each key of decoded values follows, then ``nameColumn``.
  static let columns = CSVRow.Column.allCases.map(\.name)
  /// The columns behind them of advertised values.
  static let advertisedColumns = ["company", "type"]
  static let nameColumn = "name"
  /// The most columns of decoded values that a table gets by itself: strangers may send whatever they want.
  static let mostColumns = 250

  private struct DecodedColumn {
    let name: String
    let key: String
    /// The element of a list that it may be for: a field of this key comes first.
    let element: ListElement?

    init(name: String, key: String) {
      (self.name, self.key) = (name, key)
      element = ListElement(name: key)
    }

    func value(in decoded: DecodedFields) -> DecodedValue? {
      if let value = decoded[key] ?? element?.value(in: decoded) { return value }
      guard key == DecodedFields.problemKey, !decoded.problems.isEmpty else { return nil }
      return .text(decoded.problems.joined(separator: "; "))
    }
  }

  /// The columns before those of decoded values.
  private let firstColumns: [String]
  /// True if the values are advertised: what a device sends is only known when it comes.
  package let growsInPlace: Bool
  private let names: DecodedNames
  private var decodedColumns: [DecodedColumn] = []
  /// The keys that have a column.
  private var keys: Set<String> = []
  /// The columns that a table from before may lack: those of elements, and of problems.
  private var optional: Set<String> = []
  private var json = JSONWriter()
  private var times = TimeText()

  /// Creates a table with columns for the keys that decoded values can have, and for elements of lists; one of advertised values
  /// gets more columns when they come.
  package init(keys: [String], isOfAdvertisements: Bool = false) {
    growsInPlace = isOfAdvertisements
    firstColumns = CSVTable.columns + (isOfAdvertisements ? CSVTable.advertisedColumns : [])
    names = DecodedNames(taken: Set(firstColumns + [CSVTable.nameColumn]))
    addColumns(for: keys)
  }

  private mutating func addColumns(for keys: some Sequence<String>) {
    for column in keys {
      let element = ListElement(column: column)
      let key = element?.name ?? column
      if element == nil { optional.remove(key) }
      guard self.keys.insert(key).inserted else { continue }
      if element != nil || key == DecodedFields.problemKey { optional.insert(key) }
      decodedColumns.append(DecodedColumn(name: names.name(of: key), key: key))
    }
  }

  package var header: [UInt8] { Array((allColumns.joined(separator: ",") + "\r\n").utf8) }

  private var allColumns: [String] { firstColumns + decodedColumns.map(\.name) + [CSVTable.nameColumn] }

  package let signature = Array("time,event,address,".utf8)

  /// The columns of a file stay, since it has one header; a file that lacks one cannot be continued as it is.
  package mutating func fit(firstLine: [UInt8]) -> LogFit {
    guard firstLine.starts(with: signature) else { return .foreign }
    let found = CSVTable.columns(firstLine)
    let missing = allColumns.filter { !found.contains($0) && !optional.contains($0) }
    guard missing.isEmpty else { return .lacks(missing) }
    guard isTable(found) else { return .foreign }
    take(columns: found)
    return .same
  }

  private static func columns(_ line: [UInt8]) -> [String] {
    String(decoding: line, as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
      .map(String.init)
  }

  private func isTable(_ columns: [String]) -> Bool {
    columns.starts(with: firstColumns) && columns.last == CSVTable.nameColumn
  }

  /// Takes the columns of a table; before names were unique, any key could be the name of one.
  private mutating func take(columns: [String]) {
    decodedColumns = columns.dropFirst(firstColumns.count).dropLast().map {
      DecodedColumn(name: $0, key: names.key(of: $0))
    }
    keys = Set(decodedColumns.map(\.key))
  }

  /// Adds what it lacks behind the columns of a table.
  package mutating func grow(from firstLine: [UInt8]) -> (([UInt8]) -> [UInt8])? {
    let (found, wanted) = (CSVTable.columns(firstLine), decodedColumns)
    guard growsInPlace, firstLine.starts(with: signature), isTable(found) else { return nil }
    take(columns: found)
    let count = decodedColumns.count
    addColumns(for: wanted.map(\.key))
    let added = decodedColumns.count - count
    return { CSVRow.widened($0, by: added) }
  }

  /// A handle on the command line, or a name that matches several devices, gets its meaning only when the link is open; what a
  /// device advertises is known when it comes.
  package mutating func widen(for events: [StreamEvent]) -> Bool {
    guard growsInPlace else { return widenForLinks(in: events) }
    let count = decodedColumns.count
    for event in events {
      switch event {
      case .values(let batch):
        let decoded = batch.decoded
        for index in batch.values.indices { addColumns(of: decoded[index]) }
      case .average(let average): addColumns(of: average.decoded)
      default: break
      }
    }
    return decodedColumns.count > count
  }

  private mutating func widenForLinks(in events: [StreamEvent]) -> Bool {
    let count = decodedColumns.count
    for case .link(let link) in events { addColumns(for: link.columns) }
    return decodedColumns.count > count
  }

  private mutating func addColumns(of decoded: DecodedFields?) {
    guard let decoded, decodedColumns.count < CSVTable.mostColumns else { return }
    addColumns(for: decoded.fields.lazy.map(\.key))
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
    case .reception(let reception):
      var row = CSVRow(event: reception.event.rawValue)
      row[.time] = reception.time.utc
      row[.reason] = CSVField.text(reception.text ?? "")
      row[.gapSeconds] = reception.gapSeconds?.description ?? ""
      append(row, to: &bytes)
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
      Array(row.text(behind: .time, before: .value).utf8),
      Array((row.text(behind: .value) + more(of: origin.advertisement)).utf8)
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

  /// The fields of ``advertisedColumns``, each with a comma before it; none in a table without these columns.
  private func more(of advertisement: ValueAdvertisement?) -> String {
    guard growsInPlace else { return "" }
    return ",\(advertisement?.company?.fourDigits ?? ""),\(advertisement?.type ?? "")"
  }

  private mutating func append(
    _ row: CSVRow, of origin: ValueOrigin? = nil, _ decoded: DecodedFields? = nil, name: String = "",
    to bytes: inout [UInt8]
  ) {
    bytes += row.text.utf8
    bytes += more(of: origin?.advertisement).utf8
    append(decoded, to: &bytes)
    bytes += ",\(CSVField.text(name))".utf8
    bytes += CSVTable.lineEnd
  }

  private static let lineEnd: [UInt8] = [UInt8(ascii: "\r"), UInt8(ascii: "\n")]

  private mutating func append(_ decoded: DecodedFields?, to bytes: inout [UInt8]) {
    for column in decodedColumns {
      bytes.append(UInt8(ascii: ","))
      if let decoded, let value = column.value(in: decoded) { bytes += text(of: value).utf8 }
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
    append(row, of: origin, average.decoded, name: origin.name ?? "", to: &bytes)
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
