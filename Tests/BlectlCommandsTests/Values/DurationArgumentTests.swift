// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BlectlCommands

@Suite("DurationArgument")
struct DurationArgumentTests {
  @Test(
    "a duration is a number and a unit, seconds if there is none",
    arguments: [
      ("500ms", Duration.milliseconds(500)), ("10s", .seconds(10)), ("2m", .seconds(120)),
      ("1h", .seconds(3600)),
      ("20", .seconds(20)), ("1.5s", .milliseconds(1500)), ("0.1", .milliseconds(100)),
      ("0.5h", .seconds(1800)),
      ("0.25ms", .microseconds(250)), ("0.000000001s", .nanoseconds(1)),
      ("9999999999h", .seconds(35_999_999_996_400)),
    ])
  func durations(text: String, duration: Duration) throws {
    #expect(try DurationArgument(parsing: text).limit == duration)
  }

  @Test("nothing of any unit is no limit", arguments: ["0", "0s", "0ms", "0.0m", "00h"])
  func noLimit(text: String) throws {
    #expect(try DurationArgument(parsing: text).limit == nil)
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "s", "ms", ".", ".5", "5.", "-1", "+1", "1d", "1 s", " 1s", "1S", "1s ", "1e3", "1,5s", "1.2.3s",
      "1h30m",
      "10000000000h", "0.0000000001s", "٣s", "½", "nan", "inf",
    ])
  func refused(text: String) {
    let error = #expect(throws: ArgumentError.self) { try DurationArgument(parsing: text) }
    #expect(
      error?.description == "'\(text)' is not a duration; use 500ms, 10s, 2m, 1h, or 0 for no limit")
  }

  @Test(
    "a duration is shown as people write it",
    arguments: [
      (Duration.milliseconds(500) as Duration?, "500ms"), (.seconds(20), "20s"), (.seconds(90), "90s"),
      (.seconds(120), "2m"), (.seconds(7200), "2h"), (.milliseconds(1500), "1500ms"), (nil, "0"),
    ])
  func descriptions(limit: Duration?, text: String) throws {
    #expect(DurationArgument(limit).description == text)
    #expect(try DurationArgument(parsing: text).limit == limit)
  }
}
