// SPDX-License-Identifier: MIT
import Testing

@testable import BLEFormats

@Suite("UTCTime")
struct UTCTimeTests {
  @Test(
    "Times are read with up to nine decimals",
    arguments: [
      ("1970-01-01T00:00:00Z", 0, 0), ("2017-04-25T04:34:41.876974Z", 1_493_094_881, 876_974_000),
      ("2024-02-29T23:59:59.5Z", 1_709_251_199, 500_000_000), ("1969-12-31T23:59:59.000000001Z", -1, 1),
    ])
  func read(text: String, seconds: Int, nanoseconds: Int) throws {
    let time = try #require(UTCTime(text))
    #expect((time.seconds, time.nanoseconds) == (seconds, nanoseconds))
  }

  @Test(
    "Other texts are no times",
    arguments: [
      "", "Z", "yesterday", "2017-04-25", "2017-04-25T04:34:41", "2017-04-25T04:34:41.Z",
      "2017-13-25T04:34:41Z",
      "2017-04-25T24:34:41Z", "2017/04/25T04:34:41Z", "2017-04-25T04:34:41,5Z", "12.5",
      "+017-04-25T04:34:41Z",
      "2017-04-25T04:34:41.0000000001Z",
    ])
  func refused(text: String) { #expect(UTCTime(text) == nil) }
}
