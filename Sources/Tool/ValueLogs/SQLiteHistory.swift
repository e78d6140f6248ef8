// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEFormats
package import Histories
internal import JSON
package import ValueStreams

/// The values in the database of a log from before the command began: numbers over time, for the page.
///
/// It is read over a connection of its own, which writes nothing and disturbs no writer. Blocks; for one thread.
package final class SQLiteHistory {
  /// The limits on what is read.
  package struct Limits: Sendable {
    /// The numbers: of more, those that came last.
    package var numbers = PastNumbers.mostNumbers
    /// The points of each, which are fewer.
    package var points = PastNumbers.mostPoints
    /// The rows of a table: of more, the newest.
    package var rows = 1_000_000

    package init() {}
  }

  private let database: SQLiteDatabase
  private let limits: Limits
  /// The start, in microseconds since 1970.
  private let start: Int
  private let gaps: SQLiteGaps
  private var lines: [SQLiteLine.Key: SQLiteLine] = [:]

  /// The number of rows read between two checks whether to continue.
  private static let step = 1024
  private static let busyTimeout = Duration.seconds(2)

  /// Opens the database of a log; `since` is in seconds since 1970, and the path must have no symbolic links.
  ///
  /// - Throws: that it cannot be read, or is not a log.
  package init(path: String, since: Double, limits: Limits = Limits()) throws(OutputError) {
    let opened = try SQLiteDatabase(path: path, isReadOnly: true)
    try opened.setBusyTimeout(Self.busyTimeout)
    try SQLiteSchema.requireLog(opened)
    let begin = Int(exactly: (since * 1e6).rounded(.down)) ?? .min
    gaps = try SQLiteGaps(opened, since: begin)
    (database, start, self.limits) = (opened, begin, limits)
  }

  /// Reads the numbers, and gives each to `body`; ends early when `isWanted` returns false.
  package func read(
    while isWanted: () -> Bool, _ body: (PastNumbers) -> Void
  ) throws(OutputError) {
    try readValues(while: isWanted)
    if isWanted() { try readAdvertisements(while: isWanted) }
    let findDevice = try database.prepare("SELECT address, name FROM device WHERE id = ?1")
    for (key, line) in newest {
      var found: (address: String, name: String?)?
      try findDevice.rows(.integer(key.device)) { row in
        if let address = row.text(0) { found = (address, row.text(1)) }
        return false
      }
      guard isWanted() else { return }
      guard let device = found else { continue }
      body(
        PastNumbers(
          address: device.address, name: device.name, source: key.source, field: key.field,
          first: Timestamp(microseconds: line.first).utc, last: Timestamp(microseconds: line.last).utc,
          buckets: line.history.buckets))
    }
  }

  /// The lines that came last, those of one device in the order of their fields.
  private var newest: [(key: SQLiteLine.Key, value: SQLiteLine)] {
    lines.sorted { $0.value.last > $1.value.last }.prefix(limits.numbers)
      .sorted { ($0.key.device, $0.key.source, $0.key.field) < ($1.key.device, $1.key.source, $1.key.field) }
  }

  // MARK: Tables

  /// Reads values of characteristics, whose meaning is JSON.
  private func readValues(while isWanted: () -> Bool) throws(OutputError) {
    var characteristics: [Int: (device: Int, source: String)] = [:]
    try database.prepare("SELECT id, device, uuid FROM characteristic").rows { row in
      let uuid = row.text(2) ?? ""
      characteristics[row.integer(0)] = (row.integer(1), BluetoothUUID(uuid)?.description ?? uuid)
      return true
    }
    let statement = try database.prepare(
      "SELECT time, characteristic, decoded FROM value WHERE time >= ?1 AND decoded IS NOT NULL ORDER BY time"
    )
    var count = 0
    try statement.rows(.integer(try firstTime(of: "value"))) { row in
      if let (device, source) = characteristics[row.integer(1)] {
        add(row.text(2), of: source, device, at: row.integer(0))
      }
      count += 1
      return count % Self.step != 0 || isWanted()
    }
  }

  /// Reads advertised values, which have a column for each field.
  private func readAdvertisements(while isWanted: () -> Bool) throws(OutputError) {
    // A database in which nothing was heard has no such table.
    var columns: [String] = []
    try database.prepare(
      "SELECT name FROM pragma_table_info('advertisement') WHERE type IN ('INTEGER', 'REAL', 'BOOLEAN')"
    ).rows { row in
      if let name = row.text(0), !SQLiteAdvertisements.names.taken.contains(name) { columns.append(name) }
      return true
    }
    if try database.integer("SELECT count(*) FROM pragma_table_info('advertisement')") == 0 { return }
    let fields = columns.map { SQLiteAdvertisements.names.key(of: $0) }
    let others = ["time", "device", "type", "company", "more"]
    let list = (others + columns.map(SQLiteAdvertisements.quoted)).joined(separator: ", ")
    let statement = try database.prepare("SELECT \(list) FROM advertisement WHERE time >= ?1 ORDER BY time")
    var count = 0
    try statement.rows(.integer(try firstTime(of: "advertisement"))) { row in
      let (time, device) = (row.integer(0), row.integer(1))
      let source = row.text(2) ?? row.text(3) ?? "data"
      for (index, field) in fields.enumerated() {
        guard let number = row.number(Int32(others.count + index)) else { continue }
        add(number, field, of: source, device, at: time)
      }
      add(row.text(4), of: source, device, at: time)
      count += 1
      return count % Self.step != 0 || isWanted()
    }
  }

  /// The time from which on a table has not too many rows; its index answers that.
  private func firstTime(of table: String) throws(OutputError) -> Int {
    let statement = try database.prepare(
      "SELECT time FROM \(table) WHERE time >= ?1 ORDER BY time DESC LIMIT 1 OFFSET ?2")
    return try statement.row(.integer(start), .integer(limits.rows - 1)) ?? start
  }

  // MARK: Numbers

  /// Adds the numbers of an object in JSON.
  private func add(_ json: String?, of source: String, _ device: Int, at time: Int) {
    guard let json, let members = (try? JSONReader.read(json.utf8))?.members,
      !members.contains(where: { $0.key == DecodedFields.wrongChecksumKey })
    else { return }
    for member in members {
      if let number = member.value.measured { add(number, member.key, of: source, device, at: time) }
    }
  }

  private func add(_ number: Double, _ field: String, of source: String, _ device: Int, at time: Int) {
    // As the page has it: one strength of a device, whatever it sends.
    let key = SQLiteLine.Key(device: device, source: field == "rssi_dbm" ? "" : source, field: field)
    if lines[key] == nil { makeRoom() }
    lines[key, default: SQLiteLine(points: limits.points, at: time)].add(number, at: time, gaps, of: device)
  }

  /// Forgets the older half when there are twice as many lines as are wanted.
  private func makeRoom() {
    guard lines.count >= 2 * max(1, limits.numbers) else { return }
    let oldest = lines.sorted { $0.value.last < $1.value.last }.prefix(lines.count / 2)
    for (key, _) in oldest { lines[key] = nil }
  }
}
