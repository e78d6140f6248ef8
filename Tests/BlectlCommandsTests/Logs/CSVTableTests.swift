// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BlectlCommands

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

  @Test("Every row has as many fields as the header, whatever it tells")
  func width() {
    var table = CSVTable(for: [.heartRateMeasurement, .batteryLevel])
    var bytes = table.header
    table.append(SampleStream.values([[0, 60], []], name: "Strap"), to: &bytes)
    table.append(SampleStream.lost("the link was lost"), to: &bytes)
    table.append(.dropped(DroppedRecord(time: .now, count: 3)), to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.count == 5)
    #expect(Set(lines.map { $0.filter { $0 == "," }.count }).count == 1)
  }

  @Test("A table that was begun with other columns goes on with those")
  func otherColumns() {
    var table = CSVTable(for: [.batteryLevel])
    let header = Array(
      (CSVTable.columns + ["heart_rate_bpm", CSVTable.nameColumn]).joined(separator: ",").utf8)
    let isAccepted = table.accepts(firstLine: header)
    #expect(isAccepted)
    var bytes: [UInt8] = []
    table.append(SampleStream.values([[0, 60]], name: "Strap"), to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("003c,signal,,,,60,Strap\r\n"))
    let isForeignAccepted = table.accepts(firstLine: Array("name,price".utf8))
    #expect(!isForeignAccepted)
  }

  @Test("A table that was begun before there was a column for the name goes on without it")
  func withoutName() {
    var table = CSVTable(for: [.batteryLevel])
    let header = Array((CSVTable.columns + ["heart_rate_bpm"]).joined(separator: ",").utf8)
    let isAccepted = table.accepts(firstLine: header)
    #expect(isAccepted)
    var bytes: [UInt8] = []
    table.append(SampleStream.values([[0, 60]]), to: &bytes)
    table.append(.dropped(DroppedRecord(time: .now, count: 3)), to: &bytes)
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    #expect(lines.first?.hasSuffix("003c,signal,,,,60") == true)
    #expect(lines.last?.hasSuffix(",,3,") == true)
    // Its rotation begins a file whose header fits.
    #expect(table.header == header + Array("\r\n".utf8))
  }
}
