// SPDX-License-Identifier: MIT
import Testing

@testable import BLEFormats

@Suite("Durations as text")
struct DurationTextTests {
  @Test(
    "An age is in its largest unit",
    arguments: [
      (-1, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86_400, "1d"), (8_640_000, "100d"),
    ])
  func ages(seconds: Int, text: String) {
    #expect(DurationText.age(.seconds(seconds)) == text)
  }
}
