// SPDX-License-Identifier: MIT
internal import ValueLogs

extension LogRotation {
  /// - Parameter text: a SIZE such as `100M`, or a DURATION such as `24h`; with its unit.
  /// - Throws: for anything else, and for less than a second.
  init(parsing text: String) throws(ArgumentError) {
    if let last = text.last, !last.isNumber {
      if let size = try? SizeArgument(parsing: text) {
        self = .size(size.bytes)
        return
      }
      if let seconds = (try? DurationArgument(parsing: text))?.limit?.components.seconds, seconds > 0 {
        self = .period(seconds: Int(seconds))
        return
      }
    }
    throw ArgumentError(text, "is neither a size nor a duration; use 100M or 24h")
  }
}
