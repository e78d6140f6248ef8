// SPDX-License-Identifier: MIT
import JSON
import Testing

@testable import WebServer

@Suite("PageModel")
struct PageModelTests: PageModelSuite {
  @Test("A value has its device, its source, its numbers and its strength")
  func values() throws {
    let model = model(value(1, "21.50"), value(2, "21.60"))
    let device = try #require(devices(model).first)
    #expect(device["address"]?.string == address)
    #expect(device["name"]?.string == "Garden")
    #expect(device["rssi"]?.integer == -76)
    #expect(device["packets"]?.integer == 2)
    #expect(device["last"]?.string == "2026-11-21T05:11:02.5Z")
    let reading = try #require(device["values"]?.elements?.first)
    #expect(reading["source"]?.string == "bthome")
    // The digits stay.
    var json = JSONWriter()
    json.value(try #require(reading["decoded"]))
    #expect(String(decoding: json.bytes, as: UTF8.self) == #"{"temperature_celsius":21.60,"rssi_dbm":-76}"#)
    let series = try series(model)
    #expect(series.compactMap { $0["field"]?.string } == ["rssi_dbm", "temperature_celsius"])
    #expect(series.last?["points"]?.elements?.count == 2)
  }

  @Test("A device that sends its values by turns has the last of each, except long texts, and not too many")
  func turns() throws {
    func value(_ decoded: String) -> String {
      #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"AA","type":"t","decoded":{\#(decoded)}}"#
    }
    let long = String(repeating: "a", count: 200)
    var model = model(
      value(#""temperature_celsius":20,"button":"press","text":"\#(long)""#),
      value(#""battery_percent":90,"is_open":true,"firmware":"1.2""#), value(#""temperature_celsius":21"#))
    func decoded() throws -> JSONNode {
      try #require(devices(model).first?["values"]?.elements?.first?["decoded"])
    }
    let reading = try decoded()
    #expect(
      reading.members?.map(\.key).sorted() == [
        "battery_percent", "button", "firmware", "is_open", "temperature_celsius",
      ])
    #expect(reading["temperature_celsius"]?.integer == 21)
    model.take(value(#""button":"hold_press""#))
    #expect(try decoded()["button"]?.string == "hold_press")
    for number in 0..<500 { model.take(value(#""word_\#(number)":"a""#)) }
    #expect(try decoded().members?.count ?? 0 <= PageDevice.mostReadings + 1)
  }

  @Test("A value with a wrong checksum is a fault beside the values before it, until the next one")
  func wrongChecksum() throws {
    func value(_ decoded: String) -> String {
      #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"AA","type":"t","decoded":{\#(decoded)}}"#
    }
    var model = model(
      value(#""temperature_celsius":20"#),
      value(#""temperature_celsius":99,"problem":"the xor8 is 00","wrong_checksum":true"#))
    func decoded() throws -> JSONNode {
      try #require(devices(model).first?["values"]?.elements?.first?["decoded"])
    }
    #expect(try decoded()["temperature_celsius"]?.integer == 20)
    #expect(try decoded()["problem"]?.string == "the xor8 is 00")
    #expect(try series(model).first?["points"]?.elements?.count == 1)
    model.take(value(#""temperature_celsius":21"#))
    #expect(try decoded().members?.map(\.key) == ["temperature_celsius"])
  }

  @Test("Devices that two gateways hear are told apart by their host")
  func hosts() throws {
    let model = model(value(1, "21.5", host: "attic"), value(1, "21.5", host: "cellar"))
    #expect(try devices(model).compactMap { $0["host"]?.string } == ["attic", "cellar"])
    #expect(try series(model).count == 4)
    var query = ValuesQuery()
    (query.host, query.field) = ("cellar", "temperature_celsius")
    #expect(try series(model, query).map { $0["host"]?.string } == ["cellar"])
  }

  @Test("Alarms and absences are there until they are cleared")
  func notices() throws {
    var model = model(
      value(1, "26"),
      #"{"event":"alarm","time":"2026-11-21T05:12:00Z","address":"C5:EA:50:00:00:01","when":"temperature_celsius > 25","decoded":{"temperature_celsius":26}}"#,
      #"{"event":"absent","time":"2026-11-21T05:22:00Z","address":"C5:EA:50:00:00:01","last":"2026-11-21T05:11:01Z","silence_seconds":600}"#
    )
    let device = try #require(devices(model).first)
    #expect(device["alarms"]?.elements?.first?["when"]?.string == "temperature_celsius > 25")
    #expect(device["absent_since"]?.string == "2026-11-21T05:11:01Z")
    #expect(device["last"]?.string == "2026-11-21T05:11:01.5Z")
    model.take(
      #"{"event":"returned","time":"2026-11-21T05:30:00Z","address":"C5:EA:50:00:00:01"}"#)
    model.take(
      #"{"event":"cleared","time":"2026-11-21T05:30:00Z","address":"C5:EA:50:00:00:01","when":"temperature_celsius > 25"}"#
    )
    let later = try #require(devices(model).first)
    #expect(later["alarms"] == nil)
    #expect(later["absent_since"] == nil)
  }

  @Test("Lost links are gaps in the lines, and are counted")
  func links() throws {
    func link(_ event: String, _ second: Int, _ more: String = "") -> String {
      #"{"event":"\#(event)","time":"2026-11-21T05:11:0\#(second)Z","address":"\#(address)"\#(more)}"#
    }
    let model = model(
      link("connected", 1), value(2, "1"), link("disconnected", 3, #","reason":"the link was lost""#),
      link("reconnected", 5, #","gap_seconds":2"#), value(6, "2"))
    let device = try #require(devices(model).first)
    #expect(device["connected"]?.content == .bool(true))
    #expect(device["reconnections"]?.integer == 1)
    #expect(device["disconnections"]?.integer == 1)
    let points = try series(model).last?["points"]?.elements ?? []
    #expect(points.map(\.content).map { $0 == .null } == [false, true, false])
  }

  @Test("What a scan finds has its beacons, and is lost when BlueZ has removed it")
  func scans() throws {
    var model = model(
      #"{"event":"found","time":"2026-11-21T05:15:23Z","address":"C8:0F:10:01:02:03","adapter":"hci0","name":"Tag","rssi":-55,"beacon":{"type":"ruuvi","humidity_percent":53.5},"connected":false,"paired":false}"#
    )
    let device = try #require(devices(model).first)
    #expect(device["values"]?.elements?.first?["source"]?.string == "ruuvi")
    #expect(device["connected"]?.content == .bool(false))
    model.take(
      #"{"event":"lost","time":"2026-11-21T05:16:23Z","address":"C8:0F:10:01:02:03"}"#)
    #expect(try devices(model).first?["lost"]?.content == .bool(true))
    #expect(try devices(model).first?["rssi"] == nil)
  }

  @Test("A query chooses a device, a field, a time and a number of points")
  func queries() throws {
    var model = PageModel()
    for second in 0..<60 { model.take(value(second, "\(second)")) }
    var query = ValuesQuery()
    query.field = "temperature_celsius"
    query.since = try #require(PageTime.seconds("2026-11-21T05:11:30Z"))
    let points = try series(model, query).first?["points"]?.elements ?? []
    #expect(points.count == 30)
    query.points = 30
    #expect(try series(model, query).first?["points"]?.elements?.count == 30)
    query.points = 10
    let fewer = try series(model, query).first?["points"]?.elements ?? []
    #expect(fewer.count <= 10)
    // The least and the greatest value are still there.
    #expect(fewer.first?.elements?[1].integer == 30)
    #expect(fewer.last?.elements?[2].integer == 59)
    query.address = "elsewhere"
    #expect(try series(model, query).isEmpty)
  }

  @Test("What is no record changes nothing")
  func nonsense() {
    for line in ["", "{", "[]", "{}", #"{"event":1}"#, "\u{1}", #"{"event":"value","event":"value"}"#] {
      #expect(PageRecord(line: Array(line.utf8)) == nil, "\(line)")
    }
    var model = PageModel()
    model.take(#"{"event":"value","address":{"a":1},"decoded":[1],"time":7}"#)
    #expect(model.devices.isEmpty)
  }
}
