// SPDX-License-Identifier: MIT
import BlueZClient
import Histories
import JSON
import Testing

@testable import WebServer

@Suite("PageModel")
struct PageModelTests {
  private let address = "C5:EA:50:00:00:01"

  private func model(_ lines: String..., limits: PageModel.Limits = PageModel.Limits()) -> PageModel {
    var model = PageModel(limits)
    for line in lines { model.take(line) }
    return model
  }

  private func devices(_ model: PageModel) throws -> [JSONNode] {
    var json = JSONWriter()
    json.object { model.writeDevices(to: &$0) }
    return try #require(JSONReader.read(json.bytes)["devices"]?.elements)
  }

  private func series(_ model: PageModel, _ query: ValuesQuery = ValuesQuery()) throws -> [JSONNode] {
    var json = JSONWriter()
    json.object { json in
      json.array("series") { json in
        for key in model.keys(for: query) { _ = model.writeLine(key, query, to: &json) }
      }
    }
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

  @Test("An outage of the adapter is what the page says until it is over")
  func outages() {
    var model = model(#"{"event":"started","time":"2026-11-21T05:11:02Z","adapter":"hci0"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(
      #"{"event":"interrupted","time":"2026-11-21T05:12:40Z","reason":"the adapter hci0 is off"}"#)
    #expect(
      model.listening == .interrupted(reason: "the adapter hci0 is off", since: "2026-11-21T05:12:40Z"))
    model.take(
      #"{"event":"resumed","time":"2026-11-21T05:12:45Z","adapter":"hci0","gap_seconds":4.3}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(#"{"event":"recovering","time":"2026-11-21T05:13:40Z","reason":"nothing is heard"}"#)
    #expect(!model.canHear)
    // What the steps of a recovery bring back does not hear yet.
    model.take(#"{"event":"resumed","time":"2026-11-21T05:13:42Z","adapter":"hci0"}"#)
    #expect(!model.canHear)
    model.take(#"{"event":"recovered","time":"2026-11-21T05:13:45Z"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
  }

  @Test("An adapter that hears nothing any more, or is missing, cannot hear, with a recovery or without")
  func silence() {
    var model = model(#"{"event":"started","time":"2026-11-21T05:11:02Z","adapter":"hci0"}"#)
    model.take(#"{"event":"silent","time":"2026-11-21T05:21:02Z","reason":"nothing was heard for 5m"}"#)
    #expect(
      model.listening == .interrupted(reason: "nothing was heard for 5m", since: "2026-11-21T05:21:02Z"))
    model.take(#"{"event":"interrupted","time":"2026-11-21T05:22:02Z","reason":"the bus is gone"}"#)
    #expect(model.listening == .interrupted(reason: "the bus is gone", since: "2026-11-21T05:22:02Z"))
    model.take(#"{"event":"resumed","time":"2026-11-21T05:23:02Z","adapter":"hci0"}"#)
    #expect(!model.canHear)
    model.take(#"{"event":"heard","time":"2026-11-21T05:24:02Z"}"#)
    #expect(model.listening == .listening(adapter: "hci0"))
    // A recovery of a command that does not say whether it listens leaves that to its links.
    var subscribing = self.model(#"{"event":"connected","time":"2026-11-21T05:11:00Z","address":"AA"}"#)
    for event in ["recovering", "recovered"] {
      subscribing.take(#"{"event":"\#(event)","time":"2026-11-21T05:12:00Z","step":"power_cycle"}"#)
      #expect(subscribing.canHear == (event == "recovered"))
    }
    subscribing.take(#"{"event":"disconnected","time":"2026-11-21T05:13:00Z","address":"AA"}"#)
    #expect(!subscribing.canHear)
  }

  @Test("Of several hosts, one that listens is enough, and an outage breaks only its own lines")
  func receptions() throws {
    func record(_ event: String, _ host: String) -> String {
      #"{"event":"\#(event)","time":"2026-11-21T05:11:02Z","host":"\#(host)","adapter":"hci0","reason":"off"}"#
    }
    var model = model(
      record("started", "attic"), record("started", "cellar"), value(1, "21.5", host: "attic"),
      value(1, "21.5", host: "cellar"), record("interrupted", "attic"))
    #expect(model.listening == .listening(adapter: "hci0"))
    model.take(value(3, "21.6", host: "attic"))
    model.take(value(3, "21.6", host: "cellar"))
    var query = ValuesQuery()
    query.field = "temperature_celsius"
    #expect(try series(model, query).map { $0["points"]?.elements?.count } == [3, 2])
    model.take(record("interrupted", "cellar"))
    #expect(!model.canHear)
    model.take(record("resumed", "attic"))
    #expect(model.canHear)
  }

  @Test(
    "A command that does not say whether it listens can hear once it has heard a device, or while a link is open"
  )
  func hearing() {
    func record(_ event: String) -> String {
      #"{"event":"\#(event)","time":"2026-11-21T05:11:00Z","address":"AA","rssi":-50,"connected":false}"#
    }
    var model = model()
    #expect(!model.canHear)
    model.take(record("found"))
    #expect(model.canHear)
    model.take(record("connected"))
    #expect(model.canHear)
    model.take(record("disconnected"))
    #expect(!model.canHear)
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

  private func found(_ address: Int, at seconds: Int) -> String {
    #"{"event":"found","time":"\#(1_795_000_000 + seconds)","address":"\#(address)","rssi":-55,"beacon":{"type":"x","a":1,"b":2}}"#
  }

  @Test("A crowd of devices that change their addresses fills neither the list nor the memory of lines")
  func crowd() throws {
    var limits = PageModel.Limits()
    (limits.devices, limits.series) = (10, 15)
    var model = PageModel(limits)
    for number in 0..<200 { model.take(found(number, at: 0)) }
    #expect(try devices(model).count == 10)
    #expect(model.series.count == 15)
    // Those that were first are not dropped for those that came later.
    #expect(try devices(model).compactMap { $0["address"]?.string }.sorted() == (0..<10).map(String.init))
    #expect(model.unlisted == 190)
    // A device that is known for an hour stays, others are gone.
    for minute in stride(from: 0, through: 60, by: 5) { model.take(found(3, at: 60 * minute)) }
    for number in 200..<220 { model.take(found(number, at: 3600 + number)) }
    let kept = try devices(model).compactMap { $0["address"]?.string }
    #expect(kept.contains("3") && kept.contains("200"))
    #expect(kept.count == 10)
    #expect(model.series.keys.contains { $0.device.address == "3" })
  }

  @Test("One number more than there is room for costs none of the others its history")
  func oneTooMany() throws {
    var limits = PageModel.Limits()
    limits.series = 30
    var model = PageModel(limits)
    for round in 0..<50 { for number in 0..<11 { model.take(found(number, at: 10 * round)) } }
    #expect(model.series.count == 30)
    let counts = try series(model).compactMap { $0["points"]?.elements?.count }
    #expect(counts.count == 30 && counts.allSatisfy { $0 == 50 })
  }

  @Test("A clock that was wrong for one record leaves neither the line nor the last time wrong")
  func clock() throws {
    var model = PageModel()
    model.take(found(1, at: 86_400))
    for second in 0..<300 { model.take(found(1, at: second)) }
    let line = try #require(series(model).first { $0["field"]?.string == "a" })
    #expect(line["points"]?.elements?.compactMap { $0.elements?.first?.measured }.last == 1_795_000_299)
    #expect(line["points"]?.elements?.count ?? 0 > 100)
    #expect(model.devices.values.first?.lastSeconds == 1_795_000_299)
  }

  @Test("A time that is behind the present is corrected, and its value leaves the line, whatever comes later")
  func ahead() throws {
    var model = model(found(1, at: 0), found(1, at: 86_400))
    model.settle(now: Timestamp(seconds: 1_795_000_010, nanoseconds: 0))
    let device = try #require(model.devices.values.first)
    #expect((device.firstSeconds, device.lastSeconds) == (1_795_000_000, 1_795_000_010))
    #expect(device.last == Timestamp(seconds: 1_795_000_010, nanoseconds: 0).utc)
    model.take(found(1, at: 20))
    model.settle(now: Timestamp(seconds: 1_795_000_020, nanoseconds: 0))
    #expect(model.devices.values.first?.lastSeconds == 1_795_000_020)
    let line = try #require(series(model).first { $0["field"]?.string == "a" })
    let times = line["points"]?.elements?.compactMap { $0.elements?.first?.measured }
    #expect(times == [1_795_000_000, 1_795_000_020])
  }

  @Test("What is older than the history is forgotten, and a connected device is not")
  func history() throws {
    var limits = PageModel.Limits(history: 60)
    limits.devices = 5
    var model = PageModel(limits)
    model.take(value(1, "20"))
    model.take(
      #"{"event":"connected","time":"2026-11-21T05:11:01Z","address":"AA"}"#)
    let then = try #require(PageTime.seconds("2026-11-21T05:11:01Z"))
    model.expire(now: then + 50)
    #expect(try devices(model).count == 2)
    model.expire(now: then + 100)
    #expect(try devices(model).compactMap { $0["address"]?.string } == ["AA"])
    #expect(model.series.isEmpty)
  }

  @Test("A device that is missed, or has an alarm, stays for as long as that holds")
  func noticesOutlastHistory() throws {
    var model = model(value(1, "20"), limits: PageModel.Limits(history: 60))
    let then = try #require(PageTime.seconds("2026-11-21T05:11:01Z"))
    model.take(
      #"{"event":"absent","time":"2026-11-21T05:11:31Z","address":"\#(address)","last":"2026-11-21T05:11:01Z"}"#
    )
    model.take(
      #"{"event":"alarm","time":"2026-11-21T05:11:01Z","address":"AA","when":"temperature_celsius > 25"}"#)
    model.expire(now: then + 86_400)
    #expect(try devices(model).count == 2)
    #expect(model.series.isEmpty)
    model.take(
      #"{"event":"cleared","time":"2026-11-21T05:11:32Z","address":"AA","when":"temperature_celsius > 25"}"#)
    model.expire(now: then + 86_400)
    #expect(try devices(model).compactMap { $0["address"]?.string } == [address])
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
      model.take(value(1, "21.5"))
      model.take(value(2, "21.6"))
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
    model.take(value(1, "21.5"))
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
    for line in ["", "{", "[]", "{}", #"{"event":1}"#, "\u{1}", #"{"event":"value","event":"value"}"#] {
      #expect(PageRecord(line: Array(line.utf8)) == nil, "\(line)")
    }
    var model = PageModel()
    model.take(#"{"event":"value","address":{"a":1},"decoded":[1],"time":7}"#)
    #expect(model.devices.isEmpty)
  }
}

extension PageModel {
  /// Takes a line that must be a record.
  mutating func take(_ line: String) {
    guard let record = PageRecord(line: Array(line.utf8)) else {
      Issue.record("not a record: \(line)")
      return
    }
    take(record)
  }
}
