// SPDX-License-Identifier: MIT
import AsyncIO
import Glibc
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

@Suite("Logs of lines")
struct TextLogTests {
  private let directory: ScratchDirectory
  private let remarks = Remarks()
  private var path: String { directory.path + "/log.ndjson" }

  init() throws { directory = try ScratchDirectory() }

  private func open(_ rotation: LogRotation? = nil, saver: FileSaver = FileSaver()) throws -> TextLog {
    try TextLog(path: path, format: EventJSON(), rotation: rotation, saver: saver, report: remarks.add)
  }

  private func values(_ name: String = "log.ndjson") -> [String] {
    directory.read(name).split(separator: "\n").compactMap { $0.firstMatch(of: /"value":"([0-9a-f]+)"/)?.1 }
      .map(String.init)
  }

  @Test("A log is continued where it ended")
  func resume() throws {
    for number in UInt8(1)...3 {
      let log = try open()
      try log.write([SampleStream.values([[number]])])
      try log.close()
    }
    #expect(values() == ["01", "02", "03"])
    #expect(remarks.all.isEmpty)
  }

  @Test("A log that is continued begins with a record of how long nobody wrote to it; a new one does not")
  func away() throws {
    var begin = Timestamp.now
    func write(_ number: UInt8, after seconds: Int) throws {
      let now = Timestamp(seconds: begin.seconds + seconds, nanoseconds: begin.nanoseconds)
      let log = try TextLog(
        path: path, format: EventJSON(), rotation: nil, recordsAbsence: true, now: { now },
        report: remarks.add)
      try log.write([SampleStream.values([[number]])])
      try log.write([SampleStream.values([[number]])])
      try log.close()
      let status = try #require(LogFile.status(of: Glibc.open(path, O_RDONLY | O_CLOEXEC)))
      begin = Timestamp(seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
    }
    try write(1, after: 0)
    try write(2, after: 3600)
    // A clock that was set back says nothing about the time.
    try write(3, after: -3600)
    let records = directory.read("log.ndjson").split(separator: "\n")
    let absences = records.filter { $0.contains("\"away\"") }
    #expect(records.count == 8 && records[2] == absences[0] && records[5] == absences[1])
    #expect(absences[0].hasSuffix(",\"gap_seconds\":3600.0}"))
    #expect(!absences[1].contains("gap_seconds"))
    #expect(values() == ["01", "01", "02", "02", "03", "03"])
  }

  @Test("A table without records was not left")
  func awayFromNothing() throws {
    for _ in 0..<2 {
      let log = try TextLog(
        path: directory.path + "/log.csv", format: CSVTable(keys: []), rotation: nil, recordsAbsence: true,
        report: remarks.add)
      try log.close()
    }
    let log = try TextLog(
      path: directory.path + "/log.csv", format: CSVTable(keys: []), rotation: nil, recordsAbsence: true,
      report: remarks.add)
    try log.write([SampleStream.values([[1]])])
    try log.close()
    #expect(!directory.read("log.csv").contains(",away,"))
  }

  @Test(
    "Half a record and zeros at the end are cut off, which is reported",
    arguments: [Array("{\"event\":\"val".utf8), [0, 0, 0], Array("{\"ev\0\0\n\0".utf8)])
  func mending(_ tail: [UInt8]) throws {
    let log = try open()
    try log.write([SampleStream.values([[1], [2]])])
    try log.close()
    try directory.write("log.ndjson", Array(directory.read("log.ndjson").utf8) + tail)
    try open().write([SampleStream.values([[3]])])
    #expect(values() == ["01", "02", "03"])
    #expect(remarks.all.count == 1 && remarks.all[0].hasPrefix("removed \(tail.count) bytes from the end"))
  }

  @Test("A file that is not a log is left alone", arguments: ["hello\n", "{\"x\":1}\n", "time,event\n"])
  func foreign(_ text: String) throws {
    try directory.write("log.ndjson", Array(text.utf8))
    let error = #expect(throws: OutputError.self) { try open() }
    #expect(error?.description == "it is not a log of this kind")
    #expect(directory.read("log.ndjson") == text)
  }

  @Test(
    "A log whose first line is torn, or zeros, is renamed, which is reported, and a new one is started",
    arguments: ["log.ndjson", "log.csv"])
  func damaged(_ name: String) throws {
    let path = directory.path + "/" + name
    func open() throws -> TextLog {
      let format: any TextLogFormat =
        name.hasSuffix("csv") ? CSVTable(keys: SampleStream.keys(0x2a37)) : EventJSON()
      return try TextLog(path: path, format: format, rotation: nil, report: remarks.add)
    }
    let log = try open()
    try log.write([SampleStream.values([[0, 60], [0, 61]])])
    try log.close()
    let whole = Array(directory.read(name).utf8)
    let firstEnd = try #require(whole.firstIndex(of: UInt8(ascii: "\n")))
    let zeros = [UInt8](repeating: 0, count: 4096)
    let (cutHeader, cutRow) = (Array(whole[..<5]), Array(whole[..<30]))
    let rests: [[UInt8]] = [
      cutHeader, cutRow, Array(whole[..<firstEnd]), [0], zeros, zeros + whole, cutHeader + zeros,
      cutRow + zeros + whole,
    ]
    for (number, rest) in rests.enumerated() {
      try directory.write(name, rest)
      let log = try open()
      try log.write([SampleStream.values([[0, 60], [0, 61]])])
      try log.close()
      #expect(Array(directory.read(name).utf8) == whole, "\(number)")
      let damaged = directory.names.filter { $0.hasSuffix(name.suffix(4) + ".damaged") }
      try #require(damaged.count == 1, "\(number): \(remarks.all)")
      #expect(Array(directory.read(damaged[0]).utf8) == rest)
      let remark = "\(path) is damaged (its first line is missing or incomplete)"
      #expect(remarks.all.last == remark + ": renamed it to \(damaged[0]) and started a new file")
      unlink(directory.path + "/" + damaged[0])
    }
    #expect(remarks.all.count == rests.count)
  }

  @Test("A table that lacks a column for the values is put aside, and nothing is lost")
  func missingColumn() throws {
    let path = directory.path + "/log.csv"
    func write(_ uuid: UInt16, _ value: [UInt8]) throws {
      let format = CSVTable(keys: SampleStream.keys(uuid))
      let log = try TextLog(path: path, format: format, rotation: nil, report: remarks.add)
      try log.write([SampleStream.values([value], uuid: BluetoothUUID(short: uuid))])
      try log.close()
    }
    try write(0x2a19, [87])
    try write(0x2a37, [0, 60])
    let old = try #require(directory.names.first { $0 != "log.csv" })
    #expect(old.hasPrefix("log-") && old.hasSuffix("Z.csv"))
    #expect(directory.read(old).contains(",57,signal,,,,87,\"Strap, \"\"=1\"\"\""))
    #expect(directory.read("log.csv").contains(",heart_rate_bpm,"))
    #expect(directory.read("log.csv").contains(",003c,signal,,,,,60,"))
    let remark =
      "\(path) has no column for sensor_contact, heart_rate_bpm, energy_expended_kj, rr_intervals_ms"
    #expect(remarks.all == ["\(remark): renamed it to \(old) and started a new file"])
    // Values without columns of their own go on in any table.
    try write(0xffe1, [1])
    #expect(directory.names.count == 2 && remarks.all.count == 1)
  }

  private func table(_ keys: [String] = []) throws -> TextLog {
    try TextLog(
      path: directory.path + "/log.csv", format: CSVTable(keys: keys), rotation: nil, report: remarks.add)
  }

  @Test("A table that another program empties, as logrotate does, gets its header again")
  func emptied() throws {
    let log = try table(SampleStream.keys(0x2a37))
    let header = directory.read("log.csv")
    try log.write([SampleStream.values([[0, 60]])])
    #expect(truncate(directory.path + "/log.csv", 0) == 0)
    try log.write([SampleStream.values([[0, 61]])])
    try log.write([SampleStream.values([[0, 62]])])
    try log.close()
    let text = directory.read("log.csv")
    #expect(text.hasPrefix(header) && text.split(separator: "\r\n").count == 3)
    try table(SampleStream.keys(0x2a37)).close()
    #expect(directory.read("log.csv") == text && remarks.all.isEmpty)
  }

  private func connected(_ uuid: UInt16) -> StreamEvent {
    .link(
      LinkRecord(event: .connected, address: SampleStream.address, columns: SampleStream.keys(uuid)))
  }

  @Test("A table gets the columns of a characteristic that is known only once the link is open")
  func lateColumns() throws {
    let log = try table()
    try log.write([connected(0x2a37)])
    try log.write([SampleStream.values([[0, 60]])])
    #expect(directory.names == ["log.csv"] && remarks.all.isEmpty)
    #expect(directory.read("log.csv").contains(",heart_rate_bpm,"))
    #expect(directory.read("log.csv").contains(",003c,signal,,,,,60,"))
    // Those of another device do not fit the rows above.
    try log.write([connected(0x2a37), connected(0x2a19)])
    try log.write([SampleStream.values([[87]], uuid: .batteryLevel)])
    try log.close()
    #expect(directory.names.count == 2)
    #expect(directory.read("log.csv").contains(",57,signal,,,,,,,,87,"))
    #expect(
      remarks.all.count == 1 && remarks.all[0].contains("has no column for battery_level_percent: renamed"))
  }

  @Test("A second writer of a file is refused, and the first is named")
  func locking() throws {
    let log = try open()
    let error = #expect(throws: OutputError.self) { try open() }
    #expect(error?.description == "this command is already writing to it")
    try log.close()
    try open().write([SampleStream.values([[1]])])
    #expect(values() == ["01"])
  }

  @Test(
    "A file that is moved away or deleted is replaced by a new one, which is reported",
    arguments: [true, false])
  func moved(_ isDeleted: Bool) throws {
    let log = try open()
    try log.write([SampleStream.values([[1]])])
    if isDeleted { unlink(path) } else { rename(path, directory.path + "/old") }
    try log.write([SampleStream.values([[2]])])
    #expect(values() == ["02"])
    #expect(isDeleted || values("old") == ["01"])
    #expect(remarks.all == ["\(path) was moved or deleted: continuing in a new file"])
  }

  @Test("A log of a certain size is put aside, and nothing is lost or overwritten")
  func rotation() throws {
    let log = try open(.size(300))
    for number in UInt8(1)...9 { try log.write([SampleStream.values([[number]])]) }
    try log.close()
    #expect(directory.names.count > 3)
    #expect(Set(directory.names.flatMap(values)) == Set((1...9).map { "0\($0)" }))
    #expect(directory.names.flatMap(values).count == 9)
  }

  @Test("A disk that takes long to save holds up no writing, and what came meanwhile is saved later")
  func slowDisk() throws {
    var gate: [Int32] = [-1, -1]
    #expect(pipe(&gate) == 0)
    let (entry, exit) = (gate[1], gate[0])
    let saves = Lock(0)
    let log = try open(
      saver: FileSaver { _ in
        var byte: UInt8 = 0
        _ = read(exit, &byte, 1)
        saves.withLock { $0 += 1 }
      })
    try log.write([SampleStream.values([[1]])])
    #expect(try log.sync())
    try log.write([SampleStream.values([[2]])])
    #expect(try !log.sync())
    #expect(values() == ["01", "02"])
    #expect(saves.withLock { $0 } == 0)
    Glibc.close(entry)
    try log.close()
    #expect(saves.withLock { $0 } == 2)
    Glibc.close(exit)
  }

  @Test("A failed save is reported at the end, even if saving succeeds then")
  func savingFails() throws {
    let saves = Lock(0)
    let log = try open(
      saver: FileSaver { _ throws(OutputError) in
        if saves.withLock({
          $0 += 1; return $0
        }) == 1 {
          throw OutputError("Input/output error")
        }
      })
    try log.write([SampleStream.values([[1]])])
    #expect(try log.sync())
    try log.write([SampleStream.values([[2]])])
    let failure = #expect(throws: OutputError.self) { try log.close() }
    #expect(failure.map { "\($0)" } == "Input/output error")
    #expect(saves.withLock { $0 } == 2)
  }

  @Test(
    "A single failed save is reported at the end, whatever was saved since",
    arguments: ["sync", "moved", "rotated"])
  func savingFailedOnce(_ way: String) throws {
    let saves = Lock(0)
    let saver = FileSaver { _ throws(OutputError) in
      let count = saves.withLock { count in
        count += 1
        return count
      }
      if count == 1 { throw OutputError("Input/output error") }
    }
    let log = try open(way == "rotated" ? .size(1) : nil, saver: saver)
    try log.write([SampleStream.values([[1]])])
    if way == "sync" {
      #expect(try log.sync())
      try log.write([SampleStream.values([[2]])])
      // The next one reports what the first has met, once that has ended.
      #expect(throws: OutputError("Input/output error")) { while try !log.sync() { sched_yield() } }
    }
    if way == "moved" { unlink(path) }
    try log.write([SampleStream.values([[3]])])
    #expect(throws: OutputError("Input/output error")) { try log.close() }
    #expect(saves.withLock { $0 } == 2)
  }

  @Test("The period of a log that was begun in the future ends with the next one of the clock")
  func clockSetBack() throws {
    let hour = 3600
    let clock = Lock(Timestamp(seconds: hour * 100 + 60, nanoseconds: 0))
    let log = try TextLog(
      path: path, format: EventJSON(), rotation: .period(seconds: hour), now: { clock.withLock(\.self) },
      report: remarks.add)
    func write(_ number: UInt8, at seconds: Int) throws {
      clock.withLock { $0 = Timestamp(seconds: seconds, nanoseconds: 0) }
      try log.write([SampleStream.values([[number]])])
    }
    try write(1, at: hour * 100 + 61)
    try write(2, at: hour * 98)  // the clock is set back
    try write(3, at: hour * 98 + hour - 1)
    #expect(values() == ["01", "02", "03"])
    try write(4, at: hour * 99)
    try log.close()
    #expect(values() == ["04"] && directory.names.count == 2)
  }

  @Test("A log whose file is from the future is rotated with the next period, too")
  func fromTheFuture() throws {
    let first = try open()
    try first.write([SampleStream.values([[1]])])
    try first.close()  // its time is that of the real clock
    let clock = Lock(Timestamp(seconds: 3600, nanoseconds: 0))
    let log = try TextLog(
      path: path, format: EventJSON(), rotation: .period(seconds: 3600), now: { clock.withLock(\.self) },
      report: remarks.add)
    try log.write([SampleStream.values([[2]])])
    #expect(values() == ["01", "02"])
    clock.withLock { $0 = Timestamp(seconds: 7200, nanoseconds: 0) }
    try log.write([SampleStream.values([[3]])])
    try log.close()
    #expect(values() == ["03"])
  }

  @Test("A path that is not a regular file is refused")
  func device() throws {
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: OutputError("it is not a regular file")) { try open() }
  }

  @Test("A log obeys the umask")
  func mode() throws {
    let before = umask(0o027)
    defer { umask(before) }
    _ = try open()
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test("A symbolic link is followed, and what it leads to is rotated")
  func links() throws {
    #expect(mkdir(directory.path + "/elsewhere", 0o755) == 0)
    defer {
      for name in directory.names("elsewhere") { unlink(directory.path + "/elsewhere/" + name) }
      rmdir(directory.path + "/elsewhere")
    }
    #expect(symlink("elsewhere/target.ndjson", path) == 0)
    let log = try open(.size(1))
    try log.write([SampleStream.values([[1]])])
    try log.write([SampleStream.values([[2]])])
    #expect(values("elsewhere/target.ndjson") == ["02"])
    #expect(directory.names("elsewhere").count == 2)
    #expect(directory.names == ["elsewhere", "log.ndjson"])
  }

  @Test("A log that is put aside replaces nothing, not even a link that leads nowhere")
  func takenName() throws {
    let time = Timestamp(seconds: 1_795_247_928, nanoseconds: 0)
    try open().write([SampleStream.values([[1]])])
    let names = (1...3).map { LogRotation.name(for: "log.ndjson", at: time, number: $0) }
    #expect(symlink("/nonexistent", directory.path + "/" + names[0]) == 0)
    try directory.write(names[1], [])
    try LogRotation.putAside(LogDestination(path: path), at: time)
    #expect(values(names[2]) == ["01"])
    #expect(directory.read(names[1]).isEmpty)
    var status = stat()
    #expect(lstat(directory.path + "/" + names[0], &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
  }
}
