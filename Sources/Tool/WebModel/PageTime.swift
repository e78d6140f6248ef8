// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Times of records and of queries, in seconds since 1970.
package enum PageTime {
  /// Reads `2017-04-25T04:34:41.876974Z`, or a number of seconds; nil if it is neither.
  package static func seconds(_ text: some StringProtocol) -> Double? {
    if let number = Double(text) { return number.isFinite ? number : nil }
    return UTCTime(text).map { Double($0.seconds) + Double($0.nanoseconds) / 1e9 }
  }
}
