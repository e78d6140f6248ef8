// SPDX-License-Identifier: MIT
package import BLECentral
internal import Glibc
package import ValueStreams

/// A log in a database.
///
/// The events of half a second form one transaction, which is on the disk when it completes: a killed process
/// and a power cut cost that half second, and readers are not disturbed (write-ahead log).
package final class SQLiteLog: OutputSink {
  package let name: String
  private let rotation: LogRotation?
  private let report: @Sendable (String) -> Void
  private let now: @Sendable () -> Timestamp
  private var file: LogFile?
  private var database: SQLiteDatabase?
  private var rows: SQLiteRows?
  /// True if it contains anything worth putting aside.
  private var hasRecords = false
  /// The record that the log was not written for some time, until it is written.
  private var away: StreamEvent?

  package let interval = Duration.milliseconds(500)
  package let batchCost = 1 << 20

  private static let busyTimeout = Duration.seconds(2)
  /// The number of pages that the write-ahead file holds before they are moved to the database; SQLite's
  /// default.
  private static let mostPages = 1000

  /// Opens or creates the database, and continues it.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - rotation: when a new one begins; nil for never.
  ///   - recordsAbsence: true to begin with a record of the time since the last one of an earlier command.
  ///   - now: the clock.
  ///   - report: prints a message.
  /// - Throws: why it cannot be opened or continued.
  package init(
    path: String, rotation: LogRotation?, recordsAbsence: Bool = false,
    now: @escaping @Sendable () -> Timestamp = { .now },
    report: @escaping @Sendable (String) -> Void
  ) throws(OutputError) {
    name = path
    self.rotation = rotation
    self.report = report
    self.now = now
    try open()
    if recordsAbsence, let last = try database.flatMap(SQLiteSchema.lastTime) {
      away = .reception(ReceptionRecord(away: last, until: now()))
    }
  }

  private func open() throws(OutputError) {
    let file = try LogFile(path: name, now: now())
    if try open(file) { return }
    let other = try LogRotation.putAside(file.destination, at: now(), isDamaged: true)
    report("\(name) is damaged (SQLite cannot read it): renamed it to \(other) and started a new file")
    guard try open(try LogFile(path: name, now: now())) else { throw OutputError("file is not a database") }
  }

  /// Opens a locked file; returns false when it was a log, but cannot be read any more.
  private func open(_ file: LogFile) throws(OutputError) -> Bool {
    try file.destination.requireOwnCompanions()
    let database = try SQLiteDatabase(path: try Self.realPath(of: file.descriptor))
    do throws(OutputError) {
      try setUp(database)
    } catch {
      if database.isUnreadable, try SQLiteSchema.wasLog(file.descriptor) { return false }
      throw error
    }
    // Those that SQLite has just opened.
    try file.destination.requireOwnCompanions()
    hasRecords = try database.integer("SELECT EXISTS (SELECT * FROM device)") != 0
    rows = try SQLiteRows(database)
    self.database = database
    self.file = file
    return true
  }

  /// Creates the tables in a new database; throws if another one is not a log.
  private func setUp(_ database: SQLiteDatabase) throws(OutputError) {
    try database.setBusyTimeout(SQLiteLog.busyTimeout)
    // SQLite's temporary data stays in memory: no other files are made.
    try database.execute("PRAGMA temp_store = MEMORY")
    let application = try database.integer("PRAGMA application_id")
    let isNew = try database.integer("SELECT count(*) FROM sqlite_schema") == 0
    if isNew, application == 0 {
      try database.execute("PRAGMA journal_mode = WAL")
      try database.execute("BEGIN IMMEDIATE; \(SQLiteSchema.sql) COMMIT")
    } else {
      try SQLiteSchema.requireLog(database)
      try SQLiteSchema.complete(database)
    }
    // Each commit is on the disk before it completes.
    try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
    guard case .size(let limit) = rotation else { return }
    // Each commit writes whole pages there, the same ones repeatedly: it would far outgrow a small log.
    let pages = limit / 4 / max(512, try database.integer("PRAGMA page_size"))
    try database.execute("PRAGMA wal_autocheckpoint = \(min(SQLiteLog.mostPages, max(1, pages)))")
  }

  /// The path of the open file: SQLite opens by path, which must not lead elsewhere meanwhile.
  private static func realPath(of descriptor: Int32) throws(OutputError) -> String {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, bytes.count) } ?? -1
    }
    guard count > 0 else { throw OutputError(errno: errno) }
    return String(decoding: buffer[..<count], as: UTF8.self)
  }

  package func write(_ events: [StreamEvent]) throws(OutputError) {
    try prepare()
    try rows?.insert((away.map { [$0] } ?? []) + events)
    away = nil
    hasRecords = true
  }

  private func prepare() throws(OutputError) {
    if let isInPlace = file?.isInPlace, !isInPlace {
      report("\(name) was moved or deleted: continuing in a new file")
      // A database that was moved is not completed when it is closed.
      gatherPages()
      close()
    }
    if let file, let rotation, file.isDue(for: rotation, size: try size, now: now()) {
      if hasRecords {
        gatherPages()
        rows = nil
        database = nil
        try LogRotation.putAside(file.destination, at: now())
        close()
      } else {
        file.restart(at: now())
      }
    }
    if rows == nil {
      close()
      try open()
    }
  }

  /// The size, including what only the write-ahead file has so far.
  private var size: Int {
    get throws(OutputError) {
      guard let database else { return 0 }
      return try database.integer("PRAGMA page_count") * database.integer("PRAGMA page_size")
    }
  }

  /// Moves the write-ahead file into the database, so that it is complete without it; readers may delay that.
  private func gatherPages() { _ = try? database?.integer("PRAGMA wal_checkpoint(TRUNCATE)") }

  package func close() {
    rows = nil
    database = nil
    file = nil
  }
}
