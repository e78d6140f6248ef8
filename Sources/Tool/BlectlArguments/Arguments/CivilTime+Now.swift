// SPDX-License-Identifier: MIT
package import BLEFormats
internal import Glibc

extension CivilTime {
  /// The local time of this machine.
  package static var now: CivilTime {
    var instant = timespec()
    clock_gettime(CLOCK_REALTIME, &instant)
    return CivilTime(seconds: instant.tv_sec, nanoseconds: instant.tv_nsec)
  }

  /// The local time of an instant since 1970.
  package init(seconds: Int, nanoseconds: Int) {
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    let saving = parts.tm_isdst > 0 ? 4 : 0
    self.init(
      year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
      hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: min(59, Int(parts.tm_sec)),
      fractions: nanoseconds * 256 / 1_000_000_000, weekday: parts.tm_wday == 0 ? 7 : Int(parts.tm_wday),
      zoneQuarters: parts.tm_gmtoff / 900 - saving, daylightSavingQuarters: saving)
  }
}
