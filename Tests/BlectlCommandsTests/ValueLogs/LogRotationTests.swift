// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral
@testable import BlectlCommands
@testable import ValueLogs

@Suite("LogRotation")
struct LogRotationTests {
  @Test(
    "A rotation is a size or a duration, with its unit",
    arguments: [
      ("100M", LogRotation.size(100 << 20)), ("64KiB", .size(64 << 10)), ("24h", .period(seconds: 86400)),
      ("10m", .period(seconds: 600)), ("1G", .size(1 << 30)),
    ])
  func spellings(_ text: String, _ rotation: LogRotation) throws {
    #expect(try LogRotation(parsing: text) == rotation)
  }

  @Test("Anything else is refused", arguments: ["100", "", "soon", "0h", "500ms", "-1M", "10T"])
  func refused(_ text: String) {
    #expect(throws: ArgumentError.self) { try LogRotation(parsing: text) }
  }

  @Test("A period ends where the clock crosses a multiple of it")
  func periods() {
    let noon = Timestamp(seconds: 86400 * 10 + 43200, nanoseconds: 0)
    let evening = Timestamp(seconds: 86400 * 11 - 1, nanoseconds: 0)
    let midnight = Timestamp(seconds: 86400 * 11, nanoseconds: 0)
    let daily = LogRotation.period(seconds: 86400)
    #expect(!daily.isDue(size: 1, begin: noon, now: evening))
    #expect(daily.isDue(size: 1, begin: noon, now: midnight))
    #expect(!daily.isDue(size: 0, begin: noon, now: midnight))
  }

  @Test("The time stands before the ending")
  func names() {
    let time = Timestamp(seconds: 1_795_247_928, nanoseconds: 0)
    #expect(LogRotation.name(for: "a.d/strap.csv", at: time) == "a.d/strap-20261121T075848Z.csv")
    #expect(LogRotation.name(for: "strap.csv", at: time, number: 2) == "strap-20261121T075848Z-2.csv")
  }

  @Test(
    "A log's kind follows from its ending",
    arguments: [
      ("a.ndjson", LogArgument.Kind.ndjson), ("a.jsonl", .ndjson), ("x/a.CSV", .csv), ("a.sqlite", .sqlite),
      ("a.b.db", .sqlite), ("influx:a.csv", .influx), ("influx:points", .influx), ("influx.csv", .csv),
    ])
  func kinds(_ path: String, _ kind: LogArgument.Kind) throws {
    #expect(try LogArgument(parsing: path).kind == kind)
  }

  @Test("Other endings are refused", arguments: ["log", "a.txt", "csv", "a.csv/b", "influx:", ""])
  func otherEndings(_ path: String) {
    #expect(throws: ArgumentError.self) { try LogArgument(parsing: path) }
  }
}
