// SPDX-License-Identifier: MIT
import Glibc
import TestSupport
import Testing

@testable import BLECentral

@Suite("TimestampFormat")
struct TimestampFormatTests {
  @Test(
    "UTC has the form of RFC 3339",
    arguments: [
      (0, 0, "1970-01-01T00:00:00.000000Z"), (1_493_094_881, 876_974_999, "2017-04-25T04:34:41.876974Z"),
      (951_782_400, 1000, "2000-02-29T00:00:00.000001Z"), (4_107_542_399, 999, "2100-02-28T23:59:59.000000Z"),
      (4_107_542_400, 0, "2100-03-01T00:00:00.000000Z"), (-1, 999_999_999, "1969-12-31T23:59:59.999999Z"),
      (253_402_300_799, 0, "9999-12-31T23:59:59.000000Z"), (-86_401, 0, "1969-12-30T23:59:59.000000Z"),
    ])
  func utc(seconds: Int, nanoseconds: Int, text: String) {
    #expect(TimestampFormat.utc(seconds: seconds, nanoseconds: nanoseconds) == text)
  }

  @Test(
    "the local form has a space and the offset",
    arguments: [
      (28_800, "2017-04-25 12:34:41.876974+0800"), (0, "2017-04-25 04:34:41.876974+0000"),
      (-12_600, "2017-04-25 01:04:41.876974-0330"), (20_700, "2017-04-25 10:19:41.876974+0545"),
      (-36_000, "2017-04-24 18:34:41.876974-1000"),
    ])
  func local(offset: Int, text: String) {
    #expect(
      TimestampFormat.local(seconds: 1_493_094_881, nanoseconds: 876_974_000, offset: offset) == text)
  }

  @Test("the time zone of the process is the one of the C library")
  func zone() {
    var moment = time_t(1_493_094_881)
    var fields = tm()
    localtime_r(&moment, &fields)
    #expect(TimestampFormat.localOffset(at: moment) == fields.tm_gmtoff)
    #expect(
      TimestampFormat.local(seconds: moment, nanoseconds: 0)
        == TimestampFormat.local(seconds: moment, nanoseconds: 0, offset: fields.tm_gmtoff))
  }

  @Test("any moment agrees with the C library")
  func agrees() {
    var random = SeededGenerator(seed: 13)
    for _ in 0..<2000 {
      let seconds = Int.random(in: -2_208_988_800...253_402_300_799, using: &random)
      var moment = time_t(seconds)
      var fields = tm()
      gmtime_r(&moment, &fields)
      var buffer = [CChar](repeating: 0, count: 32)
      let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &fields)
      let expected = buffer.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) }
      #expect(TimestampFormat.utc(seconds: seconds, nanoseconds: 5_000) == expected + ".000005Z")
    }
  }

  @Test("a time out of all reason still has its length", arguments: [Int64.max / 2, Int64.min / 2])
  func unreasonable(seconds: Int64) {
    #expect(TimestampFormat.utc(seconds: Int(seconds), nanoseconds: 0).utf8.count == 27)
  }
}
