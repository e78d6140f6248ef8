// SPDX-License-Identifier: MIT
import BLECentral
import BLEFormats
import BlectlArguments
import TestSupport
import Testing
import ValueStreams

@testable import BlectlCommands

/// What a table of `listen` takes, made by hand.
enum ListenSample {
  static let start = ContinuousClock.now

  static func address(_ number: UInt8) -> BluetoothAddress {
    guard let address = BluetoothAddress("C0:00:00:00:00:\(Hex.string([number]))") else {
      preconditionFailure("an address")
    }
    return address
  }

  /// A packet in a format of services; `fields` are numbers without decimals, by key and unit.
  static func values(
    _ number: UInt8, _ name: String?, _ fields: [(key: String, value: Int, unit: String)], rssi: Int? = -60,
    type: UInt16 = 0xfcd2, problems: [String] = []
  ) -> StreamEvent {
    var decoded = DecodedFields()
    for field in fields { decoded.add(field.key, .integer(field.value), unit: field.unit) }
    if let rssi { decoded.add("rssi_dbm", .integer(rssi), label: "RSSI", unit: "dBm") }
    decoded.problems = problems
    return packet(number, name, decoded, type: type)
  }

  static func packet(
    _ number: UInt8, _ name: String?, _ decoded: DecodedFields?, type: UInt16 = 0xfcd2, bytes: [UInt8] = [1]
  ) -> StreamEvent {
    let data = AdvertisedData.service(BluetoothUUID(short: type), bytes)
    let origin = ValueOrigin(
      address: address(number), name: name, advertisement: ValueAdvertisement(data, format: nil))
    let value = ReceivedValue(bytes, at: Timestamp(seconds: 1_795_248_000, nanoseconds: 0))
    return .values(ValueBatch([value], decoded: [decoded], of: origin))
  }

  static func alarm(_ event: AlarmRecord.Event, _ number: UInt8, _ condition: String) -> StreamEvent {
    .alarm(
      AlarmRecord(
        event, time: .now, address: address(number), name: nil, condition: condition, seconds: 0,
        decoded: DecodedFields()))
  }

  static func absence(
    _ event: AbsenceRecord.Event, _ number: UInt8?, name: String? = nil
  ) -> StreamEvent {
    .absence(
      AbsenceRecord(
        event, time: .now, address: number.map(address), name: name, last: nil, silence: 60))
  }
}

@Suite("The board of listen")
struct ListenBoardTests {
  private let start = ListenSample.start
  private var board = ListenBoard()

  private mutating func take(_ events: StreamEvent...) {
    for event in events { board.take(event, at: start) }
  }

  private mutating func titles() -> [String] { board.ranked().map(\.title) }

  private func values(of number: UInt8) -> [String] {
    // The bytes, which stand first, are those of an unknown format.
    board.row("\(ListenSample.address(number))")?.values.dropFirst().map(\.self) ?? []
  }

  @Test("Names are in their natural order, then addresses; no value moves a row, and a late name does once")
  mutating func order() {
    for (number, name) in [(9, "Tag 10"), (1, nil), (2, "tag 9"), (0, nil), (3, "Attic")]
      as [(UInt8, String?)]
    {
      take(ListenSample.values(number, name, [("temperature_celsius", 20, "°C")]))
    }
    let first = ["Attic", "tag 9", "Tag 10", "C0:00:00:00:00:00", "C0:00:00:00:00:01"]
    #expect(titles() == first)
    take(
      ListenSample.values(0, nil, [("temperature_celsius", 40, "°C")]),
      ListenSample.alarm(.alarm, 1, "temperature_celsius > 30"), ListenSample.absence(.absent, 9))
    board.hear(HeardDevice(address: ListenSample.address(1), name: nil), at: start + .seconds(5))
    #expect(titles() == first)
    board.hear(HeardDevice(address: ListenSample.address(1), name: "Cellar"), at: start + .seconds(6))
    #expect(titles() == ["Attic", "Cellar", "tag 9", "Tag 10", "C0:00:00:00:00:00"])
    // A packet without its name takes nothing away.
    take(ListenSample.values(1, nil, []), ListenSample.values(3, "", []))
    #expect(titles() == ["Attic", "Cellar", "tag 9", "Tag 10", "C0:00:00:00:00:00"])
  }

  @Test("Fields that come in turns are all kept, in their places; what is about a packet is not")
  mutating func turns() {
    take(
      ListenSample.values(1, "Garden", [("humidity_percent", 50, "%"), ("counter", 1, "")]),
      ListenSample.values(1, "Garden", [("temperature_celsius", 20, "°C"), ("freshness", 1, "")], rssi: nil))
    #expect(values(of: 1) == ["20 °C", "50 %", "1"])
    take(
      ListenSample.values(1, "Garden", [("humidity_percent", 51, "%")], rssi: -70, problems: ["too short"]))
    #expect(values(of: 1) == ["20 °C", "51 %", "(too short)"])
    let row = board.row("\(ListenSample.address(1))")
    #expect(row?.rssi == -70)
    #expect(
      row?.readings.first?.fields.map(\.key) == ["humidity_percent", "temperature_celsius", "rssi_dbm"])
    take(ListenSample.values(1, "Garden", [("lux", 7, "lx")], type: 0xfe95))
    #expect(board.row("\(ListenSample.address(1))")?.types == ["fcd2", "fe95"])
    #expect(values(of: 1).contains("51 %") && values(of: 1).contains("7 lx"))
  }

  @Test("A value with a wrong checksum is a fault beside the values before it")
  mutating func wrongChecksum() {
    var decoded = DecodedFields()
    decoded.add("temperature_celsius", .integer(99))
    decoded.problems = ["the xor8 is 00"]
    decoded.hasWrongChecksum = true
    take(
      ListenSample.values(1, "Garden", [("temperature_celsius", 20, "°C")]),
      ListenSample.packet(1, "Garden", decoded))
    #expect(values(of: 1) == ["20 °C", "(the xor8 is 00)"])
  }

  @Test("What is measured comes first, then what is about the device, then minima and maxima")
  mutating func ranks() {
    take(
      ListenSample.values(
        1, nil,
        [
          ("battery_percent", 90, "%"), ("voltage_volts", 3, "V"), ("minimum_temperature_celsius", 19, "°C"),
          ("humidity_percent", 50, "%"), ("temperature_celsius", 20, "°C"), ("packet_id", 4, ""),
        ]))
    #expect(values(of: 1) == ["20 °C", "50 %", "90 %", "3 V", "19 °C"])
  }

  @Test("Bytes of an unknown format are shown; hidden fields, empty lists and the address are not")
  mutating func unknown() {
    var decoded = DecodedFields()
    decoded.add("names", .list([]))
    decoded.add("secret", .integer(1))
    decoded.fields[1].isHidden = true
    decoded.add("mac", .text("\(ListenSample.address(1))"))
    take(ListenSample.packet(1, nil, decoded, bytes: [0xde, 0xad]))
    #expect(board.row("\(ListenSample.address(1))")?.values == ["dead"])
  }

  @Test("An alarm stays until it is cleared, and an absence until the device is heard")
  mutating func states() {
    take(
      ListenSample.values(1, "Freezer", []), ListenSample.alarm(.alarm, 1, "a > 1"),
      ListenSample.alarm(.alarm, 1, "b > 1"), ListenSample.alarm(.alarm, 1, "a > 1"),
      ListenSample.absence(.absent, 1))
    #expect(board.ranked().map(\.state) == [["ALARM b > 1", "ALARM a > 1", "absent"]])
    take(ListenSample.alarm(.cleared, 1, "a > 1"), ListenSample.absence(.returned, 1))
    #expect(board.ranked().map(\.state) == [["ALARM b > 1"]])
    take(ListenSample.absence(.absent, 1), ListenSample.values(1, nil, []))
    #expect(board.ranked().map(\.state) == [["ALARM b > 1"]])
  }

  @Test("The state does not repeat the device that a condition is for")
  mutating func stateOfNamedDevice() {
    take(
      ListenSample.values(1, "Freezer", []), ListenSample.alarm(.alarm, 1, "Freezer: a > 1 for 5m"),
      ListenSample.alarm(.alarm, 1, "door = 'is: open'"))
    #expect(board.ranked().map(\.state) == [["ALARM a > 1 for 5m", "ALARM door = 'is: open'"]])
  }

  @Test("Expected devices have a row from the beginning, which becomes that of the device")
  mutating func expected() throws {
    let known = try DeviceArgument(parsing: "C0:00:00:00:00:01")
    board = ListenBoard(expecting: [
      known, try DeviceArgument(parsing: "Sensor*"), try DeviceArgument(parsing: "att"),
    ])
    #expect(titles() == ["att", "Sensor*", "C0:00:00:00:00:01"])
    #expect(board.ranked().map(\.state) == [["not heard yet"], ["not heard yet"], ["not heard yet"]])
    board.hear(HeardDevice(address: ListenSample.address(2), name: "Sensor 2"), at: start)
    take(ListenSample.values(1, nil, []))
    #expect(titles() == ["att", "Sensor 2", "C0:00:00:00:00:01"])
    take(ListenSample.absence(.absent, nil, name: "att"))
    #expect(board.ranked().first?.state == ["absent"])
    board.hear(HeardDevice(address: ListenSample.address(3), name: "Attic"), at: start)
    #expect(titles() == ["Attic", "Sensor 2", "C0:00:00:00:00:01"])
    #expect(board.ranked().flatMap(\.state) == [])
  }

  @Test(
    "Strangers that change their address leave after a while; those whom the user knows, and those that are missed, stay"
  )
  mutating func strangers() throws {
    board = ListenBoard(expecting: [try DeviceArgument(parsing: "C0:00:00:00:00:01")])
    func device(_ number: UInt8, _ reported: String? = nil, isPrivate: Bool = true) -> HeardDevice {
      HeardDevice(
        address: ListenSample.address(number), name: "Phone \(number)", reportedName: reported,
        isPrivate: isPrivate)
    }
    for number in 1...3 { board.hear(device(UInt8(number)), at: start) }
    board.hear(device(4, "Own"), at: start)
    board.hear(device(5, isPrivate: false), at: start)
    take(ListenSample.absence(.absent, 3))
    board.expire(at: start + .seconds(900))
    #expect(board.count == 5)
    board.expire(at: start + .seconds(901))
    #expect(titles() == ["Phone 1", "Phone 3", "Phone 4", "Phone 5"])
  }

  @Test("Invented addresses do not fill the memory, and push out nobody who is missed")
  mutating func bounded() {
    take(ListenSample.absence(.absent, 1, name: "Freezer"))
    for number in 0..<9000 {
      guard
        let address = BluetoothAddress(
          "C1:00:00:00:\(Hex.string([UInt8(number >> 8)])):\(Hex.string([UInt8(number & 255)]))")
      else { continue }
      board.hear(HeardDevice(address: address, name: nil), at: start)
    }
    #expect(board.count <= 4096)
    #expect(titles().first == "Freezer")
    for number in 0..<200 { take(ListenSample.values(2, nil, [("field_\(number)", number, "")])) }
    #expect(board.row("\(ListenSample.address(2))")?.readings.first?.fields.count == 64)
  }

  @Test("The reception is that of the last record, and dropped values are counted")
  mutating func reception() {
    #expect(board.reception == .listening)
    take(
      .reception(ReceptionRecord(event: .interrupted, reason: "off")),
      .dropped(DroppedRecord(time: .now, count: 3)))
    #expect(board.reception == .interrupted(reason: "off", since: start))
    take(.reception(ReceptionRecord(event: .resumed)), .dropped(DroppedRecord(time: .now, count: 4)))
    #expect(board.reception == .listening && board.droppedCount == 7)
    take(.reception(ReceptionRecord(event: .recovering, reason: "silent", step: "reset")))
    #expect(board.reception == .troubled("reset: silent"))
    take(.reception(ReceptionRecord(event: .recovered)))
    #expect(board.reception == .listening)
  }
}
