// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BLEFormats
@testable import ValueStreams

@Suite("Vocabulary")
struct VocabularyTests {
  private static let imu = BluetoothUUID(short: 0xffe1)
  private static let mode = BluetoothUUID(short: 0xffe2)
  private static let service = BluetoothUUID(short: 0xffe0)

  /// `imu` everywhere, `mode` in one service of one device, and something else with its UUID on another device.
  private static func vocabulary() throws -> Vocabulary {
    Vocabulary(
      Profiles([
        Profile(
          services: [ProfileService(uuid: service, name: "Motion")],
          characteristics: [
            ProfileCharacteristic(
              uuid: imu, name: "imu", layout: try ValueLayout(compact: "ax=i16*0.01m/s²")),
            ProfileCharacteristic(
              uuid: mode, service: service, device: "Scale*", name: "Scale mode",
              layout: try ValueLayout(compact: "u8")),
          ],
          descriptors: [
            ProfileCharacteristic(
              uuid: BluetoothUUID(short: 0xffd1), name: "interval", layout: try ValueLayout(compact: "u16ms"))
          ])
      ]))
  }

  @Test("The layout and the name of an attribute depend on its service and its device")
  func found() throws {
    let vocabulary = try Self.vocabulary()
    let scale = ProfileSubject(address: nil, name: "Scale 7")
    let mine = AttributeIdentity(found: Self.mode, in: Self.service, of: scale)
    #expect(vocabulary.name(of: mine) == "Scale mode")
    #expect(vocabulary.layout(of: mine)?.shownKeys == ["value"])
    let elsewhere = AttributeIdentity(found: Self.mode, in: .heartRate, of: scale)
    #expect(vocabulary.name(of: elsewhere) == nil && vocabulary.layout(of: elsewhere) == nil)
    let other = AttributeIdentity(
      found: Self.mode, in: Self.service, of: ProfileSubject(address: nil, name: "Strap"))
    #expect(vocabulary.name(of: other) == nil)
  }

  @Test("On the command line, where service and device are unknown, the only entry is meant")
  func written() throws {
    let vocabulary = try Self.vocabulary()
    #expect(vocabulary.layout(of: AttributeIdentity(Self.mode))?.shownKeys == ["value"])
    let partly = AttributeIdentity(Self.mode, of: ProfileSubject(address: nil, name: "cale"))
    #expect(vocabulary.layout(of: partly)?.shownKeys == ["value"])
    #expect(vocabulary.layout(of: AttributeIdentity(Self.mode, in: .heartRate)) == nil)
  }

  @Test("What is published stays known, and descriptors are apart from characteristics")
  func published() throws {
    let vocabulary = try Self.vocabulary()
    #expect(vocabulary.layout(of: AttributeIdentity(.heartRateMeasurement))?.shownKeys.count == 4)
    #expect(vocabulary.name(of: AttributeIdentity(.batteryLevel)) == "Battery Level")
    let interval = BluetoothUUID(short: 0xffd1)
    #expect(vocabulary.name(of: AttributeIdentity(interval)) == nil)
    #expect(vocabulary.name(of: AttributeIdentity(interval, isDescriptor: true)) == "interval")
    #expect(vocabulary.layout(of: AttributeIdentity(interval, isDescriptor: true))?.shownKeys == ["value_ms"])
    #expect(vocabulary.name(ofService: .heartRate) == "Heart Rate")
    #expect(vocabulary.ownName(ofService: Self.service) == "Motion")
    #expect(vocabulary.ownName(ofService: BluetoothUUID(short: 0xfe9f)) == nil)
  }

  @Test("Names of profiles are found before published ones, with other cases and hyphens")
  func names() throws {
    let vocabulary = try Self.vocabulary()
    #expect(vocabulary.uuids(named: "IMU", kinds: [.characteristic]) == [Self.imu])
    #expect(vocabulary.uuids(named: "scale-mode", kinds: [.characteristic]) == [Self.mode])
    #expect(vocabulary.uuids(named: "motion", kinds: AssignedNumbers.serviceKinds) == [Self.service])
    #expect(vocabulary.uuids(named: "battery-level", kinds: [.characteristic]) == [.batteryLevel])
    #expect(vocabulary.uuids(named: "imu", kinds: AssignedNumbers.serviceKinds).isEmpty)
    #expect(vocabulary.kind(named: "imu")?.kind == .characteristic)
    #expect(vocabulary.suggestions(for: "scal-mode", kinds: [.characteristic]).first == "scale-mode")
    for part in ["scale", "Mode"] {
      #expect(vocabulary.suggestions(for: part, kinds: [.characteristic]).first == "scale-mode")
    }
    #expect(vocabulary.suggestions(for: "im", kinds: [.characteristic]).first == "imu")
    let completed = vocabulary.names(beginning: "scale", [.characteristic]).map(\.name)
    #expect(completed.first == "scale-mode")
    #expect(vocabulary.names(beginning: "mot", [.characteristic]).allSatisfy { $0.name != "motion" })
  }
}

@Suite("Views of values")
struct ValueViewTests {
  @Test(
    "Numbers and texts of which nothing is known are one field",
    arguments: [
      ("u16", "0100", "value=1"), ("u16", "01000200", "value=1 2"), ("f32", "0000003f", "value=0.5"),
      ("utf8", "6869", "value=hi"), ("u64", "ffffffffffffffff", "value=18446744073709551615"),
      ("u16", "01", nil), ("u16", "", nil), ("hex", "01", nil), ("auto", "01", nil),
    ] as [(String, String, String?)])
  func plain(_ format: String, _ digits: String, _ text: String?) throws {
    let view = ValueView(try ValueFormat(parsing: format))
    let fields = view.meaning(insteadOf: nil)?.decode(try #require(Hex.bytes(digits)))
    #expect(fields.map { $0.fields.map { "\($0.key)=\($0.value.text)" }.joined() } == text)
  }

  @Test("A known meaning stays beside a format, and a layout replaces it")
  func known() throws {
    let known = ValueMeaning(of: AttributeIdentity(.batteryLevel))
    #expect(
      ValueView(try ValueFormat(parsing: "u8")).meaning(insteadOf: known)?.keys == ["battery_level_percent"])
    let layout = ValueView(try ValueLayout(compact: "level=u8"))
    #expect(layout.meaning(insteadOf: known)?.keys == ["level"])
  }

  @Test("The variable of a script has the value of the only field, or all fields by name")
  func variables() throws {
    #expect(ValueView(try ValueLayout(compact: "i16*0.5°C")).text(of: [3, 0]) == "1.5")
    #expect(ValueView(try ValueLayout(compact: "a=u8 b=u8")).text(of: [3, 4]) == "a=3 b=4")
    #expect(ValueView(.hex).text(of: [3, 4]) == "0304")
  }
}
