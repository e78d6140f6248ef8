// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import JSON
@testable import TerminalOutput
@testable import ValueLogs
@testable import ValueStreams

@Suite("Records as messages")
struct BrokerRecordsTests {
  private struct Remark: Record {
    func write(to json: inout JSONWriter) { json.field("event", "remark") }
  }

  private func messages(of event: StreamEvent) -> [BrokerMessage] {
    var records = BrokerRecords(topic: "home/attic")
    return records.messages(of: event)
  }

  @Test("Each value is a message of its own: the line of --json, without its end")
  func values() {
    let event = SampleStream.values([[0, 60], [0, 61]])
    var lines: [UInt8] = []
    var json = EventJSON()
    json.append(event, to: &lines)
    let messages = messages(of: event)
    #expect(
      messages.map { String(decoding: $0.payload, as: UTF8.self) + "\n" }.joined().utf8.elementsEqual(lines))
    #expect(messages.map(\.topic) == Array(repeating: "home/attic/F0:F1:F2:F3:F4:F5/2a37", count: 2))
    #expect(messages.allSatisfy { !$0.isRetained })
  }

  @Test("The topic of a UUID without a short form has the long one")
  func longUUID() throws {
    let uuid = try #require(BluetoothUUID("12345678-1234-5678-1234-56789abcdef0"))
    let topic = messages(of: SampleStream.values([[1]], uuid: uuid)).first?.topic
    #expect(topic == "home/attic/F0:F1:F2:F3:F4:F5/12345678-1234-5678-1234-56789abcdef0")
  }

  @Test("Links stand under the device, drops under the topic itself")
  func links() {
    #expect(messages(of: SampleStream.lost("gone")).map(\.topic) == ["home/attic/F0:F1:F2:F3:F4:F5"])
    let dropped = StreamEvent.dropped(DroppedRecord(time: .now, count: 3))
    #expect(messages(of: dropped).map(\.topic) == ["home/attic"])
  }

  @Test("Events of a served device stand under the central, and the characteristic if there is one")
  func served() {
    #expect(messages(of: SampleStream.served(.connected)).map(\.topic) == ["home/attic/F0:F1:F2:F3:F4:F5"])
    #expect(
      messages(of: SampleStream.served(.read, [60])).map(\.topic) == ["home/attic/F0:F1:F2:F3:F4:F5/2a19"])
  }

  @Test("Records of scan and monitor stand under what they are about")
  func records() {
    let subjects: [(LoggedRecord.Subject, String)] = [
      (.device(SampleStream.address), "home/attic/F0:F1:F2:F3:F4:F5"), (.adapter("hci0"), "home/attic/hci0"),
      (.everything, "home/attic"),
      (.value(SampleStream.origin(), [0, 60]), "home/attic/F0:F1:F2:F3:F4:F5/2a37"),
    ]
    for (subject, topic) in subjects {
      let sent = messages(of: .record(LoggedRecord(Remark(), about: subject)))
      #expect(sent.map(\.topic) == [topic])
      #expect(sent.map { String(decoding: $0.payload, as: UTF8.self) } == [#"{"event":"remark"}"#])
    }
  }
}

@Suite("Notices to a broker")
struct BrokerNoticesTests {
  private func texts(_ notices: BrokerNotices) -> [String] {
    notices.messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
  }

  private let sensor = BrokerMessage.retained("homeassistant/x", Array("{}".utf8))

  @Test("A log is online from its greeting on, and offline at its end, after everything that waits")
  func states() {
    var notices = BrokerNotices(statusTopic: "ble/status")
    notices.greet([sensor])
    notices.announce([sensor])
    notices.end()
    #expect(
      texts(notices) == [
        "ble/status online", "homeassistant/x {}", "homeassistant/x {}", "ble/status offline",
      ])
    #expect(notices.messages.allSatisfy { $0.isRetained })
  }

  @Test("A log that ends before its first greeting, or is greeted again at its end, is offline and stays so")
  func lateGreeting() {
    var early = BrokerNotices(statusTopic: "ble/status")
    early.end()
    early.greet([sensor])
    #expect(texts(early) == ["ble/status offline"])
    var again = BrokerNotices(statusTopic: "ble/status")
    again.greet([])
    again.removeFirst()
    again.end()
    again.removeFirst()
    again.greet([sensor])
    #expect(texts(again) == ["ble/status offline"])
  }
}

@Suite("Announcements to Home Assistant")
struct HomeAssistantTests {
  private struct Remark: Record {
    func write(to json: inout JSONWriter) { json.field("event", "value") }
  }

  private static let thermometer: [UInt8] = [0x00, 0x6d, 0x01, 0x00, 0xff]  // 36.5 °C
  private let format = BrokerRecords(topic: "ble/attic")

  private func announced(_ events: StreamEvent...) -> [BrokerMessage] {
    var assistant = HomeAssistant()
    return events.flatMap { assistant.sensors(in: $0, format) }
  }

  @Test("A number with a unit is a sensor, with all that Home Assistant wants to know")
  func sensor() throws {
    let temperature = BluetoothUUID(short: 0x2a6e)
    let messages = announced(SampleStream.values([[0x34, 0x08]], uuid: temperature))
    #expect(messages.count == 1)
    let message = try #require(messages.first)
    #expect(message.isRetained)
    #expect(
      message.topic == "homeassistant/sensor/blectl_attic_f0f1f2f3f4f5_2a6e_temperature_celsius/config")
    #expect(
      String(decoding: message.payload, as: UTF8.self) == #"""
        {"name":"Temperature (attic)","unique_id":"blectl_attic_f0f1f2f3f4f5_2a6e_temperature_celsius",\#
        "state_topic":"ble/attic/F0:F1:F2:F3:F4:F5/2a6e",\#
        "value_template":"{{ value_json.decoded['temperature_celsius'] | is_defined }}",\#
        "unit_of_measurement":"°C","device_class":"temperature","state_class":"measurement",\#
        "availability_topic":"ble/attic/status","device":{"identifiers":["blectl_f0f1f2f3f4f5"],\#
        "connections":[["bluetooth","F0:F1:F2:F3:F4:F5"]],"name":"Strap, \"=1\""},\#
        "origin":{"name":"blectl"}}
        """#)
  }

  @Test("A sensor is announced once, and again only when the connection is new")
  func once() {
    var assistant = HomeAssistant()
    let event = SampleStream.values([[0, 60], [0, 61]])
    #expect(assistant.sensors(in: event, format).count == 1)
    #expect(assistant.sensors(in: event, format).isEmpty)
    #expect(assistant.all.count == 1)
    #expect(assistant.all.allSatisfy { $0.isRetained })
  }

  @Test("Each device has its own sensors, and a device without a name is called by its address")
  func devices() throws {
    let other = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F6"))
    let messages = announced(
      SampleStream.values([[0, 60]]),
      .values(SampleStream.batch([[0, 60]], of: SampleStream.origin(address: other, name: nil))))
    #expect(Set(messages.map(\.topic)).count == 2)
    #expect(String(decoding: messages[1].payload, as: UTF8.self).contains(#""name":"F0:F1:F2:F3:F4:F6""#))
  }

  @Test("A layout of one's own brings its numbers, by name and with their units")
  func own() throws {
    let view = ValueView(try ValueLayout(compact: "items=i16*0.01°C load=u16mV mode=u8"))
    let vocabulary = Vocabulary(
      Profiles([
        Profile(characteristics: [ProfileCharacteristic(uuid: BluetoothUUID(short: 0xffe1), name: "imu")])
      ]))
    let origin = ValueOrigin(
      address: SampleStream.address, name: "Mine",
      characteristic: SampleStream.characteristic(BluetoothUUID(short: 0xffe1)), transport: .signal,
      shownAs: view, in: vocabulary)
    let messages = announced(.values(SampleStream.batch([[0x34, 8, 0xb8, 0x0b, 1]], of: origin)))
    let texts = messages.map { String(decoding: $0.payload, as: UTF8.self) }
    try #require(texts.count == 2)
    #expect(texts[0].contains(#""name":"imu items (attic)""#))
    // A name that Python has for something else is no attribute of the object.
    #expect(texts[0].contains("{{ value_json.decoded['items_celsius'] | is_defined }}"))
    #expect(texts[1].contains(#""unit_of_measurement":"mV","device_class":"voltage""#))
  }

  @Test("A value without a unit, a number or a known meaning is not a sensor")
  func others() {
    #expect(announced(SampleStream.values([[1]], uuid: BluetoothUUID(short: 0xffe1))).isEmpty)
    #expect(announced(SampleStream.values([[65]], uuid: BluetoothUUID(short: 0x2a29))).isEmpty)
    #expect(announced(SampleStream.lost("gone"), SampleStream.served(.read, [60])).isEmpty)
  }

  @Test("A number that is unknown at first is announced when it is known")
  func unknown() {
    let humidity = BluetoothUUID(short: 0x2a6f)
    var assistant = HomeAssistant()
    #expect(assistant.sensors(in: SampleStream.values([[0xff, 0xff]], uuid: humidity), format).isEmpty)
    #expect(assistant.sensors(in: SampleStream.values([[0x88, 0x13]], uuid: humidity), format).count == 1)
  }

  @Test("Values that monitor sees are announced too")
  func monitored() {
    let record = LoggedRecord(Remark(), about: .value(SampleStream.origin(), [0, 60]))
    #expect(announced(.record(record)).map(\.topic).first?.contains("2a37_heart_rate_bpm") == true)
    #expect(announced(.record(LoggedRecord(Remark(), about: .everything))).isEmpty)
  }

  @Test(
    "Units have the classes of Home Assistant",
    arguments: [
      ("temperature_celsius", "°C", "temperature"), ("standard_deviation_celsius", "°C", nil),
      ("battery_level_percent", "%", "battery"), ("humidity_percent", "%", "humidity"),
      ("spo2_percent", "%", nil), ("co2_ppm", "ppm", "carbon_dioxide"), ("pressure_pa", "Pa", "pressure"),
      ("glucose_mg_per_dl", "mg/dL", "blood_glucose_concentration"), ("heart_rate_bpm", "bpm", nil),
      ("weight_kg", "kg", "weight"), ("mass_g", "g", "weight"), ("ax_g", "g", nil),
      ("battery_mv", "mV", "voltage"), ("voltage_v", "V", "voltage"),
    ])
  func classes(_ key: String, _ unit: String, _ name: String?) {
    let kind = SensorKind(key: key, unit: unit)
    #expect(kind.deviceClass == name)
    #expect(kind.stateClass == "measurement")
  }

  @Test("An amount of energy is not averaged")
  func energy() {
    #expect(SensorKind(key: "energy_kwh", unit: "kWh").stateClass == nil)
    #expect(SensorKind(key: "energy_kwh", unit: "kWh").deviceClass == "energy")
  }
}
