// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

@Suite("Absences")
struct AbsenceWatchTests {
  private static func stream(expecting expected: [String] = []) throws -> StagedStream {
    try StagedStream { rules in
      rules.silence = .seconds(600)
      rules.expected = try expected.map { try DeviceArgument(parsing: $0) }
    }
  }

  private func lines(_ records: [AbsenceRecord]) -> [String] {
    records.map { record in
      let device = record.address.map { "\($0)" } ?? record.name ?? ""
      return "\(record.event) \(device.suffix(2)) \(record.time.second) \(record.silence)"
    }
  }

  @Test("A device that was heard is absent after its silence, once, and returns with the first value")
  func silence() throws {
    var stream = try Self.stream()
    stream.pass(to: 100)
    stream.temperature(2100)
    stream.pass(to: 250)
    stream.temperature(2100, of: StagedStream.cellar)
    stream.pass(to: 400)
    stream.temperature(2100)
    stream.pass(to: 5000)
    stream.temperature(2100)
    #expect(
      lines(stream.absences) == [
        "absent F6 850.0 600.0", "absent F5 1000.0 600.0", "returned F5 5000.0 4600.0",
      ])
    #expect(stream.absences.map { $0.last?.second } == [250, 400, 400])
    #expect(stream.absences.allSatisfy { $0.name == "Sensor" })
    guard case .values = stream.passed.last?.event else {
      Issue.record("the return comes before the value")
      return
    }
  }

  @Test("After a stop, a device is absent only if nothing of it waited to be read")
  func stop() throws {
    var stream = try Self.stream()
    stream.pass(to: 100)
    stream.temperature(2100)
    stream.temperature(2100, of: StagedStream.cellar)
    stream.stop(to: 5000)
    stream.temperature(2100)
    #expect(stream.absences.isEmpty)
    stream.pass(to: 5500)
    #expect(lines(stream.absences) == ["absent F6 700.0 600.0"])
    stream.temperature(2100, of: StagedStream.cellar)
    #expect(lines(stream.absences).last == "returned F6 5500.0 5400.0")
  }

  @Test("A device that should be there and never was is absent too")
  func neverHeard() throws {
    var stream = try Self.stream(expecting: ["F0:F1:F2:F3:F4:F6", "Attic", "Sens*"])
    stream.pass(to: 30)
    stream.temperature(2100)
    stream.pass(to: 600)
    #expect(lines(stream.absences) == ["absent F6 600.0 600.0", "absent ic 600.0 600.0"])
    #expect(stream.absences.allSatisfy { $0.last == nil })
    #expect(Set(stream.missing.map { $0.name ?? "" }) == ["", "Attic"])
    stream.pass(to: 700)
    stream.temperature(2100, of: StagedStream.cellar)
    #expect(lines(stream.absences).contains("returned F6 700.0 700.0"))
    #expect(stream.missing.map(\.name) == ["Attic", "Sensor"])
  }

  @Test("A link counts as a sign of life, and the loss of one does not")
  func links() throws {
    var stream = try Self.stream()
    stream.link(.connected)
    stream.pass(to: 500)
    stream.link(.disconnected)
    stream.pass(to: 900)
    stream.link(.reconnected)
    #expect(lines(stream.absences) == ["absent F5 600.0 600.0", "returned F5 900.0 900.0"])
  }

  @Test("A device whose link is there before its name is known is the one that was expected")
  func nameless() throws {
    var stream = try Self.stream(expecting: ["Sensor"])
    stream.pass(to: 700)
    stream.link(.connected)
    stream.pass(to: 710)
    stream.temperature(2100)
    stream.pass(to: 1310)
    #expect(
      lines(stream.absences) == [
        "absent or 600.0 600.0", "returned F5 710.0 710.0", "absent F5 1310.0 600.0",
      ])
    #expect(stream.missing.count == 1)
  }

  @Test("A clock that is set back, or forward, makes no device absent, and no absence late")
  func clock() throws {
    var stream = try Self.stream()
    stream.temperature(2100)
    stream.pass(to: 10)
    stream.setClock(by: 7200)
    stream.pass(to: 20)
    stream.temperature(2100)
    stream.setClock(by: -7200)
    stream.pass(to: 700)
    #expect(lines(stream.absences) == ["absent F5 620.0 600.0"])
  }

  @Test("A device that repeats its values is not absent, and returns with a repetition")
  func repetitions() throws {
    var stream = try Self.stream()
    stream.temperature(2100)
    for second in [500.0, 1000, 1500] {
      stream.pass(to: second)
      stream.repeated()
    }
    stream.pass(to: 3000)
    stream.repeated()
    #expect(lines(stream.absences) == ["absent F5 2100.0 600.0", "returned F5 3000.0 1500.0"])
  }

  @Test("While nothing can be heard, no device is absent; then each has the whole time again")
  func interruption() throws {
    var stream = try Self.stream(expecting: ["Attic"])
    stream.temperature(2100)
    stream.pass(to: 300)
    stream.reception(.interrupted)
    stream.pass(to: 5000)
    #expect(stream.absences.isEmpty)
    stream.reception(.resumed)
    stream.pass(to: 5300)
    stream.temperature(2100, of: StagedStream.cellar)
    stream.pass(to: 6000)
    #expect(
      lines(stream.absences) == [
        "absent ic 5600.0 600.0", "absent F5 5600.0 600.0", "absent F6 5900.0 600.0",
      ])
  }

  @Test("Before anything can be heard, no device is absent")
  func lateStart() throws {
    var stream = try StagedStream { rules in
      rules.silence = .seconds(600)
      rules.expected = [try DeviceArgument(parsing: "Attic")]
      rules.awaitsReception = true
    }
    stream.pass(to: 5000)
    #expect(stream.absences.isEmpty)
    stream.reception(.started)
    stream.pass(to: 6000)
    #expect(lines(stream.absences) == ["absent ic 5600.0 600.0"])
  }

  @Test("Addresses that are heard once, and never again, are forgotten in the end; expected devices are not")
  func strangers() throws {
    var stream = try Self.stream(expecting: ["Attic"])
    for number in 0..<10_000 {
      let bytes = [0xf0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff), 1]
      stream.temperature(2100, of: try #require(BluetoothAddress(bytes: bytes)))
    }
    #expect(stream.missing.map(\.name) == ["Attic"])
    stream.pass(to: 600)
    #expect((2000...4097).contains(stream.absences.count))
    #expect(stream.absences.contains { $0.name == "Attic" })
  }

  @Test("A crowd of strangers lets neither an expected device nor an alarm be forgotten")
  func crowd() throws {
    var stream = try StagedStream { rules in
      rules.silence = .seconds(600)
      rules.expected = [.address(StagedStream.hall)]
      rules.alarms = [try AlarmArgument(parsing: "temperature > 30")]
    }
    stream.temperature(2100)
    stream.temperature(3500, of: StagedStream.cellar)
    for number in 0..<10_000 {
      let bytes = [0xf0, 0, 0, UInt8(number >> 8), UInt8(number & 0xff), 1]
      stream.temperature(2100, of: try #require(BluetoothAddress(bytes: bytes)))
    }
    stream.temperature(2000, of: StagedStream.cellar)
    #expect(stream.alarms.map(\.event) == [.alarm, .cleared])
    stream.pass(to: 600)
    #expect(stream.absences.contains { $0.address == StagedStream.hall })
    stream.temperature(2100)
    #expect(stream.absences.last?.event == .returned)
  }

  @Test(
    "A device that is expected by another name than the shown one, or by a private address, is there",
    arguments: ["Garden", "Gar*", "Attic", "F0:F1:F2:F3:F4:F5", "Key", "C0:00:00:00:00:09", "F0F1F2F3F4F5"])
  func otherNames(_ expected: String) throws {
    var stream = try Self.stream(expecting: [expected])
    let info = HeardDevice(
      address: StagedStream.hall, name: expected == "Key" ? "Key" : "Attic", reportedName: "Garden",
      identity: PrivateIdentity(name: "Key", address: BluetoothAddress("C0:00:00:00:00:09")))
    for second in [100.0, 500, 900] {
      stream.pass(to: second)
      stream.heard(info)
    }
    #expect(stream.missing.isEmpty)
    #expect(stream.absences.isEmpty)
  }

  @Test("A device is the expected one as soon as the name that it reports is known")
  func lateName() throws {
    var stream = try Self.stream(expecting: ["Garden"])
    stream.heard(HeardDevice(address: StagedStream.hall, name: "Attic"))
    #expect(stream.missing.count == 1)
    stream.heard(HeardDevice(address: StagedStream.hall, name: "Attic", reportedName: "Garden"))
    #expect(stream.missing.isEmpty)
  }
}
