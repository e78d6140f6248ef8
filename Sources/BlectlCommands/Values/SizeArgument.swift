// SPDX-License-Identifier: MIT

/// A number of bytes on the command line: SIZE.
struct SizeArgument: Sendable, Hashable {
  let bytes: Int

  init(_ bytes: Int) { self.bytes = bytes }

  /// The size that a text spells.
  ///
  /// - Parameter text: `64K`, `16M`, `1G`, or bytes; `KB` and `KiB` are K: 1024 bytes.
  /// - Throws: for anything else, including 0.
  init(parsing text: String) throws(ArgumentError) {
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
  /// The size in the largest unit that needs no decimals: `16M`, `1536K`, `100`.
  var description: String {
    for (names, power) in Self.units.reversed() where bytes > 0 && bytes.trailingZeroBitCount >= power {
      return "\(bytes >> power)\(names[0])"
    }
    return "\(bytes)"
  }
}
