// SPDX-License-Identifier: MIT
internal import CPlatform
internal import ValueStreams

/// A database of SQLite, for one thread.
final class SQLiteDatabase {
  private var handle: OpaquePointer?
  /// True if SQLite reported that the file is not a database, or not a complete one.
  private(set) var isUnreadable = false

  /// Opens a file, which may be empty; the path must have no symbolic links.
  init(path: String, isReadOnly: Bool = false) throws(OutputError) {
    if let reason = csqlite_load() {
      throw OutputError("SQLite is not installed (\(String(cString: reason))); sudo apt install libsqlite3-0")
    }
    let status = isReadOnly ? csqlite_open_to_read(path, &handle) : csqlite_open(path, &handle)
    guard status == CSQLITE_OK else {
      let reason = message
      csqlite_close(handle)
      throw OutputError(reason)
    }
  }

  deinit { csqlite_close(handle) }

  private var message: String { handle.map { String(cString: csqlite_message($0)) } ?? "out of memory" }

  func check(_ status: Int32) throws(OutputError) {
    if [CSQLITE_OK, CSQLITE_ROW, CSQLITE_DONE].contains(Int(status)) { return }
    // The other bits hold the extended result code.
    if [CSQLITE_CORRUPT, CSQLITE_NOTADB].contains(Int(status & 0xff)) { isUnreadable = true }
    throw OutputError(message)
  }

  /// Sets how long to wait for another process that writes.
  func setBusyTimeout(_ duration: Duration) throws(OutputError) {
    try check(csqlite_busy_timeout(handle, Int32(duration / .milliseconds(1))))
  }

  /// Runs statements without parameters and results.
  func execute(_ sql: String) throws(OutputError) { try check(csqlite_execute(handle, sql)) }

  /// The integer result of a statement without parameters.
  func integer(_ sql: String) throws(OutputError) -> Int {
    let statement = try prepare(sql)
    return try statement.row() ?? 0
  }

  func prepare(_ sql: String) throws(OutputError) -> SQLiteStatement {
    var statement: OpaquePointer?
    try check(csqlite_prepare(handle, sql, &statement))
    return SQLiteStatement(statement, of: self)
  }

  var lastRow: Int { Int(csqlite_last_row(handle)) }
}

final class SQLiteStatement {
  enum Value {
    case integer(Int)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case null

    static func text(_ text: String?) -> Value { text.map { .text($0) } ?? .null }
  }

  private let handle: OpaquePointer?
  private let database: SQLiteDatabase

  fileprivate init(_ handle: OpaquePointer?, of database: SQLiteDatabase) {
    self.handle = handle
    self.database = database
  }

  deinit { csqlite_finalize(handle) }

  /// Sets one parameter, counted from 1, which stays set until the next call.
  func set(_ index: Int32, _ value: Value) throws(OutputError) { try database.check(bind(value, index)) }

  /// Runs it to its end with its current parameters.
  func run() throws(OutputError) { _ = try row([]) }

  func run(_ values: Value...) throws(OutputError) { _ = try row(values) }

  /// The integer in the first column of the first row; nil without a row.
  func row(_ values: Value...) throws(OutputError) -> Int? { try row(values) }

  /// Gives the rows of the result to `body`, one after the other, until it returns false.
  func rows(_ values: Value..., body: (SQLiteRow) -> Bool) throws(OutputError) {
    try bind(values)
    let row = SQLiteRow(handle)
    while csqlite_step(handle) == CSQLITE_ROW, body(row) {}
    // After a failure, csqlite_reset returns that status again, which is thrown here.
    try database.check(csqlite_reset(handle))
  }

  private func row(_ values: [Value]) throws(OutputError) -> Int? {
    try bind(values)
    let status = csqlite_step(handle)
    let number = status == CSQLITE_ROW ? Int(csqlite_integer(handle, 0)) : nil
    // After a failure, csqlite_reset returns that status again, which is thrown here.
    try database.check(csqlite_reset(handle))
    return number
  }

  private func bind(_ values: [Value]) throws(OutputError) {
    for (index, value) in values.enumerated() { try database.check(bind(value, Int32(index + 1))) }
  }

  private func bind(_ value: Value, _ index: Int32) -> Int32 {
    switch value {
    case .integer(let number): return csqlite_bind_integer(handle, index, Int64(number))
    case .real(let number): return csqlite_bind_real(handle, index, number)
    case .null: return csqlite_bind_null(handle, index)
    case .blob(let bytes):
      return bytes.withUnsafeBytes { csqlite_bind_blob(handle, index, $0.baseAddress, Int32($0.count)) }
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          csqlite_bind_text(handle, index, $0.baseAddress, Int32($0.count))
        }
      }
    }
  }
}

/// The current row of a result, whose columns are counted from 0; valid until the next one.
struct SQLiteRow {
  private let handle: OpaquePointer?

  fileprivate init(_ handle: OpaquePointer?) { self.handle = handle }

  func integer(_ column: Int32) -> Int { Int(csqlite_integer(handle, column)) }

  /// Nil if it is not a number.
  func number(_ column: Int32) -> Double? {
    let type = csqlite_type(handle, column)
    return type == CSQLITE_INTEGER || type == CSQLITE_FLOAT ? csqlite_real(handle, column) : nil
  }

  /// Nil if it is NULL.
  func text(_ column: Int32) -> String? {
    guard let bytes = csqlite_text(handle, column) else { return nil }
    let count = Int(csqlite_length(handle, column))
    return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
