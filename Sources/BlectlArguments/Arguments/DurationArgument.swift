// SPDX-License-Identifier: MIT

/// A length of time on the command line: DURATION.
package struct DurationArgument: Sendable, Hashable {
  /// Nil for no limit.
  package let limit: Duration?

  package init(_ limit: Duration?) {
    self.limit = limit
  }

  /// Parses `500ms`, `1.5s`, `2m`, `1h`, `1d` or seconds, with nine decimals at most; `0` is no limit.
  package init(parsing text: String) throws(ArgumentError) {
    let number = text.prefix { $0.isNumber || $0 == "." }
    let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let unit = Self.units.first { $0.name == text[number.endIndex...] }?.duration
    let fraction = parts.count > 1 ? parts[1] : "0"
    // Ten digits of hours are a million years; nine decimals are nanoseconds.
    guard let unit, let whole = Int(parts[0]), parts[0].utf8.count <= 10,
      let decimals = Int(fraction), fraction.utf8.count <= 9
    else {
      throw ArgumentError(text, "is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit")
    }
    let scale = fraction.utf8.reduce(1) { power, _ in power * 10 }
    let duration = unit * whole + unit * decimals / scale
    limit = duration == .zero ? nil : duration
  }

  private static let units: [(name: String, duration: Duration)] = [
    ("", .seconds(1)), ("ms", .milliseconds(1)), ("s", .seconds(1)), ("m", .seconds(60)),
    ("h", .seconds(3600)), ("d", .seconds(86_400)),
  ]
}

extension DurationArgument: CustomStringConvertible {
  /// The largest unit that needs no decimals, down to milliseconds: `2m`, `90s`, `500ms`, `0`.
  package var description: String {
    guard let limit else { return "0" }
    let (seconds, attoseconds) = limit.components
    if attoseconds != 0 { return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)ms" }
    if seconds.isMultiple(of: 3600) { return "\(seconds / 3600)h" }
    return seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s"
  }
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
