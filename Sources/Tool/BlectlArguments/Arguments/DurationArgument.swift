// SPDX-License-Identifier: MIT
internal import BLEFormats

/// A length of time on the command line: DURATION.
package struct DurationArgument: Sendable, Hashable {
  /// Nil for no limit.
  package let limit: Duration?

  package init(_ limit: Duration?) {
    self.limit = limit
  }

  /// Parses `500ms`, `1.5s`, `2m`, `1h`, `1d` or seconds, with nine decimals at most; `0` sets no limit.
  package init(parsing text: String) throws(ArgumentError) {
    let lengths = text.prefix { $0.isNumber || $0 == "." }.split(separator: ".").map(\.utf8.count)
    // Ten digits of hours are a million years; nine decimals are nanoseconds.
    guard lengths.first ?? 0 <= 10, lengths.dropFirst().first ?? 0 <= 9,
      let duration = DurationText.duration(text, in: ["", "ms", "s", "m", "h", "d"])
    else {
      if text.wholeMatch(of: /[-−][0-9.]+[a-z]*/) != nil {
        throw ArgumentError(text, "is negative, which no duration is")
      }
      throw ArgumentError(text, "is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit")
    }
    limit = duration == .zero ? nil : duration
  }
}

extension DurationArgument: CustomStringConvertible {
  /// The largest unit that needs no decimals, down to milliseconds: `2m`, `90s`, `500ms`, `0`.
  package var description: String { limit.map { DurationText.text($0, downTo: "ms") } ?? "0" }
}

/// A number of bytes on the command line: SIZE.
package struct SizeArgument: Sendable, Hashable {
  package let bytes: Int

  package init(_ bytes: Int) { self.bytes = bytes }

  /// Parses `64K`, `16M`, `1G`, or bytes; `KB` and `KiB` are K, 1024 bytes; throws for 0.
  package init(parsing text: String) throws(ArgumentError) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let unit = text[digits.endIndex...]
    guard let number = Int(digits), number > 0, digits.utf8.count <= 9,
      let power = Self.units.first(where: { $0.names.contains(String(unit)) })?.power
    else {
      throw ArgumentError(text, "is not a size; use 64K, 16M or 1G")
    }
    bytes = number << power
  }

  private static let units: [(names: [String], power: Int)] = [
    (["", "B"], 0), (["K", "k", "KB", "KiB"], 10), (["M", "MB", "MiB"], 20), (["G", "GB", "GiB"], 30),
  ]
}

extension SizeArgument: CustomStringConvertible {
  /// The largest unit that needs no decimals: `16M`, `1536K`, `100`.
  package var description: String {
    for (names, power) in Self.units.reversed() where bytes > 0 && bytes.trailingZeroBitCount >= power {
      return "\(bytes >> power)\(names[0])"
    }
    return "\(bytes)"
  }
}
