// SPDX-License-Identifier: MIT

/// A date of the Gregorian calendar, and its day number since 1970-01-01.
package struct GregorianDate: Sendable, Hashable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int

  /// Days from 0000-03-01 to 1970-01-01: a year that starts in March has the leap day at its end.
  private static let daysBefore1970 = 719_468
  /// The calendar repeats every 400 years.
  private static let daysOfEra = 146_097

  package init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Creates the date of a day number, counted from 1970-01-01.
  package init(dayNumber: Int) {
    let (era, dayOfEra) = (dayNumber + Self.daysBefore1970).flooredQuotientAndRemainder(
      dividingBy: Self.daysOfEra)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let isNextYear = monthFromMarch >= 10
    year = era * 400 + yearOfEra + (isNextYear ? 1 : 0)
    month = isNextYear ? monthFromMarch - 9 : monthFromMarch + 3
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  }

  /// The day number, counted from 1970-01-01; a day after the end of the month is one of the next month.
  package var dayNumber: Int {
    let yearFromMarch = month > 2 ? year : year - 1
    let (era, yearOfEra) = yearFromMarch.flooredQuotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * Self.daysOfEra + dayOfEra - Self.daysBefore1970
  }
}

extension BinaryInteger {
  /// Returns the quotient rounded down, and the remainder, which has the sign of the divisor.
  package func flooredQuotientAndRemainder(dividingBy divisor: Self) -> (quotient: Self, remainder: Self) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder == 0 || (remainder < 0) == (divisor < 0)
      ? (quotient, remainder) : (quotient - 1, remainder + divisor)
  }
}
