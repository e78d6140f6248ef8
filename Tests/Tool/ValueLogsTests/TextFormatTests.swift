// SPDX-License-Identifier: MIT
import BLEFormats
import TestSupport
import Testing

@testable import BLECentral
@testable import ValueLogs
@testable import ValueStreams

@Suite("Names of decoded fields")
struct DecodedNamesTests {
  private let names = DecodedNames(taken: ["time", "value"])

  @Test(
    "A name that is taken gets a prefix, and so does one that looks like such a name",
    arguments: [
      ("ax", "ax"), ("time", "decoded_time"), ("decoded_time", "decoded_decoded_time"),
      ("decoded_decoded_value", "decoded_decoded_decoded_value"), ("decoded_ax", "decoded_ax"),
      ("decoded_", "decoded_"), ("times", "times"), ("", ""),
    ])
  func name(of key: String, _ name: String) {
    #expect(names.name(of: key) == name)
    #expect(names.key(of: name) == key)
  }

  @Test("A taken name in an old table is its own key")
  func oldName() {
    #expect(names.key(of: "time") == "time")
  }
}

@Suite("CSV logs")
struct CSVTableTests {
  @Test(
    "A text is quoted where needed, stays on one line, and is never a formula",
    arguments: [
      ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("=1+1", "'=1+1"),
      ("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("=a,b", "\"'=a,b\""), ("a\r\nb", "a\\r\\nb"),
      ("\t=1", "'\\t=1"), ("\u{7}", "\\u0007"), ("", ""),
    ])
  func fields(_ text: String, _ field: String) {
    #expect(CSVField.text(text) == field)
  }

  @Test("A row has the raw value, and each decoded value in its column")
  func decoded() {
    var table = CSVTable(keys: SampleStream.keys(0x2a37))
    var bytes = table.header
    table.append(SampleStream.values([[0x10, 79, 0xe8, 0x03]]), to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(
      lines == [
        "time,event,address,service,characteristic,handle,value,via,reason,gap_seconds,count,sensor_contact,heart_rate_bpm,energy_expended_kj,rr_intervals_ms,name",
        "2026-11-21T07:58:48.626505Z,value,F0:F1:F2:F3:F4:F5,0000180d-0000-1000-8000-00805f9b34fb,00002a37-0000-1000-8000-00805f9b34fb,7,104fe803,signal,,,,,79,,[976.6],\"Strap, \"\"=1\"\"\"",
      ])
  }

  @Test("The first elements of a list have columns of their own, as many in every row")
  func elements() {
    var table = CSVTable(keys: SampleStream.columns(0x2a37))
    var bytes = table.header
    let nine: [UInt8] = (1...9).flatMap { [0, $0] }
    table.append(
      SampleStream.values([
        [0x10, 79, 0, 4, 0, 8], [0, 60], [0x10, 60] + nine, [0x10, 60] + nine + [0, 10],
      ]),
      to: &bytes)
    let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let numbers = (1...9).map { "rr_intervals_ms_\($0)" }.joined(separator: ",")
    #expect(
      rows[0].hasSuffix(
        ",count,sensor_contact,heart_rate_bpm,energy_expended_kj,rr_intervals_ms,\(numbers),name"))
    #expect(rows[1].contains(#",,79,,"[1000.0,2000.0]",1000.0,2000.0,,,,,,,,""#))
    #expect(rows[2].contains(#",,60,,,,,,,,,,,,""#))
    let nineTimes = (1...9).map { "\($0 * 250).0" }.joined(separator: ",")
    #expect(rows[3].contains(#",,60,,"[\#(nineTimes)]",\#(nineTimes),""#))
    #expect(rows[4].contains(#",,60,,"[\#(nineTimes),2500.0]",\#(nineTimes),""#))
  }

  @Test("A table from before elements had columns is continued without them")
  func tableWithoutElements() {
    var table = CSVTable(keys: SampleStream.columns(0x2a37))
    #expect(table.fit(firstLine: line(SampleStream.keys(0x2a37))) == .same)
    var bytes: [UInt8] = []
    table.append(SampleStream.values([[0x10, 79, 0, 4]], name: "Strap"), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(",signal,,,,,79,,[1000.0],Strap\r\n"))
  }

  @Test("A table with columns for elements is continued with them")
  func tableWithElements() {
    var table = CSVTable(keys: SampleStream.columns(0x2a37))
    let header = Array(table.header.dropLast(2))
    var next = CSVTable(keys: SampleStream.columns(0x2a37))
    #expect(next.fit(firstLine: header) == .same && Array(next.header.dropLast(2)) == header)
    let value = SampleStream.values([[0x10, 79, 0, 4]])
    var (first, second): ([UInt8], [UInt8]) = ([], [])
    table.append(value, to: &first)
    next.append(value, to: &second)
    #expect(first == second)
  }

  @Test(
    "A list of a layout has a column for each of its elements, and a field with such a name stays that field")
  func ownLists() throws {
    let view = ValueView(try ValueLayout(compact: "axis=i16[3] value=u8[2] value_2=u8"))
    let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1), name: "Mine", shownAs: view)
    var table = CSVTable(keys: origin.meaning?.columns ?? [])
    var bytes = table.header
    table.append(.values(SampleStream.batch([[1, 0, 2, 0, 3, 0, 4, 5, 6]], of: origin)), to: &bytes)
    let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(rows[0].hasSuffix(",count,axis,axis_1,axis_2,axis_3,decoded_value,value_1,value_2,name"))
    #expect(rows[1].hasSuffix(#",signal,,,,"[1,2,3]",1,2,3,"[4,5]",4,6,Mine"#))
  }

  @Test("A value that a central has written is a row with its decoded value and the name of the central")
  func written() {
    var table = CSVTable(keys: SampleStream.keys(0x2a19))
    var bytes: [UInt8] = []
    table.append(SampleStream.served(.written, [60], name: "Phone, new"), to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "2026-11-21T07:58:48.626505Z,written,F0:F1:F2:F3:F4:F5,0000180f-0000-1000-8000-00805f9b34fb,"
        + "00002a19-0000-1000-8000-00805f9b34fb,9,3c,write,,,,60,\"Phone, new\"\r\n")
  }

  @Test("Every row has as many fields as the header, whatever it contains")
  func width() {
    var table = CSVTable(keys: SampleStream.keys(0x2a37) + SampleStream.keys(0x2a19))
    var bytes = table.header
    table.append(SampleStream.values([[0, 60], []], name: "Strap"), to: &bytes)
    table.append(SampleStream.lost("the link was lost"), to: &bytes)
    table.append(.dropped(DroppedRecord(time: .now, count: 3)), to: &bytes)
    table.append(SampleStream.served(.written, [60]), to: &bytes)
    table.append(SampleStream.served(.connected), to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.count == 7)
    #expect(Set(lines.map { $0.filter { $0 == "," }.count }).count == 1)
  }

  private func line(_ keys: [String]) -> [UInt8] {
    Array((CSVTable.columns + keys + [CSVTable.nameColumn]).joined(separator: ",").utf8)
  }

  @Test("A table with more columns than needed is continued")
  func moreColumns() {
    var table = CSVTable(keys: SampleStream.keys(0x2a19))
    let fit = table.fit(firstLine: line(["heart_rate_bpm", "battery_level_percent"]))
    #expect(fit == .same)
    var bytes: [UInt8] = []
    table.append(SampleStream.values([[0, 60]], name: "Strap"), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("003c,signal,,,,60,,Strap\r\n"))
  }

  @Test("No two columns have one name: a decoded time is not the time of the record")
  func uniqueNames() throws {
    for uuid in ValueLayout.numbers {
      let names = String(decoding: CSVTable(keys: SampleStream.keys(uuid)).header, as: UTF8.self).split(
        separator: ",")
      #expect(Set(names).count == names.count, "\(uuid): \(names)")
    }
    let temperature = BluetoothUUID(short: 0x2a1c)
    var table = CSVTable(keys: SampleStream.keys(0x2a1c))
    var bytes = table.header
    let value: [UInt8] = [0x02, 0x6c, 0x01, 0x00, 0xff, 0xe8, 0x07, 4, 1, 9, 48, 0]
    table.append(SampleStream.values([value], uuid: temperature, name: "Strap"), to: &bytes)
    let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let column = try #require(rows[0].firstIndex(of: "decoded_time"))
    #expect(rows[1][column] == "2024-04-01T09:48:00")
    #expect(rows[1][0] == "2026-11-21T07:58:48.626505Z")
  }

  @Test("A layout of one's own has a column for each field, and its clock is not that of the record")
  func ownLayout() throws {
    let view = ValueView(try ValueLayout(compact: "time=unix value=i16*0.1°C value_2=u8"))
    let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1), name: "Mine", shownAs: view)
    var table = CSVTable(keys: origin.meaning?.keys ?? [])
    var bytes = table.header
    table.append(.values(SampleStream.batch([[0x5b, 0xcf, 0x60, 0x6a, 0xd7, 0, 9]], of: origin)), to: &bytes)
    let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(rows[0].hasSuffix(",count,decoded_time,value_celsius,value_2,name"))
    #expect(rows[1].hasSuffix(",signal,,,,2026-07-22T14:10:35Z,21.5,9,Mine"))
  }

  @Test(
    "A table from before names were unique keeps its columns, and is not continued with values that need others"
  )
  func oldNames() {
    let old = line(["temperature_celsius", "time", "temperature_type"])
    var table = CSVTable(keys: SampleStream.keys(0x2a1c))
    #expect(table.fit(firstLine: old) == .lacks(["temperature_fahrenheit", "decoded_time"]))
    var other = CSVTable(keys: [])
    #expect(other.fit(firstLine: old) == .same)
    #expect(other.header == old + Array("\r\n".utf8))
    var bytes: [UInt8] = []
    let value: [UInt8] = [0x02, 0x6c, 0x01, 0x00, 0xff, 0xe8, 0x07, 4, 1, 9, 48, 0]
    other.append(SampleStream.values([value], uuid: BluetoothUUID(short: 0x2a1c), name: "Strap"), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(",36.4,2024-04-01T09:48:00,,Strap\r\n"))
  }

  @Test("A table that lacks a column is not continued, and neither is any other file")
  func otherColumns() {
    var table = CSVTable(keys: SampleStream.keys(0x2a19))
    let header = table.header
    let fits = [
      table.fit(firstLine: line(["heart_rate_bpm"])),
      table.fit(firstLine: Array("time,event,address,x".utf8)),
      table.fit(firstLine: Array("name,price".utf8)), table.fit(firstLine: Array("time,event\n".utf8)),
    ]
    #expect(fits[0] == .lacks(["battery_level_percent"]))
    #expect(fits[1] == .lacks(Array(CSVTable.columns.dropFirst(3)) + ["battery_level_percent", "name"]))
    #expect(fits[2...].allSatisfy { $0 == .foreign })
    #expect(table.header == header)
  }
}

@Suite("The line protocol of InfluxDB")
struct InfluxLinesTests {
  private func lines(_ event: StreamEvent) -> [String] {
    var bytes: [UInt8] = []
    var format = InfluxLines()
    format.append(event, to: &bytes)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("A value is a point with its numbers as floats, and the time in nanoseconds")
  func values() {
    #expect(
      lines(SampleStream.values([[0, 60], [0, 61]], name: "Strap")) == [
        "bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,name=Strap heart_rate_bpm=60 1795247928626505000",
        "bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,name=Strap heart_rate_bpm=61 1795247929626505000",
      ])
  }

  @Test("Values of one time, which come with one read, stay apart")
  func together() {
    let time = Timestamp(seconds: 1, nanoseconds: 0)
    let received = (0..<3).map { ReceivedValue([0, $0], at: time) }
    let times = lines(.values(ValueBatch(received, of: SampleStream.origin()))).compactMap {
      $0.split(separator: " ").last
    }
    #expect(times == ["1000000000", "1000000001", "1000000002"])
  }

  @Test("A field has the name of no tag, nor that of the time or of the digits")
  func takenNames() {
    let time: [UInt8] = [0xe8, 0x07, 4, 1, 9, 48, 0]
    let first = lines(SampleStream.values([time], uuid: BluetoothUUID(short: 0x2a08), name: "Clock")).first
    #expect(first?.contains(#" decoded_time="2024-04-01T09:48:00" 1795"#) == true)
    let flag = lines(SampleStream.values([[1]], uuid: BluetoothUUID(short: 0x2ae2), name: "Flag")).first
    #expect(flag?.contains(" value_flag=true 1795") == true)
  }

  @Test("The fields of a layout of one's own are those of the point")
  func ownLayout() throws {
    let view = ValueView(try ValueLayout(compact: "u16 name=utf8[2]"))
    let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1), name: "Mine", shownAs: view)
    let line = lines(.values(SampleStream.batch([[1, 0, 0x68, 0x69]], of: origin))).first
    #expect(line?.contains(#" value_1=1,decoded_name="hi" 1795"#) == true)
    let plain = SampleStream.origin(
      BluetoothUUID(short: 0xffe1), name: "Mine", shownAs: ValueView(try ValueFormat(parsing: "u16")))
    let number = lines(.values(SampleStream.batch([[1, 0]], of: plain))).first
    #expect(number?.contains(" decoded_value=1 1795") == true)
  }

  @Test("A list is a text, and a truth value one of InfluxDB")
  func kinds() {
    let line = lines(SampleStream.values([[0x16, 60, 0x00, 0x04]], name: "Strap")).first ?? ""
    #expect(line.contains(" heart_rate_bpm=60,rr_intervals_ms=\"[1000.0]\",sensor_contact=true 1795"))
  }

  @Test("A value without a known meaning is its digits")
  func digits() {
    let line = lines(SampleStream.values([[0xca, 0xfe]], uuid: BluetoothUUID(short: 0xffe1))).first ?? ""
    #expect(line.contains(#" value="cafe" 1795"#))
  }

  @Test("The word of an unknown number is no value of its field, whose type it would change")
  func unknown() {
    let line = lines(SampleStream.values([[0xff, 0xff]], uuid: BluetoothUUID(short: 0x2a6f))).first ?? ""
    #expect(line.contains(#" humidity_percent_text="unknown" 1795"#))
  }

  @Test(
    "A name cannot end its tag or its line",
    arguments: [
      ("Heart Strap", "Heart\\ Strap"), ("a,b=c", "a\\,b\\=c"), ("line\nfeed", "line\\ feed"),
      ("back\\", "back/"), ("é", "é"), (",\u{301}x=1", "\\,\u{301}x\\=1"),
      (" \u{301}f=\u{20d2}1", "\\ \u{301}f\\=\u{20d2}1"),
      ("\\\u{301}", "/\u{301}"), ("\r\n", "\\ \\ "),
    ])
  func names(_ name: String, _ tag: String) {
    let line = lines(SampleStream.values([[0, 60]], name: name)).first ?? ""
    #expect(line.contains(",name=\(tag) heart_rate_bpm=60 "))
  }

  @Test("A text cannot end its quotes, not even with a combining mark behind the quotation mark")
  func texts() {
    let (mark, name) = ("\u{301}", BluetoothUUID(short: 0x2a00))
    let line = lines(SampleStream.values([Array("a\"\(mark),evil=\"\\\(mark)".utf8)], uuid: name)).first ?? ""
    #expect(line.contains(#" device_name="a\"\#(mark),evil=\"\\\#(mark)" 1795"#))
  }

  @Test("Characteristics that share a UUID have their handle as a tag, others have not")
  func twins() {
    func head(hasTwin: Bool) -> Substring? {
      let origin = ValueOrigin(
        address: SampleStream.address, name: "Strap", characteristic: SampleStream.characteristic(),
        transport: .signal, hasTwin: hasTwin)
      return lines(.values(SampleStream.batch([[0, 60]], of: origin))).first?.split(separator: " ").first
    }
    #expect(
      head(hasTwin: true) == "bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,handle=7,name=Strap")
    #expect(head(hasTwin: false) == "bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37,name=Strap")
  }

  @Test("A device without a name has no such tag, which must not be empty")
  func nameless() {
    for name in [nil, ""] {
      let line = lines(.values(SampleStream.batch([[0, 60]], of: SampleStream.origin(name: name)))).first
      #expect(line?.hasPrefix("bluetooth,address=F0:F1:F2:F3:F4:F5,characteristic=2a37 heart") == true)
    }
  }

  @Test("Gaps and drops are points of their own measurement")
  func links() {
    #expect(
      lines(SampleStream.lost("a \"reason\"\\\n")) == [
        #"bluetooth_link,address=F0:F1:F2:F3:F4:F5 event="disconnected",reason="a \"reason\"\\ " 1795247930000000000"#
      ])
    let time = Timestamp(seconds: 1, nanoseconds: 2)
    #expect(
      lines(.dropped(DroppedRecord(time: time, count: 7))) == [
        #"bluetooth_link event="dropped",count=7 1000000002"#
      ])
  }

  @Test("Reads and writes of a served device are values, and its other events belong to the link")
  func served() {
    #expect(
      lines(SampleStream.served(.read, [60])).first?.contains("via=read battery_level_percent=60 ") == true)
    #expect(lines(SampleStream.served(.connected)).first?.hasPrefix("bluetooth_link,address=") == true)
  }

  @Test("A log is continued, and another file is left alone")
  func fit() {
    #expect(InfluxLines().fit(firstLine: Array("bluetooth,address=x y=1 2".utf8)) == .same)
    #expect(InfluxLines().fit(firstLine: Array("cpu,host=a idle=1 2".utf8)) == .foreign)
  }
}
