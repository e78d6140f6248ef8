// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebServer

@Suite("MetricsText")
struct MetricsTextTests {
  private func lines(_ records: String...) -> [String] {
    var model = PageModel()
    for record in records { model.take(record) }
    let text = MetricsText(model, version: "1", command: "listen", clients: 2, missed: 3)
    return String(decoding: text.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("Values have their units in their names, in the units of Prometheus")
  func units() {
    let lines = lines(
      #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"AA","name":"Garden","type":"bthome","decoded":{"temperature_celsius":21.5,"humidity_percent":50,"voltage_mv":2977,"duration_ms":1500,"speed_m_per_s":3,"run_km_per_h":36,"days_since_update":2,"steps_count":7,"acceleration_x_g":0.5,"acceleration_y_mg":250,"humidity_percent_2":60,"voltage_mv_2":3000,"speed_m_per_s_2":4,"sampling_hz":50,"charge_ah":2,"pressure_mmhg":100,"dust_ug_per_m3":5,"density_kg_per_m3":2,"channel_2":7,"room_fahrenheit":212,"counter":9,"is_open":true,"rssi_dbm":-76}}"#
    )
    for (name, value) in [
      ("temperature_celsius", 21.5), ("humidity_ratio", 0.5), ("voltage_volts", 2.977),
      ("duration_seconds", 1.5), ("speed_meters_per_second", 3.0), ("run_meters_per_second", 10.0),
      ("seconds_since_update", 172800.0), ("steps_count_value", 7.0),
      ("acceleration_x_gravities", 0.5), ("room_celsius", 100.0), ("count_value", 9.0),
      ("is_open", 1.0), ("acceleration_y_gravities", 0.25), ("humidity_2_ratio", 0.6),
      ("voltage_2_volts", 3.0), ("speed_2_meters_per_second", 4.0), ("sampling_hertz", 50.0),
      ("charge_coulombs", 7200.0), ("pressure_pascals", 13332.2387415),
      ("dust_grams_per_cubic_meter", 5e-06), ("density_grams_per_cubic_meter", 2000.0),
      ("channel_2_value", 7.0),
    ] {
      let beginning = "blectl_\(name){address=\"AA\",source=\"bthome\"} "
      let number = lines.first { $0.hasPrefix(beginning) }.flatMap { Double($0.dropFirst(beginning.count)) }
      #expect(abs((number ?? .infinity) - value) <= abs(value) * 1e-9, "\(name)")
      #expect(lines.contains("# TYPE blectl_\(name) gauge"), "\(name)")
      #expect(lines.contains { $0.hasPrefix("# HELP blectl_\(name) ") }, "\(name)")
    }
    #expect(lines.contains("blectl_device_rssi_dbm{address=\"AA\"} -76.0"))
    #expect(lines.contains("blectl_device_info{address=\"AA\",name=\"Garden\"} 1.0"))
  }

  @Test("No field of a device passes for what the page says itself")
  func ownNames() {
    let lines = lines(
      #"{"event":"started","time":"2026-11-21T05:11:00Z","adapter":"hci0"}"#,
      #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"AA","type":"x","decoded":{"listening":0,"device_connected":1}}"#
    )
    #expect(lines.contains("blectl_listening 1.0"))
    #expect(!lines.contains { $0.hasPrefix("blectl_listening{") })
    #expect(lines.contains(#"blectl_listening_value{address="AA",source="x"} 0.0"#))
    #expect(!lines.contains { $0.hasPrefix("blectl_device_connected{") })
  }

  @Test("Each field that the documentation names has a base unit, or one without a prefix")
  func allFields() throws {
    var fields: Set<String> = []
    for page in ["adverts", "characteristics"] {
      let text = try #require(RecordedFile.read(RecordedFile.path("docs/\(page).md")))
      fields.formUnion(text.matches(of: /`([a-z0-9]+_[a-z0-9_]+)`/).map { String($0.1) })
    }
    #expect(fields.count > 400)
    // Of time, only rates by the minute and ages in years stay as people say them.
    let prefixed: Set = [
      "percent", "ms", "us", "mv", "ma", "hpa", "kpa", "mmhg", "mg", "ug", "kg", "lb", "km", "cm", "mm", "ml",
      "dl",
      "kj", "kcal", "kwh", "kw", "khz", "hz", "ah", "mah", "minutes", "hours", "hour", "h", "days", "weeks",
      "fahrenheit", "v", "a", "w", "m", "g", "n", "t", "nm", "pa", "m3", "m2", "mmol",
    ]
    for field in fields {
      let words = MetricUnit(field: field).name.split(separator: "_").map(String.init)
      let last = words.last == "value" ? words.dropLast() : words[...]
      #expect(!prefixed.contains(last.last ?? ""), "\(field): \(words)")
    }
  }

  @Test("Packets, drops, gaps, reconnects, alarms and clients are counted")
  func counters() {
    let lines = lines(
      #"{"event":"connected","time":"2026-11-21T05:11:00Z","address":"AA"}"#,
      #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"AA","characteristic":"00002a37-0000-1000-8000-00805f9b34fb","decoded":{"heart_rate_bpm":72}}"#,
      #"{"event":"disconnected","time":"2026-11-21T05:11:01Z","address":"AA"}"#,
      #"{"event":"reconnected","time":"2026-11-21T05:11:03Z","address":"AA","gap_seconds":2}"#,
      #"{"event":"alarm","time":"2026-11-21T05:11:03Z","address":"AA","when":"heart_rate_bpm > 60"}"#,
      #"{"event":"interrupted","time":"2026-11-21T05:12:40Z","reason":"off"}"#,
      #"{"event":"resumed","time":"2026-11-21T05:12:45Z","gap_seconds":4.5}"#,
      #"{"event":"dropped","time":"2026-11-21T05:12:45Z","count":12}"#)
    for line in [
      "blectl_heart_rate_bpm{address=\"AA\",source=\"2a37\"} 72.0",
      "blectl_device_packets_total{address=\"AA\"} 1.0",
      "blectl_device_reconnects_total{address=\"AA\"} 1.0",
      "blectl_device_disconnects_total{address=\"AA\"} 1.0",
      "blectl_device_link_gap_seconds_total{address=\"AA\"} 2.0",
      "blectl_device_connected{address=\"AA\"} 1.0",
      "blectl_alarm_active{address=\"AA\",when=\"heart_rate_bpm > 60\"} 1.0",
      "blectl_listening_gaps_total 1.0",
      "blectl_listening_gap_seconds_total 4.5", "blectl_listening 1.0", "blectl_dropped_records_total 12.0",
      "blectl_page_clients 2.0", "blectl_page_missed_records_total 3.0",
      "blectl_records_total{event=\"reconnected\"} 1.0",
      "blectl_build_info{version=\"1\",command=\"listen\"} 1.0",
    ] { #expect(lines.contains(line), "\(line)") }
  }

  @Test("A cleared alarm is 0, and a device that changes its name keeps its series")
  func changes() {
    func record(_ event: String, _ more: String) -> String {
      #"{"event":"\#(event)","time":"2026-11-21T05:11:03Z","address":"AA",\#(more)}"#
    }
    let lines = lines(
      record("value", #""name":"a","type":"t","decoded":{"temperature_celsius":1}"#),
      record("alarm", #""when":"t > 0""#), record("cleared", #""when":"t > 0""#),
      record("value", #""name":"b","type":"t","decoded":{"temperature_celsius":2}"#))
    #expect(lines.contains(#"blectl_alarm_active{address="AA",when="t > 0"} 0.0"#))
    #expect(
      lines.filter { $0.hasPrefix("blectl_temperature_celsius{") } == [
        #"blectl_temperature_celsius{address="AA",source="t"} 2.0"#
      ])
    #expect(
      lines.filter { $0.hasPrefix("blectl_device_info{") } == [
        #"blectl_device_info{address="AA",name="b"} 1.0"#
      ])
  }

  @Test("What two gateways hear of a device has their names as labels")
  func hosts() {
    func value(_ host: String, _ celsius: Double) -> String {
      #"{"event":"value","time":"2026-11-21T05:11:00Z","host":"\#(host)","address":"AA","type":"bthome","decoded":{"temperature_celsius":\#(celsius),"rssi_dbm":-76}}"#
    }
    let lines = lines(value("attic", 21.5), value("cellar", 12.5))
    for line in [
      "blectl_temperature_celsius{address=\"AA\",host=\"attic\",source=\"bthome\"} 21.5",
      "blectl_temperature_celsius{address=\"AA\",host=\"cellar\",source=\"bthome\"} 12.5",
      "blectl_device_rssi_dbm{address=\"AA\",host=\"attic\"} -76.0",
      "blectl_device_packets_total{address=\"AA\",host=\"cellar\"} 1.0",
    ] { #expect(lines.contains(line), "\(line)") }
  }

  @Test("Names from the air end neither a label nor a line")
  func hostile() {
    let lines = lines(
      #"{"event":"found","time":"2026-11-21T05:11:00Z","address":"AA","name":"a\"} 1\nevil 2\\","rssi":-50}"#)
    #expect(lines.contains(#"blectl_device_info{address="AA",name="a\"} 1\nevil 2\\"} 1.0"#))
    #expect(!lines.contains { $0.hasPrefix("evil") })
  }

  @Test("Names of fields become names of metrics, whatever they contain")
  func fields() {
    for (field, name) in [
      ("Größe_m", "gre_meters"), ("", "value"), ("a b\"{}\n_total", "ab_total_value"), ("x", "x_value"),
      ("__a__", "a_value"), ("current_a", "current_amperes"),
    ] { #expect(MetricUnit(field: field).name == name) }
  }

  @Test(
    "A field whose whole name is the symbol of a unit has none",
    arguments: ["n", "k", "s", "v", "m", "a", "ms"])
  func bareSymbols(_ name: String) {
    #expect(MetricUnit(field: name).name == "\(name)_value")
    #expect(MetricUnit(field: name).value(of: 7) == 7)
  }

  @Test("A hundredth or a thousandth of a number has no more digits than the number")
  func exactUnits() {
    #expect(MetricUnit(field: "battery_percent").value(of: 70) == 0.7)
    #expect(MetricUnit(field: "voltage_mv").value(of: 2917) == 2.917)
    #expect(abs(MetricUnit(field: "temperature_fahrenheit").value(of: 212) - 100) < 1e-9)
  }

  @Test("Values of devices that are missed or removed are left out")
  func absent() {
    let value =
      #"{"event":"value","time":"2026-11-21T05:11:00Z","address":"AA","type":"t","decoded":{"temperature_celsius":1}}"#
    #expect(lines(value).contains { $0.hasPrefix("blectl_temperature_celsius{") })
    for event in ["absent", "lost"] {
      let lines = lines(value, #"{"event":"\#(event)","time":"2026-11-21T05:21:00Z","address":"AA"}"#)
      #expect(!lines.contains { $0.hasPrefix("blectl_temperature_celsius{") }, "\(event)")
    }
  }
}
