// SPDX-License-Identifier: MIT
import Testing
import ValueLogs

@testable import BlectlArguments

@Suite("Arguments of --log")
struct LogArgumentTests {
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

@Suite("Arguments of --rotate")
struct LogRotationArgumentTests {
  @Test(
    "A rotation is a size or a duration, with its unit",
    arguments: [
      ("100M", LogRotation.size(100 << 20)), ("64KiB", .size(64 << 10)), ("24h", .period(seconds: 86400)),
      ("10m", .period(seconds: 600)), ("1G", .size(1 << 30)),
    ])
  func spellings(_ text: String, _ rotation: LogRotation) throws {
    #expect(try LogRotation(parsing: text) == rotation)
  }

  @Test(
    "Text that is not a rotation is refused", arguments: ["100", "", "soon", "0h", "500ms", "-1M", "10T"])
  func refused(_ text: String) {
    #expect(throws: ArgumentError.self) { try LogRotation(parsing: text) }
  }
}
