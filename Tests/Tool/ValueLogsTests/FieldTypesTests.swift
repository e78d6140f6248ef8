// SPDX-License-Identifier: MIT
import BLEFormats
import JSON
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

/// Values of every format that is known, in outputs whose fields have one type each.
@Suite("Types and names of fields in logs")
struct FieldTypesTests {
  /// One value of each set of fields, and types, that the formats have.
  private static let events: [StreamEvent] = {
    var seen: Set<[String]> = []
    var events: [StreamEvent] = []
    func add(_ fields: DecodedFields, _ event: () -> StreamEvent) {
      let signature = fields.fields.map { "\($0.key) \($0.value.kind)" }
      if seen.insert(signature).inserted { events.append(event()) }
    }
    SampleFormats.forEach { format in
      add(format.namedFields) {
        let advertisement = ValueAdvertisement(.manufacturer(0xffff, []), format: format)
        let origin = ValueOrigin(address: SampleStream.address, name: nil, advertisement: advertisement)
        return .values(
          ValueBatch([ReceivedValue([1], at: .now)], decoded: [format.namedFields], of: origin))
      }
    }
    for number in ValueLayout.numbers {
      let uuid = BluetoothUUID(short: number)
      guard let layout = ValueLayout(for: uuid) else { continue }
      let origin = SampleStream.origin(uuid, name: nil)
      for length in 0...20 {
        for pattern: UInt8 in [0x00, 0x01, 0x42, 0x7f, 0x80, 0xff] {
          let bytes = (0..<length).map { $0.isMultiple(of: 2) ? pattern : pattern &* 3 }
          add(layout.decode(bytes)) { .values(SampleStream.batch([bytes], of: origin)) }
        }
      }
    }
    return events
  }()

  /// The fields of points of the line protocol, with their types.
  private func fields(of lines: [UInt8]) -> [[(name: String, type: Character)]] {
    String(decoding: lines, as: UTF8.self).split(separator: "\n").map { line in
      var (parts, part, isQuoted, isEscaped, spaces) = ([String](), "", false, false, 0)
      for scalar in line.unicodeScalars {
        if isEscaped {
          isEscaped = false
        } else if scalar == "\\" {
          isEscaped = true
        } else if scalar == "\"" {
          isQuoted.toggle()
        } else if scalar == " ", !isQuoted {
          spaces += 1
          if spaces == 2 { break }
          part = ""
          continue
        } else if scalar == ",", !isQuoted, spaces == 1 {
          parts.append(part)
          part = ""
          continue
        }
        part.unicodeScalars.append(scalar)
      }
      return (parts + [part]).map { field in
        let sides = field.split(separator: "=", maxSplits: 1)
        let first = sides.count > 1 ? sides[1].first ?? "?" : "?"
        return (String(sides[0]), first == "\"" || first == "t" || first == "f" ? first : "0")
      }
    }
  }

  private func types(_ events: [StreamEvent]) -> [String: Set<Character>] {
    var (lines, bytes) = (InfluxLines(), [UInt8]())
    for event in events { lines.append(event, to: &bytes) }
    var types: [String: Set<Character>] = [:]
    for point in fields(of: bytes) {
      #expect(Set(point.map(\.name)).count == point.count, "a field twice: \(point.map(\.name))")
      for field in point { types[field.name, default: []].insert(field.type == "f" ? "t" : field.type) }
    }
    return types
  }

  @Test("A field of InfluxDB has one type and one value in a point, whatever devices send, in any order")
  func influx() {
    let types = types(Self.events)
    #expect(Self.events.count > 300)
    #expect(types.filter { $0.value.count > 1 }.map(\.key).sorted() == [])
    #expect(self.types(Self.events.reversed()) == types)
  }

  @Test("A line of JSON has no key twice, whatever devices send")
  func json() throws {
    var (json, bytes) = (EventJSON(), [UInt8]())
    for event in Self.events { json.append(event, to: &bytes) }
    for line in bytes.split(separator: UInt8(ascii: "\n")) { _ = try JSONReader.read(line) }
  }

  @Test("A value of another type than that of its key has the type behind its key, and a word is not lost")
  func others() throws {
    func fields(_ events: StreamEvent...) -> [String] {
      var (lines, bytes) = (InfluxLines(), [UInt8]())
      for event in events { lines.append(event, to: &bytes) }
      return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map {
        String($0.split(separator: " ")[1])
      }
    }
    // The generic state of BTHome; that of Victron's chargers is a word.
    #expect(fields(SampleStream.bthome("400f01")) == ["state_flag=true,rssi_dbm=-60"])
    let unknown = SampleStream.values([[0xff, 0xff]], uuid: BluetoothUUID(short: 0x2a6f), name: "Air")
    #expect(fields(unknown) == [#"humidity_percent_text="unknown""#])
    // A key that no format knows has the type of its first value.
    let own = ["x=u8", "x=utf8[1]", "x=u8"].map { text in
      let view = (try? ValueLayout(compact: text)).map { ValueView($0) }
      let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1), name: "Mine", shownAs: view)
      return StreamEvent.values(SampleStream.batch([[0x41]], of: origin))
    }
    #expect(fields(own[0], own[1], own[2]) == ["x=65", #"x_text="A""#, "x=65"])
    // A number of 64 bits that `Int` cannot represent is one all the same.
    let long = SampleStream.origin(
      BluetoothUUID(short: 0xffe1), name: "Mine", shownAs: ValueView(try ValueLayout(compact: "x=u64")))
    #expect(
      fields(
        .values(SampleStream.batch([Array(repeating: 0xff, count: 8)], of: long)),
        .values(SampleStream.batch([[1, 0, 0, 0, 0, 0, 0, 0]], of: long))
      ).count == 2)
  }

  @Test("The number of values of an average is a field of its own, also of values that count something")
  func averages() throws {
    var decoded = DecodedFields()
    decoded.add("count", .decimal(DecimalNumber(mantissa: 20, exponent: -1)))
    let advertisement = ValueAdvertisement(.service(BTHome.service, []), format: BTHome(data: [0x40]))
    let average = StreamEvent.average(
      AverageRecord(
        of: ValueOrigin(address: SampleStream.address, name: nil, advertisement: advertisement),
        from: Timestamp(seconds: 60, nanoseconds: 0), time: Timestamp(seconds: 120, nanoseconds: 0), count: 5,
        decoded: decoded))
    var (lines, bytes) = (InfluxLines(), [UInt8]())
    lines.append(average, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).contains(" decoded_count=2.0,count=5 "))

    let directory = try ScratchDirectory()
    let path = directory.path + "/air.sqlite"
    let log = try SQLiteLog(path: path, rotation: nil, report: { _ in })
    try log.write([SampleStream.bthome("400905"), average, SampleStream.average()])
    log.close()
    let database = try SQLiteDatabase(path: path)
    #expect(
      try database.integer(
        """
        SELECT count(*) FROM advertisement WHERE via = 'average' AND count = 2.0 AND average_count = 5
        AND average_from = 60000000
        """) == 1)
    #expect(
      try database.integer(
        "SELECT count(*) FROM advertised WHERE via = 'advertisement' AND count = 5 AND average_count IS NULL")
        == 1)
    #expect(try database.integer("SELECT average_count FROM log WHERE via = 'average'") == 12)
  }

  @Test("A column of a database keeps its type; a word in the place of a number has a column of its own")
  func columns() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/air.sqlite"
    func write(_ values: DecodedValue..., unit: String = "") throws {
      let log = try SQLiteLog(path: path, rotation: nil, report: { _ in })
      for value in values {
        var fields = DecodedFields()
        fields.add("cell_1_voltage_v", value, unit: "V")
        let advertisement = ValueAdvertisement(.manufacturer(0x02e1, []), format: nil)
        let origin = ValueOrigin(address: SampleStream.address, name: nil, advertisement: advertisement)
        try log.write([.values(ValueBatch([ReceivedValue([1], at: .now)], decoded: [fields], of: origin))])
      }
      log.close()
    }
    try write("below 2.61", .decimal(DecimalNumber(mantissa: 310, exponent: -2)))
    try write("above 3.85")
    let database = try SQLiteDatabase(path: path)
    #expect(try database.integer("SELECT count(*) FROM advertisement WHERE cell_1_voltage_v = 3.1") == 1)
    #expect(try database.integer("SELECT count(cell_1_voltage_v) FROM advertisement") == 1)
    #expect(try database.integer("SELECT count(cell_1_voltage_v_text) FROM advertisement") == 2)
  }

  @Test("A database of an earlier version gets the columns of averages, and is continued")
  func earlier() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/air.sqlite"
    let first = try SQLiteLog(path: path, rotation: nil, report: { _ in })
    try first.write([SampleStream.bthome("4002ca09"), SampleStream.values([[0, 60]])])
    first.close()
    let old = try SQLiteDatabase(path: path)
    try old.execute(
      """
      DROP VIEW log; ALTER TABLE value DROP COLUMN average_count; ALTER TABLE value DROP COLUMN average_from;
      CREATE VIEW log AS SELECT * FROM value; ALTER TABLE advertisement DROP COLUMN via;
      ALTER TABLE advertisement DROP COLUMN average_count; ALTER TABLE advertisement DROP COLUMN average_from;
      """)
    let second = try SQLiteLog(path: path, rotation: nil, report: { _ in })
    try second.write([SampleStream.average(), SampleStream.bthome("4002cb09")])
    second.close()
    let database = try SQLiteDatabase(path: path)
    #expect(try database.integer("SELECT count(*) FROM log") == 2)
    #expect(try database.integer("SELECT average_count FROM log WHERE via = 'average'") == 12)
    #expect(try database.integer("SELECT count(temperature_celsius) FROM advertised") == 2)
  }
}
