// SPDX-License-Identifier: MIT
import Histories
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import ValueLogs
@testable import ValueStreams

@Suite("What a database has of the time before")
struct SQLiteHistoryTests {
  /// When the first value of a sample came, in seconds.
  private static let start = 1_795_247_928.626505

  private let directory: ScratchDirectory
  private let remarks = Remarks()
  private var path: String { directory.path + "/log.sqlite" }

  init() throws { directory = try ScratchDirectory() }

  private func open() throws -> SQLiteLog { try SQLiteLog(path: path, rotation: nil, report: remarks.add) }

  private func log(_ events: StreamEvent...) throws {
    let log = try open()
    try log.write(events)
    log.close()
  }

  private func numbers(
    since: Double = -Double.infinity, _ limits: SQLiteHistory.Limits = SQLiteHistory.Limits()
  ) throws -> [PastNumbers] {
    var found: [PastNumbers] = []
    try SQLiteHistory(path: path, since: since, limits: limits).read(while: { true }) { found.append($0) }
    return found
  }

  private func number(_ field: String, since: Double = -Double.infinity) throws -> PastNumbers {
    try #require(try numbers(since: since).first { $0.field == field })
  }

  @Test("Values of characteristics have their device, their source, their key and their times")
  func values() throws {
    try log(SampleStream.values([[0, 60], [0, 61]]))
    let rate = try number("heart_rate_bpm")
    #expect(rate.address == "F0:F1:F2:F3:F4:F5")
    #expect(rate.name == "Strap, \"=1\"")
    #expect(rate.source == "2a37")
    #expect(rate.first == "2026-11-21T07:58:48.626505Z")
    #expect(rate.last == "2026-11-21T07:58:49.626505Z")
    #expect(rate.buckets.map(\.time) == [Self.start, Self.start + 1])
    #expect(rate.buckets.map(\.last) == [60, 61])
  }

  @Test("Advertised values have their columns, and a device one strength for all that it sends")
  func advertised() throws {
    try log(
      SampleStream.bthome("4002ca09"), SampleStream.bthome("4002cb09", second: 1),
      SampleStream.advertised(.manufacturer(0x0157, [1]), rssi: -70, second: 2))
    let found = try numbers()
    #expect(found.map(\.field) == ["rssi_dbm", "temperature_celsius"])
    #expect(found.map(\.source) == ["", "bthome"])
    #expect(found.map(\.name) == ["Garden", "Garden"])
    #expect(found.first?.buckets.map(\.last) == [-60, -60, -70])
    #expect(found.last?.buckets.map(\.last) == [25.06, 25.07])
  }

  @Test("Fields whose names are taken, and those beyond the columns, keep their keys")
  func columns() throws {
    var fields = DecodedFields()
    for key in ["utc", "decoded_utc"] + (0..<260).map({ "f\($0)" }) { fields.add(key, .integer(7)) }
    fields.add("word", .text("text"))
    fields.add("is_open", .bool(true))
    let data = AdvertisedData.manufacturer(0x0157, [1])
    let origin = ValueOrigin(
      address: SampleStream.address, name: nil, advertisement: ValueAdvertisement(data, format: nil))
    let time = Timestamp(seconds: 1_795_247_928, nanoseconds: 0)
    try log(.values(ValueBatch([ReceivedValue([1], at: time)], decoded: [fields], of: origin)))
    let found = try numbers()
    #expect(found.count == 263)
    #expect(Set(found.map(\.field)).isSuperset(of: ["utc", "decoded_utc", "f0", "f259", "is_open"]))
    #expect(found.allSatisfy { $0.source == "0157" && $0.name == nil })
  }

  @Test("Only values since a time are read")
  func since() throws {
    try log(SampleStream.values([[0, 60], [0, 61], [0, 62]]))
    #expect(try number("heart_rate_bpm", since: Self.start + 0.5).buckets.map(\.last) == [61, 62])
    #expect(try numbers(since: Self.start + 60).isEmpty)
  }

  @Test("Lost links and interruptions are gaps in the lines of those whom they concern")
  func gaps() throws {
    let other = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F6"))
    try log(
      SampleStream.values([[0, 60], [0, 61]]), SampleStream.values([[0, 70], [0, 71]], address: other),
      SampleStream.lost("the link was lost"), SampleStream.values([[0, 62]], second: 3),
      SampleStream.values([[0, 72]], address: other, second: 3))
    let rates = try numbers().filter { $0.field == "heart_rate_bpm" }
    #expect(rates.map(\.address) == ["F0:F1:F2:F3:F4:F5", "F0:F1:F2:F3:F4:F6"])
    #expect(rates.map { $0.buckets.map(\.followsGap) } == [[true, false, true], [true, false, false]])
    try log(SampleStream.interrupted("hci0 is off"))
    let later = try numbers().filter { $0.field == "heart_rate_bpm" }
    #expect(later.map { $0.buckets.map(\.followsGap) } == [[true, false, true], [true, false, true]])
  }

  @Test("A long log becomes few points, with all extremes")
  func long() throws {
    try log(SampleStream.values((0..<3000).map { [0, UInt8(50 + $0 % 150)] }))
    let rate = try number("heart_rate_bpm")
    #expect((256..<PastNumbers.mostPoints).contains(rate.buckets.count))
    #expect(rate.buckets.map(\.low).min() == 50)
    #expect(rate.buckets.map(\.high).max() == 199)
    #expect(rate.buckets.first?.first == 50)
    #expect(rate.buckets.last?.last == 199)
  }

  @Test("Of more rows and numbers than are wanted, the newest ones are read")
  func limits() throws {
    let addresses = try (0..<9).map { try #require(BluetoothAddress("F0:F1:F2:F3:F4:0\($0)")) }
    let log = try open()
    for (second, address) in addresses.enumerated() {
      try log.write([SampleStream.values([[0, 60]], address: address, second: second)])
    }
    log.close()
    var limits = SQLiteHistory.Limits()
    limits.rows = 3
    let newest = try numbers(limits).filter { $0.field == "heart_rate_bpm" }
    #expect(newest.map(\.address) == addresses.suffix(3).map { "\($0)" })
    limits = SQLiteHistory.Limits()
    limits.numbers = 2
    #expect(try Set(numbers(limits).map(\.address)).isSubset(of: addresses.suffix(2).map { "\($0)" }))
    #expect(try numbers(limits).count == 2)
  }

  @Test("A log is read while it is written, and the reader changes nothing")
  func beside() throws {
    let log = try open()
    #expect(try numbers().isEmpty)
    try log.write([SampleStream.bthome("4002ca09")])
    #expect(try numbers().count == 2)
    let reader = try SQLiteDatabase(path: path, isReadOnly: true)
    #expect(throws: OutputError.self) { try reader.execute("DELETE FROM device") }
    try log.write([SampleStream.bthome("4002cb09", second: 1)])
    #expect(try number("temperature_celsius").buckets.count == 2)
    log.close()
  }

  @Test("Reading ends when it is no longer wanted")
  func ending() throws {
    try log(SampleStream.bthome("4002ca09"))
    let history = try SQLiteHistory(path: path, since: 0)
    var count = 0
    try history.read(while: { false }) { _ in count += 1 }
    #expect(count == 0)
    try history.read(while: { count < 1 }) { _ in count += 1 }
    #expect(count == 1)
  }

  @Test("A damaged database, another one and none are errors, not numbers")
  func unreadable() throws {
    #expect(throws: OutputError.self) { try numbers() }
    try log(SampleStream.bthome("4002ca09"))
    let whole = directory.bytes("log.sqlite")
    try directory.write(
      "log.sqlite", Array(whole.prefix(4096)) + [UInt8](repeating: 0xff, count: whole.count - 4096))
    #expect(throws: OutputError.self) { try numbers() }
    try directory.write("log.sqlite", [])
    do {
      try SQLiteDatabase(path: path).execute("CREATE TABLE other (a)")
    }
    #expect(throws: OutputError("it is another program's database")) { try numbers() }
  }
}
