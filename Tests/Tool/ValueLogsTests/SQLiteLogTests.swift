// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

@Suite("Logs in a database")
struct SQLiteLogTests {
  private let directory: ScratchDirectory
  private let remarks = Remarks()
  private var path: String { directory.path + "/log.sqlite" }

  init() throws { directory = try ScratchDirectory() }

  private func open(_ rotation: LogRotation? = nil) throws -> SQLiteLog {
    try SQLiteLog(path: path, rotation: rotation, report: remarks.add)
  }

  private func number(_ sql: String, _ name: String = "log.sqlite") throws -> Int {
    try SQLiteDatabase(path: directory.path + "/" + name).integer(sql)
  }

  @Test("The links and the values of a served device are kept")
  func served() throws {
    let log = try open()
    try log.write([
      SampleStream.served(.connected), SampleStream.served(.written, [60]), SampleStream.served(.read, [61]),
      SampleStream.served(.refused, []),
    ])
    log.close()
    #expect(try number("SELECT count(*) FROM link WHERE event = 'connected'") == 1)
    #expect(try number("SELECT count(*) FROM link") == 1)
    #expect(try number("SELECT count(*) FROM value WHERE via = 'write' AND value = x'3c'") == 1)
    #expect(try number("SELECT count(*) FROM value WHERE via = 'read' AND value = x'3d'") == 1)
    #expect(try number("SELECT count(*) FROM value") == 2)
  }

  @Test(
    "A database that is continued begins with a record of the time since its latest one; a new one does not")
  func away() throws {
    for round in 0..<2 {
      let now = Timestamp(seconds: 1_795_247_928 + 100 * round, nanoseconds: 626_505_000)
      let log = try SQLiteLog(
        path: path, rotation: nil, recordsAbsence: true, now: { now }, report: remarks.add)
      try log.write([SampleStream.values([[0, 60]])])
      try log.write([SampleStream.values([[0, 61]], second: 1)])
      log.close()
    }
    #expect(try number("SELECT count(*) FROM link") == 1)
    #expect(
      try number(
        "SELECT count(*) FROM link WHERE event = 'away' AND device IS NULL AND gap_seconds = 99.0 AND time = 1795248028626505"
      ) == 1)
  }

  @Test("Values stand in order, with what they mean and where they come from")
  func values() throws {
    for round in UInt8(0)..<2 {
      let log = try open()
      try log.write([
        SampleStream.values([[0, 60 + round], [0, 70 + round]]), SampleStream.lost("the link was lost"),
      ])
      log.close()
    }
    #expect(try number("SELECT count(*) FROM value") == 4)
    #expect(try number("SELECT count(*) FROM device WHERE name = 'Strap, \"=1\"'") == 1)
    #expect(try number("SELECT count(*) FROM characteristic WHERE handle = 7") == 1)
    #expect(try number("SELECT count(*) FROM value WHERE id = 3 AND value = x'003d'") == 1)
    #expect(try number("SELECT decoded ->> 'heart_rate_bpm' FROM value WHERE id = 4") == 71)
    #expect(try number("SELECT time FROM value WHERE id = 1") == 1_795_247_928_626_505)
    #expect(try number("SELECT count(*) FROM link WHERE event = 'disconnected' AND reason LIKE 'the%'") == 2)
    #expect(
      try number(
        """
        SELECT count(*) FROM log WHERE id = 1 AND time = '2026-11-21T07:58:48.626505Z' AND value = '003c'
          AND address = 'F0:F1:F2:F3:F4:F5' AND characteristic LIKE '00002a37-%'
        """) == 1)
  }

  @Test("A database can be read while it is written")
  func reading() throws {
    let log = try open()
    try log.write([SampleStream.values([[1]])])
    #expect(try number("SELECT count(*) FROM value") == 1)
    try log.write([SampleStream.values([[2]])])
    #expect(try number("SELECT count(*) FROM value") == 2)
    log.close()
  }

  @Test("Searches by time use an index")
  func index() throws {
    try open().write([SampleStream.values([[1]])])
    let database = try SQLiteDatabase(path: path)
    #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'value_time'") == 1)
  }

  @Test("A database of something else is left alone")
  func foreign() throws {
    try directory.write("log.sqlite", [])
    do {
      try SQLiteDatabase(path: path).execute("CREATE TABLE other (a)")
    }
    #expect(throws: OutputError("it is another program's database")) { try open() }
    try directory.write("log.sqlite", Array("no database at all, but a text that is long enough".utf8))
    #expect(throws: OutputError("file is not a database")) { try open() }
  }

  @Test(
    "A database of ours that a power cut has damaged is renamed, which is reported, and a new one is started",
    arguments: [0, 16, 100, 512, 3000])
  func damaged(begin: Int) throws {
    let log = try open()
    try log.write([SampleStream.values([[1]])])
    log.close()
    let whole = directory.bytes("log.sqlite")
    // The rest of the file did not reach the disk.
    for filling in [[], [UInt8](repeating: 0, count: whole.count - begin)] where begin + filling.count > 0 {
      let damaged = Array(whole[..<begin]) + filling
      try directory.write("log.sqlite", damaged)
      let log = try open()
      try log.write([SampleStream.values([[2]])])
      log.close()
      #expect(try number("SELECT count(*) FROM value WHERE value = x'02'") == 1)
      let names = directory.names.filter { $0 != "log.sqlite" }
      try #require(names.count == 1, "\(names)")
      #expect(names[0].hasSuffix("Z.sqlite.damaged"))
      #expect(directory.bytes(names[0]) == damaged)
      #expect(
        remarks.all.last
          == "\(path) is damaged (SQLite cannot read it): renamed it to \(names[0]) and started a new file")
      unlink(directory.path + "/" + names[0])
    }
  }

  @Test("A log that reached the disk in the write-ahead file alone is read from there")
  func zerosBesideWriteAhead() throws {
    let log = try open()
    try log.write([SampleStream.values([[1]])])
    for name in ["log.sqlite", "log.sqlite-wal"] {
      try directory.write("copy" + name.dropFirst(3), directory.bytes(name))
    }
    log.close()
    try directory.write("copy.sqlite", [UInt8](repeating: 0, count: 4096))
    let copy = try SQLiteLog(path: directory.path + "/copy.sqlite", rotation: nil, report: remarks.add)
    try copy.write([SampleStream.values([[2]])])
    copy.close()
    #expect(try number("SELECT count(*) FROM value", "copy.sqlite") == 2)
    #expect(remarks.all.isEmpty)
  }

  @Test("A second writer of a database is refused")
  func locking() throws {
    let log = try open()
    #expect(throws: OutputError("this command is already writing to it")) { try open() }
    log.close()
  }

  @Test("A transaction that fails leaves nothing behind, and can be done again")
  func retry() throws {
    let log = try open()
    try log.write([SampleStream.values([[1]])])
    let other = try SQLiteDatabase(path: path)
    try other.execute("CREATE TRIGGER refuse BEFORE INSERT ON link BEGIN SELECT raise(ABORT, 'full'); END")
    let batch = [SampleStream.values([[2]], uuid: .batteryLevel), SampleStream.lost("away")]
    #expect(throws: OutputError.self) { try log.write(batch) }
    #expect(try number("SELECT count(*) FROM value") == 1)
    try other.execute("DROP TRIGGER refuse")
    try log.write(batch)
    #expect(try number("SELECT count(*) FROM value JOIN characteristic c ON c.id = characteristic") == 2)
    #expect(try number("SELECT count(*) FROM characteristic") == 2)
    log.close()
  }

  @Test("A database of a certain size is put aside whole")
  func rotation() throws {
    let log = try open(.size(1))
    for number in UInt8(1)...3 { try log.write([SampleStream.values([[number]])]) }
    log.close()
    let names = directory.names.filter { $0.hasSuffix(".sqlite") }
    #expect(directory.names == names)
    var total = 0
    for name in names { total += try number("SELECT count(*) FROM value", name) }
    #expect(total == 3)
  }

  @Test("Files stay near the size of --log-rotate, what is in the write-ahead file included")
  func rotationBySize() throws {
    let limit = 200 << 10
    let log = try open(.size(limit))
    var largestJournal = 0
    for number in 0..<300 {
      let values = (0..<20).map { SampleStream.values([[UInt8(number % 256), UInt8($0)]]) }
      try log.write(values)
      largestJournal = max(largestJournal, directory.bytes("log.sqlite-wal").count)
    }
    log.close()
    let names = directory.names
    #expect(names.count > 2 && names.allSatisfy { $0.hasSuffix(".sqlite") })
    var total = 0
    for name in names {
      #expect(directory.bytes(name).count < limit + limit / 4)
      total += try number("SELECT count(*) FROM value", name)
    }
    #expect(total == 300 * 20)
    #expect(largestJournal < limit)
  }

  @Test("A database without a record is not put aside, however small the limit is")
  func emptyRotation() throws {
    for number in UInt8(1)...2 {
      let log = try open(.size(1))
      try log.write([SampleStream.values([[number]])])
      log.close()
    }
    for name in directory.names { #expect(try number("SELECT count(*) FROM value", name) == 1) }
    #expect(directory.names.count == 2)
  }

  @Test("A database that is moved away is whole alone, and a new one begins empty", arguments: [false, true])
  func moved(_ isRead: Bool) throws {
    let log = try open()
    try log.write([SampleStream.values([[1], [2]])])
    let reader = isRead ? try SQLiteDatabase(path: path) : nil
    if let reader { #expect(try reader.integer("SELECT count(*) FROM value") == 2) }
    #expect(rename(path, directory.path + "/old.sqlite") == 0)
    try log.write([SampleStream.values([[3]])])
    log.close()
    #expect(try number("SELECT count(*) FROM value", "old.sqlite") == 2)
    #expect(try number("SELECT value = x'03' FROM value") == 1)
    #expect(try number("SELECT count(*) FROM value") == 1)
    #expect(remarks.all == ["\(path) was moved or deleted: continuing in a new file"])
  }

  @Test("A database is put aside whole, also while another program reads it")
  func rotationWhileRead() throws {
    let log = try open(.size(1))
    try log.write([SampleStream.values([[1]])])
    let reader = try SQLiteDatabase(path: path)
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM value") == 1)
    try log.write([SampleStream.values([[2]])])
    try log.write([SampleStream.values([[3]])])
    #expect(try reader.integer("SELECT count(*) FROM value") == 1)
    try reader.execute("END")
    log.close()
    var total = 0
    for name in directory.names where name.hasSuffix(".sqlite") {
      total += try number("SELECT count(*) FROM value", name)
      let sound = "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'"
      #expect(try number(sound, name) == 1)
    }
    #expect(total == 3)
  }

  @Test("Files that SQLite keeps beside a database obey the umask, too")
  func mode() throws {
    let before = umask(0o027)
    defer { umask(before) }
    let log = try open()
    try log.write([SampleStream.values([[1]])])
    #expect(directory.names == ["log.sqlite", "log.sqlite-shm", "log.sqlite-wal"])
    for name in directory.names {
      var status = stat()
      #expect(stat(directory.path + "/" + name, &status) == 0 && status.st_mode & 0o777 == 0o640)
    }
    log.close()
  }
}
