// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
internal import JSON
internal import ValueStreams

/// Inserts advertised values into a table that gets a column for each field when it first comes.
final class SQLiteAdvertisements {
  private let database: SQLiteDatabase
  /// The types of the columns that the table has, by their names in lower case: SQLite does not distinguish names by case.
  private var present: [String: FieldKind] = [:]
  /// The columns by the keys of fields; nil for fields that have none.
  private var columns: [String: String?] = [:]
  private var types = FieldTypes()
  /// The statements, by the keys of the fields that they insert.
  private var statements: [[String]: SQLiteStatement] = [:]
  private var writer = JSONWriter()

  static let names = DecodedNames(
    taken: [
      "id", "time", "device", "type", "service", "company", "data", "more", "utc", "address", "name", "via",
      "average_count", "average_from",
    ])
  /// The most columns of fields: strangers may send whatever they want.
  static let mostColumns = 250
  private static let mostStatements = 256
  /// The number of columns that are not for fields.
  private static let fixedCount = 11

  /// Creates the table, or adds the columns that one of an earlier version lacks.
  init(_ database: SQLiteDatabase) throws(OutputError) {
    self.database = database
    try database.execute(SQLiteSchema.advertisements)
    try SQLiteSchema.addColumns(
      SQLiteSchema.averageColumns + [("via", "TEXT")], to: "advertisement", database)
    try database.prepare("SELECT name, type FROM pragma_table_info('advertisement')").rows { row in
      if let name = row.text(0) { present[name.lowercased()] = Self.kind(ofColumn: row.text(1) ?? "") }
      return true
    }
  }

  /// Inserts a value of a device, whose row in the table of devices is known, or an average of values.
  func insert(
    _ value: ReceivedValue, _ decoded: DecodedFields?, of advertisement: ValueAdvertisement, device: Int,
    via transport: String, _ average: SQLiteRows.Average?
  ) throws(OutputError) {
    var fields: [FieldTypes.Field] = []
    var others = DecodedFields()
    let typed = types.typed(decoded ?? DecodedFields()) { key in
      present[SQLiteAdvertisements.names.name(of: key).lowercased()]
    }
    for field in typed {
      if try column(of: field) == nil {
        others.add(field.key, field.value)
      } else {
        fields.append(field)
      }
    }
    let statement = try statement(for: fields.map(\.key))
    let first: [SQLiteStatement.Value] = [
      .integer(value.time.microseconds), .integer(device), .text(advertisement.type),
      .text(advertisement.service?.longForm), .text(advertisement.company?.fourDigits), .blob(value.value),
      others.fields.isEmpty ? .null : .text(json(.fields(others))), .text(transport),
      average.map { .integer($0.count) } ?? .null,
      average.map { .integer($0.from.microseconds) } ?? .null,
    ]
    for (index, value) in (first + fields.map { stored($0.value) }).enumerated() {
      try statement.set(Int32(index + 1), value)
    }
    try statement.run()
  }

  // MARK: Columns

  /// The column of a field, which is added if there is room; nil if there is none.
  private func column(of field: FieldTypes.Field) throws(OutputError) -> String? {
    if let known = columns[field.key] { return known }
    let name = SQLiteAdvertisements.names.name(of: field.key)
    let isTaken = columns.values.contains { $0?.lowercased() == name.lowercased() }
    let exists = !isTaken && present[name.lowercased()] != nil
    let hasRoom = present.count < SQLiteAdvertisements.mostColumns + SQLiteAdvertisements.fixedCount
    guard !isTaken, exists || hasRoom, !name.contains("\0") else {
      if columns.count < 8 * SQLiteAdvertisements.mostColumns { columns[field.key] = .some(nil) }
      return nil
    }
    if !exists {
      let type = type(of: field.value)
      try database.execute(
        "ALTER TABLE advertisement ADD COLUMN \(SQLiteAdvertisements.quoted(name)) \(type)")
      present[name.lowercased()] = Self.kind(ofColumn: type)
    }
    columns[field.key] = name
    return name
  }

  /// A name of a column, as SQL has it.
  static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }

  private func type(of value: DecodedValue) -> String {
    switch value {
    case .integer: "INTEGER"
    case .decimal: "REAL"
    case .bool: "BOOLEAN"
    case .bytes: "BLOB"
    case .text, .list, .fields: "TEXT"
    }
  }

  /// The type of the values of a column, by its declaration.
  private static func kind(ofColumn type: String) -> FieldKind {
    switch type {
    case "INTEGER", "REAL": .number
    case "BOOLEAN": .flag
    default: .text
    }
  }

  private func stored(_ value: DecodedValue) -> SQLiteStatement.Value {
    switch value {
    case .integer(let number): .integer(number)
    case .decimal(let number): Double(number.description).map { .real($0) } ?? .null
    case .bool(let isTrue): .integer(isTrue ? 1 : 0)
    case .bytes(let bytes): .blob(bytes)
    case .text(let text): .text(text)
    case .list, .fields: .text(json(value))
    }
  }

  private func json(_ value: DecodedValue) -> String {
    writer.removeAll()
    writer.value(value)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func statement(for keys: [String]) throws(OutputError) -> SQLiteStatement {
    if let statement = statements[keys] { return statement }
    let first = [
      "time", "device", "type", "service", "company", "data", "more", "via", "average_count", "average_from",
    ]
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
