// SPDX-License-Identifier: MIT
internal import Glibc

/// A moment on the wall clock, to the nanosecond, without a time zone.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Seconds since 1970-01-01T00:00:00Z.
  public let seconds: Int
  /// 0 to 999 999 999.
  public let nanoseconds: Int

  /// Makes a moment of its parts.
  public init(seconds: Int, nanoseconds: Int) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The moment now.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// Whether one moment comes before the other.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}
