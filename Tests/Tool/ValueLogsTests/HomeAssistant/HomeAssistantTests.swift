// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import JSON
@testable import TerminalOutput
@testable import ValueLogs
@testable import ValueStreams

@Suite("Announcements to Home Assistant")
struct HomeAssistantTests {
  private struct Remark: Record {
    func write(to json: inout JSONWriter) { json.field("event", "value") }
  }

  private static let condition = "temperature_celsius > 25"

  private static func temperature(_ bytes: [UInt8] = [0x34, 0x08], name: String = "Hall") -> StreamEvent {
    SampleStream.values([bytes], uuid: BluetoothUUID(short: 0x2a6e), name: name)
  }

  @Test("A device has one announcement, with all that Home Assistant wants to know")
  func announcement() throws {
    let home = AnnouncedHome()
    home.hear(Self.temperature())
    home.wait()
    #expect(
      home.kept[AnnouncedHome.config] == #"""
        {"dev":{"ids":["blectl_f0f1f2f3f4f5"],"cns":[["bluetooth","F0:F1:F2:F3:F4:F5"]],"name":"Hall"},\#
        "o":{"name":"blectl","sw":"1.0"},"avty":[{"t":"ble/attic/status"}],"avty_mode":"all","cmps":{\#
        "2a6e_temperature_celsius":{"p":"sensor","name":"Temperature (attic)",\#
        "uniq_id":"blectl_attic_f0f1f2f3f4f5_2a6e_temperature_celsius","unit_of_meas":"°C",\#
        "dev_cla":"temperature","stat_cla":"measurement","sug_dsp_prc":1,\#
        "stat_t":"ble/attic/F0:F1:F2:F3:F4:F5/state/2a6e",\#
        "val_tpl":"{{ value_json.decoded.get('temperature_celsius') }}",\#
        "json_attr_t":"ble/attic/F0:F1:F2:F3:F4:F5/state/2a6e",\#
        "json_attr_tpl":"{{ {'time': value_json.time} | tojson }}"}}}
        """#)
    #expect(
      home.kept["\(AnnouncedHome.state)/2a6e"]
        == #"{"time":"2026-11-21T07:58:48.626505Z","decoded":{"temperature_celsius":21.00}}"#)
    #expect(home.published.allSatisfy { $0.isRetained })
  }

  @Test("A value with a wrong checksum changes no state")
  func wrongChecksum() throws {
    let layout = try ValueLayout(compact: "temp=i16*0.01°C crc16-ccitt")
    let origin = SampleStream.origin(BluetoothUUID(short: 0xfff1), shownAs: ValueView(layout))
    let home = AnnouncedHome()
    home.hear(.values(SampleStream.batch([[0x66, 0x08, 0x8b, 0x3d]], of: origin)))
    home.wait()
    home.hear(.values(SampleStream.batch([[0x99, 0x11, 0xff, 0xff]], of: origin)))
    home.wait()
    #expect(home.value("temp_celsius", at: "fff1") == "21.50")
  }

  @Test("What comes together is announced together, and what comes later once more")
  func gathering() {
    let home = AnnouncedHome()
    home.hear(Self.temperature())
    #expect(home.wait(.milliseconds(100)).isEmpty)
    home.hear(SampleStream.values([[0, 60]], name: "Hall"))
    #expect(home.wait(.milliseconds(300)).filter { $0.topic == AnnouncedHome.config }.count == 1)
    #expect(home.components().count == 2)
    home.hear(SampleStream.bthome("4002ca09"))
    // Home Assistant loses parts of announcements that follow each other at once.
    #expect(!home.wait(.seconds(1)).contains { $0.topic == AnnouncedHome.config })
    home.wait(.seconds(2))
    #expect(home.components().count == 4)
  }

  @Test("A state is published when a value changes, and otherwise once a minute")
  func states() {
    let home = AnnouncedHome()
    let topic = "\(AnnouncedHome.state)/bthome"
    home.hear(SampleStream.bthome("400001" + "02ca09", rssi: -60))
    home.wait()
    home.hear(SampleStream.bthome("400002" + "02ca09", rssi: -70))
    #expect(home.wait().isEmpty)
    #expect(home.wait(.seconds(60)).map(\.topic) == [topic])
    #expect(home.value("rssi_dbm", at: "bthome") == "-70")
    home.hear(SampleStream.bthome("400003" + "02cb09", rssi: -70))
    #expect(home.wait(.zero).map(\.topic) == [topic])
  }

  @Test("A clock that was ahead leaves no later time in the state")
  func clock() {
    let home = AnnouncedHome()
    home.hear(SampleStream.bthome("4002ca09", second: 86_400))
    home.wait()
    home.hear(SampleStream.bthome("4002cb09"))
    home.wait()
    let state = home.kept["\(AnnouncedHome.state)/bthome"]
    #expect(state?.hasPrefix(#"{"time":"2026-11-21T07:58:48.626505Z""#) == true)
  }

  @Test("Nothing is looked at before the time when something is to be published")
  func due() {
    let home = AnnouncedHome()
    home.wait(.zero)
    #expect(home.due == nil)
    home.hear(Self.temperature())
    #expect(home.due == .milliseconds(300))
    #expect(home.wait(.milliseconds(300)).count == 3)
    #expect(home.due == nil)
    home.hear(Self.temperature())
    #expect(home.due == .seconds(60))
    #expect(home.wait(.seconds(59)).isEmpty)
    #expect(home.due == .seconds(1))
    #expect(home.wait(.seconds(1)).count == 1)
    #expect(home.due == nil)
    home.hear(Self.temperature([0x98, 0x08]))
    #expect(home.due.map { $0 <= .zero } == true)
    #expect(home.wait(.zero).count == 1)
    // Those of strangers are looked at once a second: they may be heard without values.
    let other = AnnouncedHome(areChosen: false)
    other.hear(SampleStream.bthome("4002ca09"))
    other.wait(.zero)
    #expect(other.due == HomeAssistant.admissionPause)
    other.wait(HomeAssistant.probation)
    other.hear()
    #expect(other.wait(HomeAssistant.admissionPause).contains { $0.topic == AnnouncedHome.config })
  }

  @Test(
    "A word in the place of a number is unknown, and a number that is unknown at first is announced all the same"
  )
  func unknown() {
    let home = AnnouncedHome()
    home.hear(SampleStream.values([[0xff, 0xff]], uuid: BluetoothUUID(short: 0x2a6f)))
    home.wait()
    #expect(home.components()["2a6f_humidity_percent"]?["dev_cla"]?.string == "humidity")
    #expect(home.value("humidity_percent", at: "2a6f") == "null")
    home.hear(SampleStream.values([[0x88, 0x13]], uuid: BluetoothUUID(short: 0x2a6f)))
    home.wait()
    #expect(home.value("humidity_percent", at: "2a6f") == "50.00")
  }

  @Test("An alarm is off from the announcement on, and on while it lasts")
  func alarms() {
    let home = AnnouncedHome { $0.alarms = [.init(Self.condition, names: ["temperature_celsius"])] }
    let word = "alarm_temperature_celsius_-3e_25"
    home.hear(Self.temperature())
    home.wait()
    #expect(home.components()[word]?["uniq_id"]?.string == "blectl_attic_f0f1f2f3f4f5_\(word)")
    #expect(home.components()[word]?["name"]?.string == "\(Self.condition) (attic)")
    #expect(home.state()?.contains("\"alarms\":{\"\(word)\":false}") == true)
    home.hear(SampleStream.alarm(.alarm, Self.condition))
    home.wait(.zero)
    #expect(home.state()?.contains("\"\(word)\":true") == true)
    home.hear(SampleStream.alarm(.cleared, Self.condition))
    home.wait(.zero)
    #expect(home.state()?.contains("\"\(word)\":false") == true)
    // Another one has nothing to do with this device.
    let other = AnnouncedHome { $0.alarms = [.init("heart_rate_bpm > 60", names: ["heart_rate_bpm"])] }
    other.hear(Self.temperature())
    other.wait()
    #expect(other.components().count == 1)
  }

  @Test("An alarm for one device is not announced for others, also if the name of a device comes late")
  func alarmsOfOne() {
    let home = AnnouncedHome {
      $0.alarms = [.init(Self.condition, names: ["temperature_celsius"]) { $0.name == "Hall" }]
    }
    home.hear(Self.temperature(name: "Attic"))
    home.wait()
    #expect(home.components().count == 1)
    #expect(home.state()?.contains("alarm_") == false)
    home.hear(Self.temperature(name: "Hall"))
    home.wait()
    #expect(home.components()["alarm_temperature_celsius_-3e_25"] != nil)
  }

  @Test("With --absent, a device that is away has no values, but its presence and its alarms")
  func absence() {
    let home = AnnouncedHome { $0.watchesAbsence = true }
    home.hear(Self.temperature())
    home.wait()
    #expect(home.components()["presence"]?["avty"]?.elements?.count == 1)
    #expect(home.announcement()?["avty"]?.elements?.count == 2)
    #expect(home.state() == #"{"availability":"online","presence":true,"alarms":{}}"#)
    home.hear(SampleStream.absence(.absent))
    home.wait(.zero)
    #expect(home.state() == #"{"availability":"offline","presence":false,"alarms":{}}"#)
    home.hear(SampleStream.absence(.returned))
    home.wait(.zero)
    #expect(home.state()?.contains("\"presence\":true") == true)
  }

  @Test("A name that is heard late corrects the announcement")
  func lateName() {
    let home = AnnouncedHome()
    home.hear(SampleStream.advertised(.service(BTHome.service, [0x40, 0x02, 0xca, 0x09]), name: nil))
    home.wait()
    #expect(home.announcement()?["dev"]?["name"]?.string == "F0:F1:F2:F3:F4:F5")
    home.hear(SampleStream.bthome("4002cb09"))
    home.wait()
    #expect(home.announcement()?["dev"]?["name"]?.string == "Garden")
  }

  @Test("Entities have the names that a person would choose, and several of one name more words")
  func names() {
    let home = AnnouncedHome(topic: "ble")
    let config = "homeassistant/device/blectl_f0f1f2f3f4f5/config"
    home.hear(SampleStream.bthome("400164" + "02ca09" + "08ca09" + "0d0c00" + "400c00" + "410c00"))
    home.wait()
    #expect(
      home.names(config) == [
        "Temperature", "Dew point", "Battery", "PM2.5", "Distance (mm)", "Distance (m)", "Signal strength",
      ])
    home.hear(SampleStream.values([[0x34, 0x08]], uuid: BluetoothUUID(short: 0x2a6e)))
    home.wait()
    #expect(home.names(config).isSuperset(of: ["BTHome temperature", "Temperature"]))
  }

  @Test("Two characteristics with one UUID are two entities, and have states of their own")
  func twins() {
    let home = AnnouncedHome()
    for (handle, byte) in [(7, 8), (11, 9)] as [(UInt16, UInt8)] {
      let characteristic = GATTCharacteristic(
        path: "/c", devicePath: "/d", uuid: BluetoothUUID(short: 0x2a6e), service: .heartRate, handle: handle,
        properties: [.notify], mtu: nil, descriptors: [])
      let origin = ValueOrigin(
        address: SampleStream.address, name: "Twin", characteristic: characteristic, transport: .signal,
        hasTwin: true)
      home.hear(.values(SampleStream.batch([[0x34, byte]], of: origin)))
    }
    home.wait()
    #expect(home.names() == ["Temperature @0007 (attic)", "Temperature @000b (attic)"])
    #expect(home.value("temperature_celsius", at: "2a6e_0007") == "21.00")
    #expect(home.value("temperature_celsius", at: "2a6e_000b") == "23.56")
  }

  @Test(
    "The word for a source or a key is always the same, and different from those of others",
    arguments: [
      ("2a6e", "2a6e"), ("12345678-1234-5678-1234-56789abcdef0", "12345678123456781234" + "56789abcdef0"),
      ("eddystone-tlm", "eddystonetlm"), ("our-ad", "our-2dad"), ("日本", "-e6-97-a5-e6-9c-ac"), ("a_b", "a_b"),
    ])
  func words(text: String, word: String) {
    #expect(HomeAssistantGateway.word(text) == word)
  }

  @Test("Yes and no, states and presses are entities of their kinds; counters of packets and names are none")
  func kinds() {
    let home = AnnouncedHome()
    home.hear(SampleStream.bthome("400005" + "1a01" + "3a01"))
    let messages = home.wait()
    let components = home.components()
    #expect(components.keys.sorted() == ["bthome_button", "bthome_door", "bthome_rssi_dbm"])
    #expect(components["bthome_door"]?["dev_cla"]?.string == "door")
    #expect(home.value("door", at: "bthome") == "true")
    #expect(components["bthome_button"]?["p"]?.string == "event")
    #expect(components["bthome_rssi_dbm"]?["ent_cat"]?.string == "diagnostic")
    // Home Assistant does not listen yet.
    #expect(!messages.contains { !$0.isRetained })
    let event = home.wait(.seconds(2)).filter { !$0.isRetained }
    #expect(event.map(\.topic) == ["ble/attic/F0:F1:F2:F3:F4:F5/event/bthome/button"])
    #expect(
      event.map { String(decoding: $0.payload, as: UTF8.self) } == [
        #"{"event_type":"press","time":"2026-11-21T07:58:48.626505Z"}"#
      ])
    home.hear(SampleStream.bthome("400006" + "1a01" + "3a00"))
    #expect(!home.wait().contains { !$0.isRetained })
  }

  @Test("A dimmer turns by any number of steps", arguments: [(Int.min, Int.max), (-3, 3), (4, 4)])
  func steps(value: Int, steps: Int) {
    let event = EventKind("dimmer")?.type(of: .integer(value))
    #expect(event?.word == (value < 0 ? "rotate left" : "rotate right"))
    #expect(event?.steps == steps)
  }

  @Test("Each new connection, and the birth of Home Assistant, have everything again")
  func again() {
    let home = AnnouncedHome()
    home.hear(Self.temperature())
    let first = home.wait()
    #expect(home.wait().isEmpty)
    home.greet()
    #expect(Set(home.wait().map(\.topic)) == Set(first.map(\.topic)))
    home.receive("homeassistant/status", "online", isRetained: false)
    #expect(Set(home.wait().map(\.topic)) == Set(first.map(\.topic)))
    home.receive("homeassistant/status", "offline", isRetained: false)
    #expect(home.wait().isEmpty)
  }

  @Test("Averages update the values; their extremes are entities of their own")
  func averages() {
    let home = AnnouncedHome()
    home.hear(
      SampleStream.values([[0x34, 0x08]], uuid: BluetoothUUID(short: 0x2a6e)), SampleStream.average())
    home.wait()
    #expect(
      home.components().keys.sorted() == ["2a6e_minimum_temperature_celsius", "2a6e_temperature_celsius"])
    #expect(home.names() == ["Temperature (attic)", "Minimum temperature (attic)"])
    #expect(home.value("temperature_celsius", at: "2a6e") == "21.533")
  }

  @Test("Values that monitor sees are announced when they have been heard for a minute")
  func monitored() {
    let home = AnnouncedHome(areChosen: false)
    let record = LoggedRecord(Remark(), about: .value(SampleStream.origin(), [0, 60]))
    for _ in 0..<7 {
      home.hear(.record(record))
      home.wait(.seconds(10))
    }
    #expect(home.components()["2a37_heart_rate_bpm"] != nil)
  }
}
