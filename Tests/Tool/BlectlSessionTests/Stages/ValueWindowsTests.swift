// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlSession
@testable import ValueStreams

@Suite("Windows of values")
struct ValueWindowsTests {
  private static func stream(averages: Bool = false, _ seconds: Int = 60) -> StagedStream {
    StagedStream { rules in
      rules.window = .seconds(seconds)
      rules.averages = averages
    }
  }

  @Test(
    "The last value of each minute is passed on when the minute is over, and none for a minute without values"
  )
  func lastValues() {
    var stream = Self.stream()
    for (second, temperature) in [(3.0, 2100), (59.9, 2150), (60.0, 2200), (61.0, 2250), (250.0, 2300)] {
      stream.pass(to: second)
      stream.temperature(temperature)
    }
    stream.pass(to: 400)
    #expect(stream.temperatures == [2150, 2250, 2300])
    #expect(stream.passed.map(\.second) == [60, 120, 300])
  }

  @Test("An interruption of listening ends the windows of all devices")
  func interruption() {
    var stream = Self.stream()
    stream.temperature(2100)
    stream.temperature(1200, of: StagedStream.cellar)
    stream.pass(to: 20)
    stream.reception(.interrupted)
    #expect(stream.temperatures.sorted() == [1200, 2100])
    guard case .reception? = stream.passed.last?.event else {
      Issue.record("the interruption comes behind the values before it")
      return
    }
  }

  @Test(
    "An average has the mean with one decimal more, the least, the greatest and the count, and the time of the end"
  )
  func averages() throws {
    var stream = Self.stream(averages: true)
    for (second, temperature) in [(60.5, 2150), (70.0, 2161), (80.0, 2140)] {
      stream.pass(to: second)
      stream.temperature(temperature)
    }
    stream.pass(to: 200)
    let average = try #require(stream.averages.first)
    #expect(stream.passed.count == 1)
    #expect(average.from.second == 60)
    #expect(average.time.second == 120)
    #expect(average.count == 3)
    #expect(average.counts.isEmpty)
    #expect(
      average.decoded.texts == [
        "temperature_celsius": "21.503", "minimum_temperature_celsius": "21.40",
        "maximum_temperature_celsius": "21.61",
      ])
    #expect(average.decoded.text == "21.503 °C, minimum 21.40 °C, maximum 21.61 °C")
  }

  @Test("A value that was read before the border, and comes after it, opens no window again")
  func lateValues() {
    var stream = Self.stream(averages: true)
    stream.pass(to: 59)
    stream.temperature(2100)
    stream.pass(to: 60.2)
    stream.temperature(2200, late: 300)
    stream.pass(to: 61)
    stream.temperature(2300)
    stream.pass(to: 120)
    #expect(stream.averages.map(\.from.second) == [0, 60])
    #expect(stream.averages.map(\.count) == [1, 2])
  }

  @Test("A lost link ends the windows of its device, before its record, and those of others go on")
  func gaps() throws {
    var stream = Self.stream(averages: true)
    stream.pass(to: 10)
    stream.temperature(2100)
    stream.temperature(1100, of: StagedStream.cellar)
    stream.pass(to: 20)
    stream.link(.disconnected)
    try #require(stream.passed.count == 2)
    guard case .average(let ended) = stream.passed[0].event, case .link = stream.passed[1].event else {
      Issue.record("an average, then the link")
      return
    }
    #expect((ended.from.second, ended.time.second, ended.count) == (0, 10, 1))
    stream.pass(to: 30)
    stream.link(.reconnected)
    stream.temperature(2200)
    stream.pass(to: 60)
    #expect(
      stream.averages.map(\.origin.address) == [StagedStream.hall, StagedStream.cellar, StagedStream.hall])
    #expect(stream.averages.map(\.count) == [1, 1, 1])
  }

  @Test("The end of the stream ends the open windows")
  func end() {
    var stream = Self.stream(averages: true)
    stream.pass(to: 5)
    stream.temperature(2100)
    stream.finish()
    #expect(stream.averages.map(\.time.second) == [5])
  }

  @Test("A clock that is set back ends no window late, and the next one is aligned to the new time")
  func clockSetBack() {
    var stream = Self.stream(averages: true)
    for second in stride(from: 7200.0, to: 7260.0, by: 10) {
      stream.pass(to: second)
      if second == 7230 { stream.setClock(by: -3625) }
      stream.temperature(2100)
    }
    stream.pass(to: 7400)
    // Three values of the first half, then three of the time 3,605 to 3,625 seconds.
    #expect(stream.averages.map(\.from.second) == [7200, 3600])
    #expect(stream.averages.map(\.time.second) == [7220, 3660])
    #expect(stream.averages.map(\.count) == [3, 3])
    #expect(stream.passed.map(\.second) == [7230, 7285])
  }

  @Test(
    "A clock that is set forward ends the window with the next value, and a silent window in its own time")
  func clockSetForward() {
    var stream = Self.stream(averages: true)
    stream.pass(to: 10)
    stream.temperature(2100)
    stream.setClock(by: 3600)
    stream.pass(to: 20)
    stream.temperature(2200)
    stream.setClock(by: 3600)
    stream.pass(to: 200)
    #expect(stream.averages.map(\.from.second) == [0, 3600])
    #expect(stream.passed.map(\.second) == [20, 60])
  }

  @Test("Values before 1970 have windows too")
  func beforeTheEpoch() {
    var stream = Self.stream(averages: true)
    stream.setClock(by: -StagedStream.midnight - 90)
    stream.temperature(2100)
    stream.pass(to: 60)
    #expect(stream.averages.map { $0.from.seconds } == [-120])
    #expect(stream.averages.map { $0.time.seconds } == [-60])
    #expect(stream.passed.map(\.second) == [30])
  }

  @Test("Numbers keep their digits, and the keys of extremes collide with none")
  func numbers() throws {
    func field(_ value: DecodedValue) -> DecodedFields.Field {
      var decoded = DecodedFields()
      decoded.add("level", value, unit: "%")
      return decoded.fields[0]
    }
    func summary(_ values: [DecodedValue]) throws -> [String] {
      var fields = values.map(field)
      var summary = try #require(NumberSummary(fields.removeFirst()))
      for field in fields { summary.add(field) }
      var decoded = DecodedFields()
      summary.add(to: &decoded, among: ["level", "minimum_level"])
      return decoded.fields.map { "\($0.key) \($0.value.text)" }
    }
    #expect(try summary([71, 72, 72]) == ["level 71.7", "minimum_level_2 71", "maximum_level 72"])
    #expect(
      try summary([.decimal(DecimalNumber(mantissa: 12, exponent: 3)), "unknown", 14_000]) == [
        "level 13000.0", "minimum_level_2 12000", "maximum_level 14000",
      ])
    let great = try summary([.decimal(DecimalNumber(mantissa: 1, exponent: 300))])[0].dropFirst(
      "level ".count)
    #expect(abs(try #require(Double(great)) / 1e300 - 1) < 1e-9)
    #expect(NumberSummary(field("on")) == nil)
  }
}
