// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

@Suite("Dead bands")
struct DeadBandTests {
  private static func stream(_ changes: String..., averages: Bool = false) throws -> StagedStream {
    try StagedStream { rules in
      rules.changes = try changes.map { try ChangeArgument(parsing: $0) }
      if averages { (rules.window, rules.averages) = (.seconds(60), true) }
    }
  }

  @Test(
    "A value is passed on if it differs enough from the last one that was, not from the last one that came")
  func creeping() throws {
    var stream = try Self.stream("0.2")
    for temperature in [2130, 2140, 2145, 2150, 2165, 2140, 2131, 2130] { stream.temperature(temperature) }
    #expect(stream.temperatures == [2130, 2150, 2130])
  }

  @Test("A change of 0 passes on what differs at all")
  func anyChange() throws {
    var stream = try Self.stream("0")
    for temperature in [2130, 2130, 2131, 2131] { stream.temperature(temperature) }
    #expect(stream.temperatures == [2130, 2131])
  }

  @Test("A field has its own change, and others count if they differ at all")
  func fields() throws {
    var stream = try Self.stream("temperature_celsius=1")
    stream.temperature(2100)
    stream.humidity(4000)
    stream.temperature(2150)
    stream.humidity(4001)
    stream.temperature(2200)
    #expect(stream.temperatures == [2100, 4000, 4001, 2200])
  }

  @Test("The first value after a gap is passed on")
  func gap() throws {
    var stream = try Self.stream("0.2")
    stream.temperature(2100)
    stream.temperature(1100, of: StagedStream.cellar)
    stream.link(.disconnected)
    stream.link(.reconnected)
    stream.temperature(2100)
    stream.temperature(1100, of: StagedStream.cellar)
    #expect(stream.temperatures == [2100, 1100, 2100])
  }

  @Test("Bytes without a meaning are passed on if they are others")
  func bytes() throws {
    var stream = try Self.stream("0.2")
    let origin = SampleStream.origin(BluetoothUUID(short: 0xffe1))
    for value in [[1, 2], [1, 2], [1, 3]] as [[UInt8]] {
      stream.take(.values(SampleStream.batch([value], of: origin)))
    }
    #expect(stream.passed.count == 2)
  }

  @Test("The means of windows are compared, not their extremes")
  func means() throws {
    var stream = try Self.stream("0.2", averages: true)
    for (second, temperatures) in [(10.0, [2100, 2100]), (70.0, [2000, 2200]), (130.0, [2130])] {
      stream.pass(to: second)
      for temperature in temperatures { stream.temperature(temperature) }
    }
    stream.pass(to: 200)
    #expect(stream.averages.map(\.time.second) == [60, 180])
  }

  @Test(
    "A change is a number that is not negative, perhaps of a field",
    arguments: ["", "x", "-1", "temperature=", "=1", "1e400", "nan"])
  func refusals(_ text: String) {
    #expect(throws: ArgumentError.self) { try ChangeArgument(parsing: text) }
  }
}
