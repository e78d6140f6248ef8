// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlArguments
@testable import BlectlSession
@testable import ValueStreams

/// A sensor that sends a temperature every ten seconds for a day: the mean is 20 °C, and it swings by 8 °C.
@Suite("A day of a stream")
struct StreamDayTests {
  /// Hundredths of a degree at a second of the day: a triangle from 12 to 28 °C and back, and some noise of its own.
  private static func temperature(_ second: Int) -> Int {
    let half = second % 86_400
    let ramp = half < 43_200 ? half : 86_400 - half
    return 1200 + ramp * 1600 / 43_200 + (second / 10 * 7919) % 11 - 5
  }

  private static let seconds = Array(stride(from: 0, to: 86_400, by: 10))

  /// Sends the values of the day; `before` is called before each.
  private static func run(
    _ stream: inout StagedStream, before: (inout StagedStream, Int) -> Void = { _, _ in }
  ) {
    for second in seconds {
      stream.pass(to: Double(second))
      before(&stream, second)
      stream.temperature(temperature(second))
    }
    stream.pass(to: 86_400)
  }

  @Test("Each minute has its last value, and each quarter its average, at its end")
  func windows() throws {
    var minutes = StagedStream { $0.window = .seconds(60) }
    Self.run(&minutes)
    #expect(minutes.temperatures == (0..<1440).map { Self.temperature($0 * 60 + 50) })
    #expect(minutes.passed.map(\.second) == (1...1440).map { Double($0 * 60) })

    var quarters = StagedStream { rules in (rules.window, rules.averages) = (.seconds(900), true) }
    Self.run(&quarters)
    #expect(quarters.averages.map(\.from.second) == (0..<96).map { Double($0 * 900) })
    #expect(quarters.averages.map(\.time.second) == (1...96).map { Double($0 * 900) })
    #expect(quarters.averages.allSatisfy { $0.count == 90 })
    for (index, average) in quarters.averages.enumerated() {
      let values = (0..<90).map { Self.temperature(index * 900 + $0 * 10) }
      // In thousandths, rounded half away from zero.
      let mean = (Double(values.reduce(0, +)) / 9).rounded()
      let texts = average.decoded.texts
      #expect(Double(texts["temperature_celsius"] ?? "").map { ($0 * 1000).rounded() } == mean)
      #expect(
        Double(texts["minimum_temperature_celsius"] ?? "").map { ($0 * 100).rounded() }
          == values.min().map(Double.init))
      #expect(
        Double(texts["maximum_temperature_celsius"] ?? "").map { ($0 * 100).rounded() }
          == values.max().map(Double.init))
    }
  }

  @Test("A dead band passes on each value that differs enough from the last one that was passed on")
  func deadBand() throws {
    var stream = try StagedStream { $0.changes = [try ChangeArgument(parsing: "0.5")] }
    Self.run(&stream)
    var expected: [Int] = []
    for value in Self.seconds.map(Self.temperature) where expected.last.map({ abs($0 - value) >= 50 }) ?? true
    {
      expected.append(value)
    }
    #expect(stream.temperatures == expected)
    #expect((60...80).contains(expected.count))
  }

  @Test("An alarm with two bounds and a time begins and ends once, at its exact times")
  func alarm() throws {
    var stream = try StagedStream {
      $0.alarms = [try AlarmArgument(parsing: "temperature_celsius > 25 until < 24.5 for 10m")]
    }
    Self.run(&stream)
    let begin = try #require(Self.seconds.first { Self.temperature($0) > 2500 })
    let end = try #require(Self.seconds.first { $0 > 43_200 && Self.temperature($0) < 2450 })
    #expect(stream.alarms.map(\.event) == [.alarm, .cleared])
    #expect(stream.alarms.map(\.time.second) == [Double(begin + 600), Double(end)])
    #expect(stream.alarms.map(\.seconds) == [600, Double(end - begin - 600)])
    #expect(
      stream.passed.first { if case .alarm = $0.event { true } else { false } }?.second == Double(begin + 600)
    )
  }

  @Test("A device that is silent from noon to two, and one that never comes, are absent at their exact times")
  func absence() throws {
    var stream = try StagedStream { rules in
      rules.silence = .seconds(600)
      rules.expected = [.address(StagedStream.hall), try DeviceArgument(parsing: "Attic")]
    }
    for second in Self.seconds where !(43_200..<50_400).contains(second) {
      stream.pass(to: Double(second))
      stream.temperature(Self.temperature(second))
    }
    stream.pass(to: 86_400)
    #expect(
      stream.absences.map { "\($0.event) \($0.name ?? "") \($0.time.second) \($0.silence)" } == [
        "absent Attic 600.0 600.0", "absent Sensor 43790.0 600.0", "returned Sensor 50400.0 7210.0",
      ])
    #expect(stream.missing.map(\.name) == ["Attic"])
  }

  @Test("Clocks that are set back and forward: each value is in one window, none is longer than it should be")
  func clocks() throws {
    var stream = try StagedStream { rules in
      (rules.window, rules.averages, rules.silence) = (.seconds(60), true, .seconds(600))
      rules.alarms = [try AlarmArgument(parsing: "temperature_celsius > 25 until < 24.5 for 10m")]
    }
    // As at the end of summer time, if the clock went by it; a correction by minutes; and by a moment.
    let steps = [3 * 3600 + 20: -3600, 9 * 3600: 3600, 12 * 3600 + 30: -95, 15 * 3600 + 10: 7, 20 * 3600: -1]
    Self.run(&stream) { stream, second in steps[second].map { stream.setClock(by: $0) } }
    stream.finish()
    let averages = stream.averages
    #expect(averages.reduce(0) { $0 + $1.count } == Self.seconds.count)
    #expect(averages.allSatisfy { $0.from.seconds.isMultiple(of: 60) && $0.count <= 7 })
    #expect(averages.allSatisfy { 0...60 ~= $0.time.second - $0.from.second })
    // Beside the windows at the steps, all are whole.
    #expect(
      averages.filter { $0.count == 6 && $0.time.second - $0.from.second == 60 }.count >= 1440 - 3
        * steps.count)
    let ends = stream.passed.filter { if case .average = $0.event { true } else { false } }.map(\.second)
    // A window that begins with the first value after a step ends a moment later than the one before it would have.
    #expect(zip(ends, ends.dropFirst()).allSatisfy { $1 - $0 <= 61 })
    // What is measured by durations does not notice.
    let begin = try #require(Self.seconds.first { Self.temperature($0) > 2500 })
    let alarm = try #require(stream.passed.first { if case .alarm = $0.event { true } else { false } })
    #expect(alarm.second == Double(begin + 600))
    #expect(stream.alarms.map(\.event) == [.alarm, .cleared])
    #expect(stream.absences.isEmpty)
  }
}
