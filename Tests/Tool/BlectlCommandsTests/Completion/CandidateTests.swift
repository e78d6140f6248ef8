// SPDX-License-Identifier: MIT
import ArgumentParser
import BlueZClient
import DBus
import Testing

@testable import BlectlArguments
@testable import BlectlCommands

@Suite("Completion")
struct CandidateTests {
  @Test(
    "A name that a shell would run, or that harms a terminal, is not offered",
    arguments: [
      "$(reboot)", "`reboot`", "${IFS}", "a;b", "a|b", "a&b", "a>b", "~root", "a\\b", "'a", "\"a", "a\nb",
      "a\tb",
      "\u{1b}[31m", "\u{202e}a", "a*", "a?", "[a]", "{a,b}", "#a", "!a", "-rf", "",
    ])
  func harmful(_ name: String) {
    #expect(!Candidate(name).isHarmless)
  }

  @Test("Ordinary names are offered", arguments: ["MI Band 2", "Ünïcode 心拍", "TY-01_a.b", "a+b@c"])
  func harmless(_ name: String) {
    #expect(Candidate(name).isHarmless)
  }

  @Test("Each shell gets what it understands")
  func shells() {
    let candidate = Candidate("F0:F1:F2:F3:F4:F5", about: "Strap\n")
    #expect(candidate.text(for: .bash) == "F0-F1-F2-F3-F4-F5")
    #expect(Candidate("Sensor:1").text(for: .bash) == nil)
    #expect(Candidate("Sensor 1").text(for: .bash) == "Sensor 1")
    #expect(candidate.text(for: .zsh) == "F0\\:F1\\:F2\\:F3\\:F4\\:F5:Strap\\n")
    #expect(candidate.text(for: .fish) == "F0:F1:F2:F3:F4:F5\tStrap\\n")
  }

  private static let path = "/org/bluez/hci0/dev_F0_F1_F2_F3_F4_F5"

  private func known(connected: Bool) -> KnownObjects {
    func object(_ path: String, _ interface: String, _ properties: [(String, DBusValue)]) -> DBusValue.Entry {
      let interfaces = DBusValue.dictionary(
        key: "s", value: "a{sv}", [.init(.string(interface), .properties(properties))])
      return .init(.objectPath(path), interfaces)
    }
    let device: [(String, DBusValue)] = [
      ("Address", .string("F0:F1:F2:F3:F4:F5")), ("Name", .string("Heart Strap")),
      ("Connected", .boolean(connected)),
    ]
    let service = Self.path + "/service000e"
    let objects = DBusValue.dictionary(
      key: "o", value: "a{sa{sv}}",
      [
        object("/org/bluez/hci0", "org.bluez.Adapter1", []), object(Self.path, "org.bluez.Device1", device),
        object(service, "org.bluez.GattService1", [("Device", .objectPath(Self.path))]),
        object(
          service + "/char000f", "org.bluez.GattCharacteristic1",
          [
            ("UUID", .string("00002a19-0000-1000-8000-00805f9b34fb")), ("Service", .objectPath(service)),
          ]),
        object("/org/bluez/hci0/dev_x", "org.bluez.Device1", [("Address", .uint32(1))]),
      ])
    var model = ObjectModel()
    model.replace(with: Message(signal: "Test", of: "org.example.Test", at: "/") { $0.value(objects) }.body)
    return KnownObjects(model)
  }

  @Test("Devices are offered by name and by address")
  func devices() {
    #expect(known(connected: false).adapters == ["hci0"])
    #expect(
      LiveCompletion.devices(known(connected: true)).map(\.word) == ["Heart Strap", "F0:F1:F2:F3:F4:F5"])
    #expect(LiveCompletion.devices(nil).isEmpty)
  }

  @Test(
    "Characteristics are those of the connected device on the line",
    arguments: [("Heart Strap", true), ("f0-f1-f2-f3-f4-f5", true), ("Piano", false)])
  func characteristics(_ device: String, _ isFound: Bool) {
    let words = ["blectl", "read", device, ""]
    let offered = LiveCompletion.characteristics(known(connected: true), words).map(\.word)
    #expect(offered == (isFound ? ["battery-level"] : []))
    #expect(LiveCompletion.characteristics(known(connected: false), words).isEmpty)
  }

  @Test(
    "Behind the colon of a pair, the characteristics are those of its device",
    arguments: [
      ("Heart Strap:", ["Heart Strap:battery-level"]),
      ("F0:F1:F2:F3:F4:F5:", ["F0:F1:F2:F3:F4:F5:battery-level"]),
      ("Lamp:body-sensor", ["Lamp:body-sensor-location"]),
      ("F0:F1:F2:F3:F4:F", []), ("Heart", []), (":b", []),
    ])
  func pairs(_ prefix: String, _ offered: [String]) {
    let known = known(connected: true)
    let words = ["blectl", "subscribe", prefix]
    #expect(LiveCompletion.pairs(known, words, prefix).map(\.word) == offered)
    #expect(LiveCompletion.pairs(known, ["blectl", "info", prefix], prefix).isEmpty)
  }
}
