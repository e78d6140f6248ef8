// SPDX-License-Identifier: MIT
import Histories
import JSON
import Testing

@testable import WebModel

@Suite("PageModel")
struct PageModelTests {
  private let address = "C5:EA:50:00:00:01"

  private func model(_ lines: String..., limits: PageModel.Limits = PageModel.Limits()) -> PageModel {
    var model = PageModel(limits)
    for line in lines {
      let isTaken = model.take(line.utf8)
      #expect(isTaken, "\(line)")
    }
    return model
  }

  private func devices(_ model: PageModel) throws -> [JSONNode] {
    var json = JSONWriter()
    json.object { model.writeDevices(to: &$0) }
    return try #require(JSONReader.read(json.bytes)["devices"]?.elements)
  }

  private func series(_ model: PageModel, _ query: ValuesQuery = ValuesQuery()) throws -> [JSONNode] {
    var json = JSONWriter()
    json.object { model.writeValues(query, to: &$0) }
    return try #require(JSONReader.read(json.bytes)["series"]?.elements)
  }

  private func value(_ second: Int, _ celsius: String, host: String? = nil) -> String {
    let host = host.map { #""host":"\#($0)","# } ?? ""
    return
      #"{"event":"value","time":"2026-11-21T05:11:\#(second < 10 ? "0" : "")\#(second).5Z",\#(host)"address":"\#(address)","name":"Garden","type":"bthome","value":"40","decoded":{"temperature_celsius":\#(celsius),"rssi_dbm":-76},"via":"advertisement"}"#
  }

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
    model.take(#"{"event":"returned","time":"2026-11-21T05:30:00Z","address":"C5:EA:50:00:00:01"}"#.utf8)
    model.take(
      #"{"event":"cleared","time":"2026-11-21T05:30:00Z","address":"C5:EA:50:00:00:01","when":"temperature_celsius > 25"}"#
        .utf8)
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

  @Test("An outage of the adapter is what the page says until it is over")
  func outages() {
    var model = model(#"{"event":"started","time":"2026-11-21T05:11:02Z","adapter":"hci0"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(
      #"{"event":"interrupted","time":"2026-11-21T05:12:40Z","reason":"the adapter hci0 is off"}"#.utf8)
    #expect(
      model.listening == .interrupted(reason: "the adapter hci0 is off", since: "2026-11-21T05:12:40Z"))
    model.take(#"{"event":"resumed","time":"2026-11-21T05:12:45Z","adapter":"hci0","gap_seconds":4.3}"#.utf8)
    #expect(model.listening == .listening(adapter: "hci0"))
  }

  @Test("What a scan finds has its beacons, and is lost when BlueZ has removed it")
  func scans() throws {
    var model = model(
      #"{"event":"found","time":"2026-11-21T05:15:23Z","address":"C8:0F:10:01:02:03","adapter":"hci0","name":"Tag","rssi":-55,"beacon":{"type":"ruuvi","humidity_percent":53.5},"connected":false,"paired":false}"#
    )
    let device = try #require(devices(model).first)
    #expect(device["values"]?.elements?.first?["source"]?.string == "ruuvi")
    #expect(device["connected"]?.content == .bool(false))
    model.take(#"{"event":"lost","time":"2026-11-21T05:16:23Z","address":"C8:0F:10:01:02:03"}"#.utf8)
    #expect(try devices(model).first?["lost"]?.content == .bool(true))
    #expect(try devices(model).first?["rssi"] == nil)
  }

  @Test("A crowd of devices that change their addresses fills neither the list nor the memory of lines")
  func crowd() throws {
    var limits = PageModel.Limits()
    (limits.devices, limits.series) = (10, 15)
    var model = PageModel(limits)
    for number in 0..<200 {
      model.take(
        #"{"event":"found","time":"2026-11-21T05:15:23Z","address":"\#(number)","rssi":-55,"beacon":{"type":"x","a":1,"b":2}}"#
          .utf8)
    }
    #expect(try devices(model).count == 10)
    #expect(model.series.count <= 15)
  }

  @Test("What is older than the history is forgotten, and a connected device is not")
  func history() throws {
    var limits = PageModel.Limits(history: 60)
    limits.devices = 5
    var model = PageModel(limits)
    model.take(value(1, "20").utf8)
    model.take(#"{"event":"connected","time":"2026-11-21T05:11:01Z","address":"AA"}"#.utf8)
    let then = try #require(PageTime.seconds("2026-11-21T05:11:01Z"))
    model.expire(now: then + 50)
    #expect(try devices(model).count == 2)
    model.expire(now: then + 100)
    #expect(try devices(model).compactMap { $0["address"]?.string } == ["AA"])
    #expect(model.series.isEmpty)
  }

  @Test("A query chooses a device, a field, a time and a number of points")
  func queries() throws {
    var model = PageModel()
    for second in 0..<60 { model.take(value(second, "\(second)").utf8) }
    var query = ValuesQuery()
    query.field = "temperature_celsius"
    query.since = try #require(PageTime.seconds("2026-11-21T05:11:30Z"))
    let points = try series(model, query).first?["points"]?.elements ?? []
    #expect(points.count == 30)
    query.points = 10
    let fewer = try series(model, query).first?["points"]?.elements ?? []
    #expect(fewer.count <= 10)
    // The least and the greatest value are still there.
    #expect(fewer.first?.elements?[1].integer == 30)
    #expect(fewer.last?.elements?[2].integer == 59)
    query.address = "elsewhere"
    #expect(try series(model, query).isEmpty)
  }

  /// A number of before, a value each minute from a time on.
  private func past(
    _ values: [Double], from time: String, name: String? = "Garden", address: String? = nil
  ) throws -> PastNumbers {
    let start = try #require(PageTime.seconds(time))
    var history = ChartHistory()
    for (index, value) in values.enumerated() { history.add(value, at: start + 60 * Double(index)) }
    return PastNumbers(
      address: address ?? self.address, name: name, source: "bthome", field: "temperature_celsius",
      first: time, last: time, buckets: history.buckets)
  }

  @Test("What a log has of the time before stands before what has come since, with a gap between")
  func before() throws {
    var query = ValuesQuery()
    query.field = "temperature_celsius"
    let early = try past([18, 19, 20], from: "2026-11-21T04:11:00Z")
    // Before a first value, and after it.
    for isEarly in [true, false] {
      var model = PageModel()
      if isEarly { model.take(early) }
      model.take(value(1, "21.5").utf8)
      model.take(value(2, "21.6").utf8)
      if !isEarly { model.take(early) }
      let points = try series(model, query).first?["points"]?.elements ?? []
      #expect(points.map { $0.elements?.last?.measured } == [18, 19, 20, nil, 21.5, 21.6])
      let device = try #require(devices(model).first)
      #expect(device["first"]?.string == "2026-11-21T04:11:00Z")
      #expect(device["last"]?.string == "2026-11-21T05:11:02.5Z")
      #expect(device["packets"]?.integer == 2)
    }
  }

  @Test("A device of before has a name and a time, and neither packets nor last values")
  func deviceOfBefore() throws {
    var model = PageModel()
    model.take(try past([18], from: "2026-11-21T04:11:00Z"))
    let device = try #require(devices(model).first)
    #expect(device["name"]?.string == "Garden")
    #expect(device["last"]?.string == "2026-11-21T04:11:00Z")
    #expect(device["packets"]?.integer == 0)
    #expect(device["values"]?.elements?.isEmpty == true)
    #expect(try series(model).first?["points"]?.elements?.count == 1)
    let text = MetricsText(model, version: "1", command: "listen", clients: 0, missed: 0).bytes
    #expect(!String(decoding: text, as: UTF8.self).contains("blectl_temperature_celsius{"))
  }

  @Test("Nothing is forgotten for what was before, and what is too old stays away")
  func roomForBefore() throws {
    var limits = PageModel.Limits(history: 3600)
    (limits.devices, limits.series) = (1, 2)
    var model = PageModel(limits)
    model.take(value(1, "21.5").utf8)
    model.take(try past([18], from: "2026-11-21T05:00:00Z", address: "AA"))
    #expect(try devices(model).compactMap { $0["address"]?.string } == [address])
    #expect(model.series.count == 2)
    model.take(try past([17, 18], from: "2026-11-21T04:11:00Z"))
    let points = try series(model).last?["points"]?.elements ?? []
    #expect(points.map { $0.elements?.last?.measured } == [18, nil, 21.5])
    model.take(try past([], from: "2026-11-21T05:00:00Z"))
    #expect(model.series.count == 2)
  }

  @Test("The page says that numbers of before are still on their way")
  func loading() throws {
    func answer(_ model: PageModel) throws -> JSONNode? {
      var json = JSONWriter()
      json.object { model.writePast(to: &$0) }
      return try JSONReader.read(json.bytes)["history"]
    }
    var model = PageModel()
    #expect(try answer(model) == nil)
    model.awaitsPast = true
    #expect(try answer(model)?.string == "loading")
  }

  @Test("What is no record changes nothing")
  func nonsense() {
    var model = PageModel()
    for line in ["", "{", "[]", "{}", #"{"event":1}"#, "\u{1}", #"{"event":"value","event":"value"}"#] {
      let isTaken = model.take(line.utf8)
      #expect(!isTaken, "\(line)")
    }
    let isTaken = model.take(#"{"event":"value","address":{"a":1},"decoded":[1],"time":7}"#.utf8)
    #expect(isTaken)
    #expect(model.devices.isEmpty)
  }
}
