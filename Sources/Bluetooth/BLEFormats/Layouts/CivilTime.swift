// SPDX-License-Identifier: MIT

/// The local time and date, which `now` writes.
public struct CivilTime: Sendable, Hashable {
  /// The year of the Gregorian calendar.
  public var year: Int
  /// 1 to 12.
  public var month: Int
  /// 1 to 31.
  public var day: Int
  /// 0 to 23.
  public var hour: Int
  /// 0 to 59.
  public var minute: Int
  /// 0 to 59, also for a leap second.
  public var second: Int
  /// 256ths of a second, 0 to 255.
  public var fractions: Int
  /// 1 is Monday, 7 is Sunday.
  public var weekday: Int
  /// The offset of standard time from UTC, in quarters of an hour.
  public var zoneQuarters: Int
  /// The daylight saving offset, in quarters of an hour.
  public var daylightSavingQuarters: Int

  /// Creates a time; each parameter sets the property of its name.
  public init(
    year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, fractions: Int = 0,
    weekday: Int = 0,
    zoneQuarters: Int = 0, daylightSavingQuarters: Int = 0
  ) {
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
    (self.fractions, self.weekday) = (fractions, weekday)
    (self.zoneQuarters, self.daylightSavingQuarters) = (zoneQuarters, daylightSavingQuarters)
  }
}
