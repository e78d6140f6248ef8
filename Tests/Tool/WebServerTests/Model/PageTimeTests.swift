// SPDX-License-Identifier: MIT
import Testing

@testable import WebServer

@Suite("PageTime")
struct PageTimeTests {
  @Test(
    "Times of records and numbers of seconds are read",
    arguments: [
      ("1970-01-01T00:00:00Z", 0.0), ("2017-04-25T04:34:41.876974Z", 1_493_094_881.876974), ("12.5", 12.5),
      ("2024-02-29T23:59:59.5Z", 1_709_251_199.5), ("2024-03-01T00:59:59.5+01:00", 1_709_251_199.5),
      ("2024-03-01T00:59:59.5 01:00", 1_709_251_199.5), ("2024-02-29T18:29:59-05:30", 1_709_251_199),
    ])
  func read(text: String, seconds: Double) {
    #expect(PageTime.seconds(text).map { abs($0 - seconds) < 1e-6 } == true)
  }

  @Test(
    "Other texts are no times",
    arguments: [
      "", "yesterday", "2017-04-25T04:34:41", "inf", "nan", "2017-04-25T04:34:41+25:00", "+01:00",
    ])
  func refused(text: String) { #expect(PageTime.seconds(text) == nil) }
}
