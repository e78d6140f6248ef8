// SPDX-License-Identifier: MIT
import Testing

@testable import BLEMeaning

@Suite("GregorianDate")
struct GregorianDateTests {
  @Test(
    "days and dates belong together, before 1970 too",
    arguments: [
      (0, 1970, 1, 1), (-1, 1969, 12, 31), (19_782, 2024, 2, 29), (19_783, 2024, 3, 1),
      (-25_509, 1900, 2, 28),
      (-25_508, 1900, 3, 1), (11_016, 2000, 2, 29), (-719_528, 0, 1, 1), (2_932_896, 9999, 12, 31),
    ])
  func pairs(number: Int, year: Int, month: Int, day: Int) {
    let date = GregorianDate(year: year, month: month, day: day)
    #expect(GregorianDate(dayNumber: number) == date)
    #expect(date.dayNumber == number)
  }

  @Test("every day of eight hundred years comes back")
  func everyDay() {
    for number in -200_000..<100_000 {
      guard GregorianDate(dayNumber: number).dayNumber == number else {
        Issue.record("day \(number)")
        return
      }
    }
  }

  @Test(
    "a date that is typed may lie anywhere",
    arguments: ["9223372036854775807-01-01", "1969-12-31", "2023-02-29"])
  func far(text: String) {
    #expect(throws: FormatError.self) { try CalendarDay.day(of: text) }
  }
}
