// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

@Suite("Alarms")
struct AlarmWatchTests {
  private static func stream(_ conditions: String...) throws -> StagedStream {
    try StagedStream { rules in rules.alarms = try conditions.map { try AlarmArgument(parsing: $0) } }
  }

  private func lines(_ stream: StagedStream) -> [String] {
    stream.alarms.map { "\($0.event) \($0.time.second) \($0.seconds)" }
  }

  @Test("An alarm begins with the value that fulfils its condition, and ends with the one that does not")
  func simple() throws {
    var stream = try Self.stream("temperature_celsius > 25")
    for (second, temperature) in [(1.0, 2500), (2.0, 2501), (3.0, 2600), (4.5, 2500), (5.0, 2400)] {
      stream.pass(to: second)
      stream.temperature(temperature)
    }
    #expect(lines(stream) == ["alarm 2.0 0.0", "cleared 4.5 2.5"])
    #expect(stream.alarms[0].decoded.texts == ["temperature_celsius": "25.01"])
    #expect(stream.alarms[0].condition == "temperature_celsius > 25")
    // The values are passed on too, each before the alarm that it begins.
    #expect(stream.temperatures.count == 5)
    guard case .values = stream.passed[1].event, case .alarm = stream.passed[2].event else {
      Issue.record("a value, then its alarm")
      return
    }
  }

  @Test("Of values that come together, each alarm follows the value that it begins with")
  func batches() throws {
    func kinds(_ values: [[UInt8]]) throws -> [String] {
      var stream = try Self.stream("temperature_celsius > 25")
      stream.take(
        .values(SampleStream.batch(values, of: SampleStream.origin(BluetoothUUID(short: 0x2a6e)))))
      return stream.passed.map { passed in
        switch passed.event {
        case .values(let batch): "\(batch.values.count)"
        case .alarm(let alarm): "\(alarm.event)"
        default: "another"
        }
      }
    }
    let (cold, hot): ([UInt8], [UInt8]) = ([0xd0, 0x07], [0x28, 0x0a])
    #expect(try kinds([cold, hot, hot, cold]) == ["1", "1", "alarm", "1", "1", "cleared"])
    #expect(try kinds([cold, cold, cold]) == ["3"])
  }

  @Test("Between its bounds, an alarm stays what it was")
  func hysteresis() throws {
    var stream = try Self.stream("temperature_celsius > 25 until < 24")
    for (second, temperature) in [
      (1.0, 2450), (2.0, 2510), (3.0, 2450), (4.0, 2400), (5.0, 2399), (6.0, 2450), (7.0, 2501),
    ] {
      stream.pass(to: second)
      stream.temperature(temperature)
    }
    #expect(lines(stream) == ["alarm 2.0 0.0", "cleared 5.0 3.0", "alarm 7.0 0.0"])
  }

  @Test("A condition has to hold for its time, also if no more values come")
  func duration() throws {
    var stream = try Self.stream("temperature_celsius > 25 for 5m")
    for (second, temperature) in [(10.0, 2600), (200.0, 2400), (210.0, 2600), (400.0, 2700)] {
      stream.pass(to: second)
      stream.temperature(temperature)
    }
    stream.pass(to: 2000)
    stream.temperature(2000)
    #expect(lines(stream) == ["alarm 510.0 300.0", "cleared 2000.0 1490.0"])
    #expect(stream.passed[4].second == 510)
  }

  @Test("A value at the last moment, which ends the condition, comes after the alarm")
  func lastMoment() throws {
    var stream = try Self.stream("temperature_celsius > 25 for 10s")
    stream.temperature(2600)
    stream.pass(to: 9.999)
    stream.temperature(2600)
    stream.pass(to: 10)
    stream.temperature(2400)
    #expect(lines(stream) == ["alarm 10.0 10.0", "cleared 10.0 0.0"])
  }

  @Test("A gap begins the time again, and does not end an alarm")
  func gap() throws {
    var stream = try Self.stream("temperature_celsius > 25 for 5m")
    stream.temperature(2600)
    stream.pass(to: 100)
    stream.link(.disconnected)
    stream.pass(to: 1000)
    stream.link(.reconnected)
    stream.temperature(2600)
    stream.pass(to: 1400)
    stream.link(.disconnected)
    stream.pass(to: 1500)
    stream.link(.reconnected)
    stream.temperature(2600)
    stream.pass(to: 1600)
    stream.temperature(2400)
    #expect(lines(stream) == ["alarm 1300.0 300.0", "cleared 1600.0 300.0"])
  }

  @Test("After a stop, a condition has held for its time only if no value that waited ends it")
  func stop() throws {
    var ended = try Self.stream("temperature_celsius > 25 for 4s")
    ended.pass(to: 3)
    ended.temperature(2600)
    ended.stop(to: 11.6)
    // What waited to be read comes at once: still hot, then cold, then hot again.
    for temperature in [2600, 2400, 2700] { ended.temperature(temperature) }
    ended.pass(to: 15.5)
    #expect(lines(ended) == [])
    ended.pass(to: 16)
    #expect(lines(ended) == ["alarm 15.6 4.0"])

    var held = try Self.stream("temperature_celsius > 25 for 4s")
    held.pass(to: 3)
    held.temperature(2600)
    held.stop(to: 11.6)
    held.temperature(2600)
    #expect(held.alarms.isEmpty)
    held.pass(to: 20)
    #expect(lines(held) == ["alarm 7.0 4.0"])
    #expect(held.passed.last?.second == 13.6)
  }

  @Test("A clock that is set back does not move an alarm; its record has the new time")
  func clock() throws {
    var stream = try Self.stream("temperature_celsius > 25 for 5m")
    stream.temperature(2600)
    stream.pass(to: 100)
    stream.setClock(by: -3600)
    stream.pass(to: 400)
    #expect(lines(stream) == ["alarm -3300.0 300.0"])
    #expect(stream.passed.last?.second == 300)
  }

  @Test("The fields of all characteristics of a device count together, and those of another device do not")
  func devices() throws {
    var stream = try Self.stream("temperature_celsius > 25 and humidity_percent > 60")
    stream.temperature(2600)
    stream.humidity(7000, of: StagedStream.cellar)
    #expect(stream.alarms.isEmpty)
    stream.pass(to: 1)
    stream.humidity(6100)
    stream.pass(to: 2)
    stream.humidity(5900)
    #expect(lines(stream) == ["alarm 1.0 0.0", "cleared 2.0 1.0"])
    #expect(stream.alarms[0].decoded.texts == ["temperature_celsius": "26.00", "humidity_percent": "61.00"])
  }

  @Test(
    "An alarm may be for a DEVICE only: a name, a part of one, a pattern or an address",
    arguments: [
      ("Sensor: temperature_celsius > 25", ["hall", "cellar"]),
      ("S*r:  temperature_celsius > 25", ["hall", "cellar"]),
      ("Sens: temperature_celsius > 25", ["hall", "cellar"]), ("Senser: temperature_celsius > 25", []),
      ("sensor: temperature_celsius > 25 for 0s", ["hall", "cellar"]), ("s*r: temperature_celsius > 25", []),
      ("\"Sensor\": temperature_celsius > 25", ["hall", "cellar"]),
      ("F0:F1:F2:F3:F4:F6: temperature_celsius > 25", ["cellar"]),
    ])
  func namedDevices(condition: String, concerned: [String]) throws {
    var stream = try Self.stream(condition)
    stream.temperature(2600)
    stream.temperature(2600, of: StagedStream.cellar)
    #expect(stream.alarms.map { $0.address == StagedStream.hall ? "hall" : "cellar" } == concerned)
    #expect(stream.alarms.allSatisfy { $0.condition == condition })
  }

  @Test("A device with the whole name of an alarm ends the alarms of those that have it as a part only")
  func wholeName() throws {
    var stream = try Self.stream("Freezer: temperature_celsius > 25")
    stream.temperature(2600, name: "Freezer 2")
    stream.pass(to: 1)
    stream.temperature(2600, of: StagedStream.cellar, name: "Freezer")
    stream.temperature(2700, name: "Freezer 2")
    #expect(lines(stream) == ["alarm 0.0 0.0", "cleared 1.0 1.0", "alarm 1.0 0.0"])
    #expect(stream.alarms.map(\.name) == ["Freezer 2", "Freezer 2", "Freezer"])
  }

  @Test("A device of an alarm that is not heard is missed, with the name that may be meant")
  func missed() throws {
    let words = ["Senser", "Attic", "Sens", "Senser", "F0:F1:F2:F3:F4:F6", "At*"]
    var stream = try StagedStream { rules in
      rules.awaited = try words.map { try DeviceArgument(parsing: $0) }
    }
    stream.temperature(2600)
    #expect(
      stream.takeRemarks() == [
        "--when: no values came from a device called 'Senser'; did you mean Sensor?",
        "--when: no values came from a device called 'Attic'",
        "--when: no values came from a device at F0:F1:F2:F3:F4:F6",
        "--when: no values came from a device called 'At*'",
      ])
    #expect(stream.takeRemarks().isEmpty, "each once")
  }

  @Test("A device of an alarm that is heard is not missed")
  func heard() throws {
    var stream = try StagedStream { $0.awaited = [try DeviceArgument(parsing: "Attic")] }
    stream.heard(HeardDevice(address: StagedStream.cellar, name: "Attic"))
    #expect(stream.takeRemarks().isEmpty)
  }

  @Test("A field that no value of the device has is missed once, with the fields that they have")
  func missedFields() throws {
    let remark =
      "--when: no values of Sensor had humidity_percent or power_w; they had temperature_celsius"
    var stream = try Self.stream(
      "Sensor: humidity_percent > 5 and power_w > 1", "Cellar: humidity_percent > 5",
      "Sensor: temperature_celsius > 5", "humidity_percent > 5")
    #expect(stream.takeRemarks().isEmpty, "nothing came yet")
    stream.temperature(2600)
    #expect(
      stream.takeRemarks() == [
        remark, "--when: no values had humidity_percent; they had temperature_celsius",
      ])
    stream.temperature(2700)
    #expect(stream.takeRemarks().isEmpty)
  }

  @Test("A field counts for an alarm if the device has it that is meant")
  func fieldOfAnother() throws {
    var stream = try Self.stream("Freezer: humidity_percent > 5")
    stream.humidity(500)
    stream.temperature(2600, of: StagedStream.cellar, name: "Freezer")
    #expect(stream.takeRemarks().count == 1)
    stream = try Self.stream("Sensor: humidity_percent > 5")
    stream.temperature(2600)
    stream.humidity(500)
    #expect(stream.takeRemarks().isEmpty)
  }

  @Test("A missing field makes nothing true, not even its opposite")
  func missingFields() throws {
    var stream = try Self.stream(
      "not humidity_percent < 50", "temperature_celsius > 20 or humidity_percent > 50",
      "temperature_celsius < 20 and humidity_percent > 50")
    stream.temperature(2100)
    #expect(stream.alarms.map(\.condition) == ["temperature_celsius > 20 or humidity_percent > 50"])
    stream.humidity(5500)
    #expect(stream.alarms.map(\.condition).last == "not humidity_percent < 50")
  }
}
