// SPDX-License-Identifier: MIT
internal import BLECentral
internal import ValueStreams

/// The tables of a log database; docs/logging.md describes them for queries.
enum SQLiteSchema {
  /// `blec`: distinguishes a log from other databases.
  static let application = 0x626c_6563
  static let version = 1

  static let sql = """
    CREATE TABLE device (
      id INTEGER PRIMARY KEY,
      address TEXT NOT NULL UNIQUE,
      name TEXT);
    CREATE TABLE characteristic (
      id INTEGER PRIMARY KEY,
      device INTEGER NOT NULL REFERENCES device,
      service TEXT NOT NULL,
      uuid TEXT NOT NULL,
      handle INTEGER NOT NULL,
      UNIQUE (device, service, uuid, handle));
    CREATE TABLE value (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      characteristic INTEGER NOT NULL REFERENCES characteristic,
      value BLOB NOT NULL,
      decoded TEXT,
      via TEXT NOT NULL,
      average_count INTEGER,
      average_from INTEGER);
    CREATE TABLE link (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      device INTEGER REFERENCES device,
      event TEXT NOT NULL,
      reason TEXT,
      gap_seconds REAL,
      count INTEGER);
    CREATE INDEX value_time ON value (time);
    CREATE INDEX link_time ON link (time);
    \(logView)
    PRAGMA application_id = \(application);
    PRAGMA user_version = \(version);
    """

  private static let logView = """
    CREATE VIEW log AS
      SELECT value.id, \(utc("value")) AS time,
        device.address, device.name, characteristic.service, characteristic.uuid AS characteristic,
        lower(hex(value.value)) AS value, value.decoded, value.via, value.average_count, value.average_from
      FROM value JOIN characteristic ON characteristic.id = value.characteristic
        JOIN device ON device.id = characteristic.device
      ORDER BY value.id;
    """

  /// The columns of averages: how many values they are of, and the beginning of their window.
  static let averageColumns = [("average_count", "INTEGER"), ("average_from", "INTEGER")]

  /// Brings the tables of a log of an earlier version up to date: columns may be added.
  static func complete(_ database: SQLiteDatabase) throws(OutputError) {
    guard try addColumns(averageColumns, to: "value", database) else { return }
    try database.execute("DROP VIEW IF EXISTS log; \(logView)")
  }

  /// Adds the columns that a table lacks; returns whether it lacked any.
  @discardableResult
  static func addColumns(
    _ columns: [(name: String, type: String)], to table: String, _ database: SQLiteDatabase
  ) throws(OutputError) -> Bool {
    var hasAdded = false
    for column in columns {
      let find = try database.prepare(
        "SELECT count(*) FROM pragma_table_info('\(table)') WHERE name = ?1 COLLATE NOCASE")
      if try find.row(.text(column.name)) != 0 { continue }
      try database.execute("ALTER TABLE \(table) ADD COLUMN \(column.name) \(column.type)")
      hasAdded = true
    }
    return hasAdded
  }

  /// The table of advertised values, which gets a column for each field; only in databases that have such values.
  static let advertisements = """
    CREATE TABLE IF NOT EXISTS advertisement (
      id INTEGER PRIMARY KEY,
      time INTEGER NOT NULL,
      device INTEGER NOT NULL REFERENCES device,
      type TEXT,
      service TEXT,
      company TEXT,
      data BLOB NOT NULL,
      more TEXT,
      via TEXT,
      average_count INTEGER,
      average_from INTEGER);
    CREATE INDEX IF NOT EXISTS advertisement_time ON advertisement (time);
    CREATE VIEW IF NOT EXISTS advertised AS
      SELECT \(utc("advertisement")) AS utc, device.address, device.name, advertisement.*
      FROM advertisement JOIN device ON device.id = advertisement.device
      ORDER BY advertisement.id;
    """

  /// The time of the latest record; nil if there is none.
  static func lastTime(_ database: SQLiteDatabase) throws(OutputError) -> Timestamp? {
    var latest = 0
    for table in ["value", "link", "advertisement"]
    where try database.integer("SELECT count(*) FROM pragma_table_info('\(table)')") > 0 {
      latest = max(latest, try database.integer("SELECT ifnull(max(time), 0) FROM \(table)"))
    }
    return latest == 0 ? nil : Timestamp(microseconds: latest)
  }

  /// Throws if a database is none of a log, or one of a later version.
  static func requireLog(_ database: SQLiteDatabase) throws(OutputError) {
    if try database.integer("PRAGMA application_id") != application {
      throw OutputError("it is another program's database")
    }
    if try database.integer("PRAGMA user_version") > version {
      throw OutputError("a newer version of blectl wrote it")
    }
  }

  /// The time of a table as text.
  private static func utc(_ table: String) -> String {
    """
    strftime('%Y-%m-%dT%H:%M:%S', \(table).time / 1000000, 'unixepoch')
          || printf('.%06dZ', \(table).time % 1000000)
    """
  }

  /// Returns whether an unreadable file was a log, judging by its first bytes: a power cut may leave zeros or
  /// a part.
  static func wasLog(_ descriptor: Int32) throws(OutputError) -> Bool {
    let head = try LogFile.read(descriptor, 0..<512)
    let name = Array("SQLite format 3\0".utf8)
    // Whole first pages continue behind the application ID.
    let length = head.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    if length < place.upperBound { return name.starts(with: head.prefix(min(length, name.count))) }
    return head.starts(with: name) && head[place].reduce(0) { $0 << 8 | Int($1) } == application
  }

  /// The position of the application ID in the first page.
  private static let place = 68..<72
}
