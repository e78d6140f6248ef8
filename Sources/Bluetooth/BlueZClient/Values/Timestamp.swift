// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import Glibc

/// A moment on the wall clock with nanosecond resolution, without a time zone.
public struct Timestamp: Sendable, Hashable, Comparable {
  /// Seconds since 1970-01-01T00:00:00Z.
  public let seconds: Int
  /// The fraction of the second, 0 to 999 999 999.
  public let nanoseconds: Int

  /// Makes a moment from its parts.
  public init(seconds: Int, nanoseconds: Int) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// The current moment.
  public static var now: Timestamp {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(seconds: time.tv_sec, nanoseconds: time.tv_nsec)
  }

  /// Returns whether one moment is before the other.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }

  /// The seconds that have passed on the wall clock since a start; negative if that is later.
  package func seconds(since start: Timestamp) -> Double {
    Double(seconds - start.seconds) + Double(nanoseconds - start.nanoseconds) / 1e9
  }
}

extension Timestamp: CustomStringConvertible {
  /// RFC 3339 in UTC with microseconds, for records: `2017-04-25T04:34:41.876974Z`.
  public var utc: String { TimestampFormat.utc(seconds: seconds, nanoseconds: nanoseconds) }

  /// Appends ``utc`` to a line.
  package func appendUTC(to line: inout [UInt8]) {
    TimestampFormat.append(seconds: seconds, nanoseconds: nanoseconds, to: &line)
  }

  /// Makes ``utc`` of another moment of the same second that of this one.
  package func replaceFraction(inUTC text: inout [UInt8]) {
    TimestampFormat.replaceFraction(inUTC: &text, nanoseconds: nanoseconds)
  }

  /// The local time with its offset, for people: `2017-04-25 12:34:41.876974+0800`.
  public var local: String { TimestampFormat.local(seconds: seconds, nanoseconds: nanoseconds) }

  /// The same as ``utc``.
  public var description: String { utc }
}

/// A moment on two clocks: the wall clock for people, and the monotonic clock for durations.
package struct Moment: Sendable, Comparable {
  package let time: Timestamp
  package let instant: ContinuousClock.Instant

  /// Creates the current moment.
  package init() { self.init(time: .now, instant: LoopClock.now) }

  package init(time: Timestamp, instant: ContinuousClock.Instant) {
    (self.time, self.instant) = (time, instant)
  }

  package static func < (left: Moment, right: Moment) -> Bool { left.instant < right.instant }
}
