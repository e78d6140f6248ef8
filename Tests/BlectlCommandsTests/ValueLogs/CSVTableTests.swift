// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BlectlCommands
@testable import ValueLogs
@testable import ValueStreams

@Suite("CSV logs")
struct CSVTableTests {
  @Test(
    "A text is quoted where it has to be, stays on one line, and is no formula",
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
    var table = CSVTable(for: [.heartRateMeasurement])
    var bytes = table.header
    table.append(SampleStream.values([[0x10, 79, 0xe8, 0x03]]), to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(
      lines == [
        "time,event,address,service,characteristic,handle,value,via,reason,gap_seconds,count,sensor_contact,heart_rate_bpm,energy_expended_kj,rr_intervals_ms,name",
        "2026-11-21T07:58:48.626505Z,value,F0:F1:F2:F3:F4:F5,0000180d-0000-1000-8000-00805f9b34fb,00002a37-0000-1000-8000-00805f9b34fb,7,104fe803,signal,,,,,79,,[976.6],\"Strap, \"\"=1\"\"\"",
      ])
  }

  @Test("A value that a central has written is a row with its decoded value and the name of the central")
  func written() {
    var table = CSVTable(for: [.batteryLevel])
    var bytes: [UInt8] = []
    table.append(SampleStream.served(.written, [60], name: "Phone, new"), to: &bytes)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == "2026-11-21T07:58:48.626505Z,written,F0:F1:F2:F3:F4:F5,0000180f-0000-1000-8000-00805f9b34fb,"
        + "00002a19-0000-1000-8000-00805f9b34fb,9,3c,write,,,,60,\"Phone, new\"\r\n")
  }

  @Test("Every row has as many fields as the header, whatever it contains")
  func width() {
    var table = CSVTable(for: [.heartRateMeasurement, .batteryLevel])
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

  @Test("A table that has more columns than are needed is gone on with")
  func moreColumns() {
    var table = CSVTable(for: [.batteryLevel])
    let fit = table.fit(firstLine: line(["heart_rate_bpm", "battery_level_percent"]))
    #expect(fit == .same)
    var bytes: [UInt8] = []
    table.append(SampleStream.values([[0, 60]], name: "Strap"), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("003c,signal,,,,60,,Strap\r\n"))
  }

  @Test("A table that lacks a column is not gone on with, nor is anything else")
  func otherColumns() {
    var table = CSVTable(for: [.batteryLevel])
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
