// SPDX-License-Identifier: MIT
import BLEFormats
import Glibc
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

@Suite("Logs of advertised values")
struct AdvertisedLogTests {
  private let directory: ScratchDirectory
  private let remarks = Remarks()

  init() throws { directory = try ScratchDirectory() }

  // MARK: CSV

  private func csv(_ rotation: LogRotation? = nil, _ keys: [String] = []) throws -> TextLog {
    try TextLog(
      path: directory.path + "/air.csv", format: CSVTable(keys: keys, isOfAdvertisements: true),
      rotation: rotation, report: remarks.add)
  }

  /// The rows of the table, by the names of its columns; fields without text are absent.
  private func rows(_ name: String = "air.csv") -> [[String: String]] {
    let lines = directory.read(name).split(separator: "\r\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let header = lines.first else { return [] }
    return lines.dropFirst().map { line in
      #expect(line.count == header.count)
      return Dictionary(zip(header, line)) { first, _ in first }.filter { !$0.value.isEmpty }
    }
  }

  @Test("A table has a column for each field of all devices, whenever it first comes")
  func columns() throws {
    let log = try csv()
    try log.write([SampleStream.bthome("4002ca09")])
    try log.write([SampleStream.bthome("400164", rssi: -70), SampleStream.interrupted("hci0 is off")])
    try log.write([SampleStream.resumed(after: 2.5), SampleStream.bthome("4002cb09")])
    try log.close()
    let rows = rows()
    #expect(rows.map { $0["event"] } == ["value", "value", "interrupted", "resumed", "value"])
    #expect(rows.map { $0["temperature_celsius"] } == ["25.06", nil, nil, nil, "25.07"])
    #expect(rows.map { $0["battery_percent"] } == [nil, "100", nil, nil, nil])
    #expect(rows.map { $0["rssi_dbm"] } == ["-60", "-70", nil, nil, "-60"])
    #expect(rows.map { $0["name"] } == ["Garden", "Garden", nil, nil, "Garden"])
    #expect(rows[0]["service"] == "0000fcd2-0000-1000-8000-00805f9b34fb")
    #expect(rows[0]["type"] == "bthome")
    #expect(rows[0]["via"] == "advertisement")
    #expect(rows[2]["reason"] == "hci0 is off")
    #expect(rows[3]["gap_seconds"] == "2.5")
    #expect(remarks.all.isEmpty)
    #expect(directory.names == ["air.csv"])
  }

  @Test("A table is continued by another process, with columns of its own")
  func continued() throws {
    for digits in ["4002ca09", "400164", "4002cb09"] {
      let log = try csv()
      try log.write([SampleStream.bthome(digits)])
      try log.close()
    }
    #expect(rows().map { $0["temperature_celsius"] } == ["25.06", nil, "25.07"])
    #expect(rows().map { $0["battery_percent"] } == [nil, "100", nil])
    #expect(directory.names == ["air.csv"])
  }

  @Test("A name with commas and quotes stays whole when a column is added before it")
  func quotedNames() throws {
    let data = AdvertisedData.service(BTHome.service, [0x40, 0x02, 0xca, 0x09])
    let log = try csv()
    try log.write([SampleStream.advertised(data, name: "a,\"b\",c")])
    try log.write([SampleStream.bthome("400164")])
    try log.close()
    let lines = directory.read("air.csv").split(separator: "\r\n")
    #expect(lines[0].hasSuffix(",temperature_celsius,rssi_dbm,battery_percent,name"))
    #expect(lines[1].hasSuffix(",25.06,-60,,\"a,\"\"b\"\",c\""))
    #expect(lines[2].hasSuffix(",,-60,100,Garden"))
  }

  @Test("The permissions of a table stay when a column is added")
  func permissions() throws {
    let log = try csv()
    try log.write([SampleStream.bthome("4002ca09")])
    #expect(chmod(directory.path + "/air.csv", 0o640) == 0)
    try log.write([SampleStream.bthome("400164")])
    try log.close()
    var status = stat()
    #expect(stat(directory.path + "/air.csv", &status) == 0)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(directory.read("air.csv").contains("battery_percent"))
  }

  @Test("A table of characteristics is no table of advertised values: it is put aside")
  func otherTable() throws {
    let other = try TextLog(
      path: directory.path + "/air.csv", format: CSVTable(keys: []), rotation: nil, report: remarks.add)
    try other.write([SampleStream.values([[0, 60]], name: "Strap")])
    try other.close()
    let log = try csv()
    try log.write([SampleStream.bthome("4002ca09")])
    try log.close()
    #expect(rows().map { $0["temperature_celsius"] } == ["25.06"])
    #expect(directory.names.count == 2)
    #expect(remarks.all.count == 1 && remarks.all[0].contains("has no column for company, type"))
  }

  @Test("A stranger who invents fields does not widen the table without limit")
  func strangers() throws {
    var table = CSVTable(keys: [], isOfAdvertisements: true)
    for number in 0..<600 {
      var fields = DecodedFields()
      fields.add("field_\(number)", .integer(number))
      let origin = ValueOrigin(
        address: SampleStream.address, name: nil,
        advertisement: ValueAdvertisement(.service(BTHome.service, []), format: nil))
      _ = table.widen(for: [.values(ValueBatch([ReceivedValue([], at: .now)], decoded: [fields], of: origin))]
      )
    }
    let columns = String(decoding: table.header, as: UTF8.self).split(separator: ",")
    #expect(columns.count == CSVTable.mostColumns + CSVTable.columns.count + 3)
  }

  // MARK: SQLite

  private func number(_ sql: String) throws -> Int {
    try SQLiteDatabase(path: directory.path + "/air.sqlite").integer(sql)
  }

  private func sqlite(_ events: [StreamEvent]) throws {
    let log = try SQLiteLog(path: directory.path + "/air.sqlite", rotation: nil, report: remarks.add)
    for event in events { try log.write([event]) }
    log.close()
  }

  @Test("A database has a typed column for each field, whenever it first comes")
  func typedColumns() throws {
    try sqlite([SampleStream.bthome("4002ca09"), SampleStream.bthome("400164")])
    try sqlite([SampleStream.bthome("4002cb09"), SampleStream.bthome("402d01")])
    #expect(try number("SELECT count(*) FROM advertisement") == 4)
    #expect(try number("SELECT count(*) FROM advertisement WHERE temperature_celsius = 25.06") == 1)
    #expect(try number("SELECT count(*) FROM advertisement WHERE typeof(temperature_celsius) = 'real'") == 2)
    #expect(try number("SELECT sum(battery_percent) FROM advertisement") == 100)
    #expect(try number("SELECT count(*) FROM advertisement WHERE typeof(battery_percent) = 'integer'") == 1)
    #expect(try number("SELECT count(*) FROM advertisement WHERE window = 1") == 1)
    #expect(try number("SELECT min(rssi_dbm) FROM advertisement") == -60)
    let type = "SELECT count(*) FROM pragma_table_info('advertisement') WHERE name ="
    #expect(try number("\(type) 'temperature_celsius' AND type = 'REAL'") == 1)
    #expect(try number("\(type) 'battery_percent' AND type = 'INTEGER'") == 1)
    #expect(try number("\(type) 'window' AND type = 'BOOLEAN'") == 1)
    #expect(
      try number(
        """
        SELECT count(*) FROM advertised WHERE utc = '2026-11-21T07:58:48.626505Z' AND name = 'Garden'
        AND address = 'F0:F1:F2:F3:F4:F5' AND type = 'bthome' AND temperature_celsius > 25
        """) == 2)
  }

  @Test("A gap of listening is in the table of links")
  func gaps() throws {
    try sqlite([SampleStream.interrupted("hci0 is off"), SampleStream.resumed(after: 2.5)])
    #expect(
      try number("SELECT count(*) FROM link WHERE event = 'interrupted' AND reason = 'hci0 is off'") == 1)
    #expect(try number("SELECT count(*) FROM link WHERE event = 'resumed' AND gap_seconds = 2.5") == 1)
  }

  @Test("Fields without a column of their own are kept as JSON")
  func more() throws {
    var fields = DecodedFields()
    for number in 0..<(SQLiteAdvertisements.mostColumns + 2) {
      fields.add("field_\(number)", .integer(number))
    }
    fields.add("FIELD_0", .text("other"))
    fields.add("time", .text("own"))
    let origin = ValueOrigin(
      address: SampleStream.address, name: nil,
      advertisement: ValueAdvertisement(.service(BTHome.service, []), format: nil))
    let value = ReceivedValue([], at: .now)
    try sqlite([.values(ValueBatch([value], decoded: [fields], of: origin))])
    #expect(try number("SELECT field_249 FROM advertisement") == 249)
    #expect(try number("SELECT more ->> 'field_250' FROM advertisement") == 250)
    #expect(try number("SELECT count(*) FROM advertisement WHERE more ->> 'FIELD_0' = 'other'") == 1)
    #expect(try number("SELECT count(*) FROM advertisement WHERE more ->> 'time' = 'own'") == 1)
  }

  @Test("A database of characteristics gets a table for advertised values, and keeps the others")
  func bothTables() throws {
    try sqlite([SampleStream.values([[0, 60]]), SampleStream.bthome("4002ca09")])
    #expect(try number("SELECT count(*) FROM value") == 1)
    #expect(try number("SELECT count(*) FROM advertisement") == 1)
    #expect(try number("SELECT count(*) FROM device") == 1)
    #expect(try number("PRAGMA user_version") == 1)
  }

  // MARK: InfluxDB

  private func influx(_ events: StreamEvent...) -> [String] {
    var (lines, bytes) = (InfluxLines(), [UInt8]())
    for event in events { lines.append(event, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("A point has the type of the data as a tag")
  func points() {
    #expect(
      influx(SampleStream.bthome("4002ca09"), SampleStream.resumed(after: 2.5)) == [
        "bluetooth,address=F0:F1:F2:F3:F4:F5,name=Garden,type=bthome temperature_celsius=25.06,rssi_dbm=-60 1795247928626505000",
        "bluetooth_link event=\"resumed\",gap_seconds=2.5 1795247933000000000",
      ])
  }

  @Test("A point of unknown data has its digits")
  func unknownPoint() {
    #expect(
      influx(SampleStream.advertised(.manufacturer(0x0157, [1, 0xab]), name: nil)) == [
        "bluetooth,address=F0:F1:F2:F3:F4:F5,type=0157 rssi_dbm=-60,value=\"01ab\" 1795247928626505000"
      ])
  }

  // MARK: MQTT

  @Test("A message stands under the type of the data, and events of listening under the topic itself")
  func topics() {
    var records = BrokerRecords(topic: "ble/attic")
    let events = [
      SampleStream.bthome("4002ca09"), SampleStream.advertised(.manufacturer(0x0157, [1])),
      SampleStream.resumed(after: 2.5),
    ]
    #expect(
      events.flatMap { records.messages(of: $0).map(\.topic) } == [
        "ble/attic/F0:F1:F2:F3:F4:F5/bthome", "ble/attic/F0:F1:F2:F3:F4:F5/0157", "ble/attic",
      ])
  }
}
