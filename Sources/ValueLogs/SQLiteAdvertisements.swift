// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEMeaning
internal import JSON
internal import ValueStreams

/// Inserts advertised values into a table that gets a column for each field when it first comes.
final class SQLiteAdvertisements {
  private let database: SQLiteDatabase
  private let findColumn: SQLiteStatement
  /// The columns by the keys of fields; nil for fields that have none.
  private var columns: [String: String?] = [:]
  private var columnCount: Int
  /// By the keys of the fields that they insert.
  private var statements: [[String]: SQLiteStatement] = [:]
  private var writer = JSONWriter()

  static let names = DecodedNames(
    taken: ["id", "time", "device", "type", "service", "company", "data", "more", "utc", "address", "name"])
  /// The most columns of fields: strangers may send whatever they want.
  static let mostColumns = 250
  private static let mostStatements = 256
  /// How many columns are not of fields.
  private static let fixedCount = 8

  /// Creates the table, unless the database has it.
  init(_ database: SQLiteDatabase) throws(OutputError) {
    self.database = database
    try database.execute(SQLiteSchema.advertisements)
    findColumn = try database.prepare(
      "SELECT count(*) FROM pragma_table_info('advertisement') WHERE name = ?1 COLLATE NOCASE")
    columnCount = try database.integer("SELECT count(*) FROM pragma_table_info('advertisement')")
  }

  /// Inserts a value of a device, whose row in the table of devices is known.
  func insert(
    _ value: ReceivedValue, _ decoded: DecodedFields?, of advertisement: ValueAdvertisement, device: Int
  ) throws(OutputError) {
    var (fields, others): ([DecodedFields.Field], DecodedFields) = ([], DecodedFields())
    for field in decoded?.fields ?? [] {
      if try column(of: field) == nil { others.fields.append(field) } else { fields.append(field) }
    }
    let statement = try statement(for: fields.map(\.key))
    let first: [SQLiteStatement.Value] = [
      .integer(value.time.microseconds), .integer(device), .text(advertisement.type),
      .text(advertisement.service?.longForm), .text(advertisement.company?.fourDigits), .blob(value.value),
      others.fields.isEmpty ? .null : .text(json(.fields(others))),
    ]
    for (index, value) in (first + fields.map(stored)).enumerated() {
      try statement.set(Int32(index + 1), value)
    }
    try statement.run()
  }

  // MARK: Columns

  /// The column of a field, which is added if there is room; nil if there is none.
  private func column(of field: DecodedFields.Field) throws(OutputError) -> String? {
    if let known = columns[field.key] { return known }
    let name = SQLiteAdvertisements.names.name(of: field.key)
    // SQLite does not distinguish names by case.
    let isTaken = columns.values.contains { $0?.lowercased() == name.lowercased() }
    let exists = isTaken ? false : try findColumn.row(.text(name)) != 0
    let hasRoom = columnCount < SQLiteAdvertisements.mostColumns + SQLiteAdvertisements.fixedCount
    guard !isTaken, exists || hasRoom, !name.contains("\0") else {
      if columns.count < 8 * SQLiteAdvertisements.mostColumns { columns[field.key] = .some(nil) }
      return nil
    }
    if !exists {
      try database.execute(
        "ALTER TABLE advertisement ADD COLUMN \(SQLiteAdvertisements.quoted(name)) \(type(of: field))")
      columnCount += 1
    }
    columns[field.key] = name
    return name
  }

  /// A name of a column, as SQL has it.
  static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  private func type(of field: DecodedFields.Field) -> String {
    switch field.value {
    case .integer: "INTEGER"
    case .decimal: "REAL"
    case .bool: "BOOLEAN"
    case .bytes: "BLOB"
    // A number that is unknown for the moment.
    case .text: field.unit.isEmpty ? "TEXT" : "REAL"
    case .list, .fields: "TEXT"
    }
  }

  private func stored(_ field: DecodedFields.Field) -> SQLiteStatement.Value {
    switch field.value {
    case .integer(let number): .integer(number)
    case .decimal(let number): Double(number.description).map { .real($0) } ?? .null
    case .bool(let isTrue): .integer(isTrue ? 1 : 0)
    case .bytes(let bytes): .blob(bytes)
    case .text(let text): field.unit.isEmpty ? .text(text) : .null
    case .list, .fields: .text(json(field.value))
    }
  }

  private func json(_ value: DecodedValue) -> String {
    writer.removeAll()
    writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func statement(for keys: [String]) throws(OutputError) -> SQLiteStatement {
    if let statement = statements[keys] { return statement }
    let first = ["time", "device", "type", "service", "company", "data", "more"]
    let names = first + keys.compactMap { columns[$0] ?? nil }.map(SQLiteAdvertisements.quoted)
    let places = (1...names.count).map { "?\($0)" }
    let statement = try database.prepare(
      "INSERT INTO advertisement (\(names.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
    )
    if statements.count >= SQLiteAdvertisements.mostStatements { statements = [:] }
    statements[keys] = statement
    return statement
  }
}
