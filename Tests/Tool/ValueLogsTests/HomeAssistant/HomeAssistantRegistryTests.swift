// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import JSON
@testable import ValueLogs
@testable import ValueStreams

@Suite("The registry of Home Assistant")
struct HomeAssistantRegistryTests {
  private static let topic = "homeassistant/device/blectl_attic_f0f1f2f3f4f5/config"

  private static func address(_ number: Int, first: UInt8 = 0xc0) throws -> BluetoothAddress {
    try #require(BluetoothAddress(bytes: [first, 0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff)]))
  }

  private static func value(_ address: BluetoothAddress) -> StreamEvent {
    SampleStream.advertised(.service(BTHome.service, [0x40, 0x02, 0xca, 0x09]), address: address)
  }

  @Test("A stranger is announced when it has been heard for a minute, also if its values do not change")
  func probation() {
    let home = AnnouncedHome(areChosen: false)
    home.hear(SampleStream.bthome("4002ca09"))
    for _ in 0..<11 {
      #expect(home.wait(.seconds(5)).isEmpty)
      home.hear()
    }
    home.wait(.seconds(5))
    home.hear()
    // Those without new values are looked at once a second.
    #expect(home.wait(.seconds(1)).contains { $0.topic == Self.topic })
    #expect(home.value("temperature_celsius", at: "bthome") == "25.06")
  }

  @Test("A stranger that passes twice has not been heard for a minute")
  func passing() {
    let home = AnnouncedHome(areChosen: false)
    home.hear(SampleStream.bthome("4002ca09"))
    home.wait(.seconds(3600))
    home.hear(SampleStream.bthome("4002cb09"))
    #expect(home.wait().isEmpty)
  }

  @Test("Devices that change their addresses are never announced, however long they are heard")
  func privateAddresses() throws {
    let home = AnnouncedHome(areChosen: false)
    for number in 0..<300 {
      let address = try Self.address(number, first: 0x44)
      home.hear(Self.value(address), from: address, isPrivate: true)
    }
    for number in 0..<300 { home.hear(from: try Self.address(number, first: 0x44), isPrivate: true) }
    #expect(home.wait(.seconds(120)).isEmpty)
    #expect(home.sightings[try Self.address(1, first: 0x44)] == nil)
  }

  @Test("No more devices are announced than the limit says, and those go on")
  func limit() throws {
    let home = AnnouncedHome { $0.limit = 3 }
    for number in 0..<5 {
      let address = try Self.address(number)
      home.hear(Self.value(address), from: address)
    }
    #expect(home.wait().filter { $0.topic.hasSuffix("/config") }.count == 3)
    home.hear(Self.value(try Self.address(0)), from: try Self.address(0))
    #expect(home.wait(.seconds(60)).filter { $0.topic.hasSuffix("/config") }.isEmpty)
  }

  /// What a process leaves at the broker.
  private static func left(
    _ events: StreamEvent..., with change: (inout HomeAssistantSettings) -> Void
  ) -> [String: String] {
    let home = AnnouncedHome(change)
    for event in events { home.hear(event) }
    home.wait()
    return home.kept
  }

  @Test(
    "A new process says that the alarms and the presence of an earlier one are unknown, until the device is heard"
  )
  func restart() throws {
    let alarms = [HomeAssistantSettings.Alarm("temperature_celsius > 25", names: ["temperature_celsius"])]
    let change = { (settings: inout HomeAssistantSettings) in
      (settings.alarms, settings.watchesAbsence) = (alarms, true)
    }
    let kept = Self.left(
      SampleStream.bthome("4002ca09"), SampleStream.alarm(.alarm, alarms[0].condition), with: change)
    #expect(kept[AnnouncedHome.state]?.contains("true}") == true)
    let home = AnnouncedHome(change)
    home.receive(Self.topic, try #require(kept[Self.topic]))
    home.wait()
    let word = "alarm_temperature_celsius_-3e_25"
    #expect(home.state() == "{\"availability\":\"offline\",\"presence\":null,\"alarms\":{\"\(word)\":null}}")
    home.hear(SampleStream.bthome("4002cb09"))
    home.wait()
    #expect(home.state() == "{\"availability\":\"online\",\"presence\":true,\"alarms\":{\"\(word)\":false}}")
  }

  @Test("What another command line had announced is removed; values that have not come yet stay")
  func outdated() throws {
    let kept = Self.left(SampleStream.bthome("4002ca09" + "0164")) { settings in
      settings.alarms = [.init("temperature_celsius > 25", names: ["temperature_celsius"])]
      settings.watchesAbsence = true
    }
    let earlier = try #require(kept[Self.topic])
    let home = AnnouncedHome()
    home.receive(Self.topic, earlier)
    home.wait()
    for heard in [false, true] {
      if heard {
        home.hear(SampleStream.bthome("4002ca09"))
        home.wait()
      }
      let components = home.components()
      #expect(components["presence"]?.members?.map(\.key) == ["p"])
      #expect(components["alarm_temperature_celsius_-3e_25"]?.members?.map(\.key) == ["p"])
      #expect(components["bthome_battery_percent"]?["uniq_id"] != nil)
      #expect(components["bthome_temperature_celsius"]?["uniq_id"] != nil)
    }
  }

  @Test("An alarm that an earlier process has announced for another device than its own is removed")
  func alarmOfAnother() throws {
    let condition = "temperature_celsius > 25"
    let kept = Self.left(SampleStream.bthome("4002ca09")) { settings in
      settings.alarms = [.init(condition, names: ["temperature_celsius"])]
    }
    for isOwn in [true, false] {
      let home = AnnouncedHome { settings in
        settings.alarms = [.init(condition, names: ["temperature_celsius"]) { _ in isOwn }]
      }
      home.receive(Self.topic, try #require(kept[Self.topic]))
      home.hear(SampleStream.bthome("4002ca09"))
      home.wait()
      let keys = home.components()["alarm_temperature_celsius_-3e_25"]?.members?.map(\.key)
      #expect((keys == ["p"]) == !isOwn)
    }
  }

  @Test("--home-assistant-clean removes what is not announced within two minutes, and nothing of others")
  func cleaning() throws {
    let kept = Self.left(SampleStream.bthome("4002ca09")) { _ in }
    let earlier = try #require(kept[Self.topic])
    let other = earlier.replacing("ble/attic/status", with: "ble/cellar/status")
    for cleans in [true, false] {
      let home = AnnouncedHome { $0.cleans = cleans }
      home.receive(Self.topic, earlier)
      home.receive("homeassistant/device/blectl_cellar_f0f1f2f3f4f5/config", other)
      home.receive("homeassistant/sensor/zigbee/config", #"{"unique_id":"x","availability_topic":"z"}"#)
      home.wait(.seconds(119))
      #expect(home.kept[Self.topic] == nil)
      home.wait(.seconds(2))
      #expect(home.kept[Self.topic] == (cleans ? "" : nil))
      #expect(home.kept["\(AnnouncedHome.state)/bthome"] == (cleans ? "" : nil))
      #expect(home.kept.keys.allSatisfy { $0 == Self.topic || $0.hasPrefix(AnnouncedHome.state) })
      #expect(home.wait(.seconds(500)).isEmpty)
    }
    let home = AnnouncedHome { $0.cleans = true }
    home.receive(Self.topic, earlier)
    home.hear(SampleStream.bthome("4002ca09"))
    home.wait(.seconds(200))
    #expect(home.kept[Self.topic]?.isEmpty == false)
  }

  @Test("A log that ends before two minutes removes at its end, if it knows what was announced")
  func cleaningAtEnd() throws {
    let earlier = try #require(Self.left(SampleStream.bthome("4002ca09")) { _ in }[Self.topic])
    for isToldBack in [true, false] {
      let home = AnnouncedHome { $0.cleans = true }
      home.receive(Self.topic, earlier)
      home.wait(.seconds(10))
      #expect(home.end(isToldBack: isToldBack) == !isToldBack)
      #expect(home.kept[Self.topic] == (isToldBack ? "" : nil))
    }
    let heard = AnnouncedHome { $0.cleans = true }
    heard.receive(Self.topic, earlier)
    heard.hear(SampleStream.bthome("4002ca09"))
    #expect(!heard.end(isToldBack: true))
    #expect(heard.kept[Self.topic]?.isEmpty == false)
  }

  @Test("What another process has overwritten is published again")
  func renewal() {
    let home = AnnouncedHome()
    home.hear(SampleStream.bthome("4002ca09"))
    let first = Set(home.wait().map(\.topic))
    #expect(home.wait().isEmpty)
    home.renew()
    #expect(Set(home.wait().map(\.topic)) == first)
  }

  @Test("What was lost with a connection comes over the next one, when the broker tells again what it has")
  func newConnection() throws {
    let condition = "temperature_celsius > 25"
    let change = { (settings: inout HomeAssistantSettings) in
      settings.alarms = [.init(condition, names: ["temperature_celsius"])]
    }
    let kept = Self.left(
      SampleStream.bthome("4002ca09"), SampleStream.alarm(.alarm, condition), with: change)
    let home = AnnouncedHome(change)
    for _ in 0..<2 {
      home.greet()
      home.receive(Self.topic, try #require(kept[Self.topic]))
    }
    #expect(home.wait(.zero).map(\.topic) == [AnnouncedHome.state])
    #expect(home.state()?.contains("null}") == true)
  }

  @Test("What is removed after an outage is what the broker has over the new connection")
  func cleaningAfterOutage() throws {
    let kept = Self.left(SampleStream.bthome("4002ca09")) { _ in }
    let home = AnnouncedHome { $0.cleans = true }
    home.receive(Self.topic, try #require(kept[Self.topic]))
    home.wait(.seconds(119))
    home.greet()
    home.wait(HomeAssistant.tellingTime - .seconds(1))
    #expect(home.kept[Self.topic] == nil)
    home.receive(Self.topic, try #require(kept[Self.topic]))
    home.wait(.seconds(1))
    #expect(home.kept[Self.topic] == "")
  }

  @Test("The entities that earlier versions announced one by one become those of the device")
  func migration() throws {
    let name = "blectl_attic_f0f1f2f3f4f5_bthome_temperature_celsius"
    let single = "homeassistant/sensor/\(name)/config"
    let home = AnnouncedHome()
    // Over each connection, the broker tells it again.
    for _ in 0..<2 {
      home.greet()
      home.receive(
        single,
        #"""
        {"name":"BTHome (attic)","unique_id":"\#(name)","availability_topic":"ble/attic/status",\#
        "device":{"identifiers":["blectl_f0f1f2f3f4f5"]},"origin":{"name":"blectl"}}
        """#)
      home.wait()
    }
    home.hear(SampleStream.bthome("4002ca09"))
    let messages = home.wait().filter { $0.topic.hasSuffix("/config") }
    #expect(messages.map(\.topic) == [single, Self.topic, single])
    #expect(
      messages.map { String(decoding: $0.payload, as: UTF8.self) }.enumerated().allSatisfy {
        $0.offset == 1 || $0.element == ["{\"migrate_discovery\":true}", "", ""][$0.offset]
      })
    #expect(home.components()["bthome_temperature_celsius"]?["uniq_id"]?.string == name)
  }

  @Test("What is no announcement is passed over")
  func garbage() {
    let home = AnnouncedHome { $0.cleans = true }
    for payload in ["", "{", "[]", "null", #"{"o":{"name":"blectl"}}"#, #"{"dev":1,"o":2,"cmps":3}"#] {
      home.receive(Self.topic, payload)
    }
    #expect(home.wait(.seconds(200)).isEmpty)
  }
}
