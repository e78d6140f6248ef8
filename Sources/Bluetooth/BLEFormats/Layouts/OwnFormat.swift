// SPDX-License-Identifier: MIT
internal import JSON

/// The format of a field in a layout of one's own.
enum OwnFormat: Sendable, Hashable {
  case integer(IntegerFormat)
  case real(RealFormat)
  case medical(MedicalFloat)
  /// One byte: 0 is false, 1 is true.
  case bool
  case utf8
  case hex
  case base64
  case unixTime(UnixTime)
  /// Seven bytes, as standard characteristics have them.
  case dateTime
  /// Bytes without a meaning.
  case reserved
  /// A checksum of all bytes before it.
  case checksum(TrailingChecksum)

  private static let times: [(word: String, format: OwnFormat)] = [false, true].flatMap { isBigEndian in
    [("unix", 4, false), ("unix64", 8, false), ("unixms", 8, true)].map { word, size, isInMilliseconds in
      let width = ByteWidth(size: size, isSigned: false, isBigEndian: isBigEndian)
      let time = UnixTime(width: width, isInMilliseconds: isInMilliseconds)
      return (word + (isBigEndian ? "be" : ""), .unixTime(time))
    }
  }

  /// All formats by their words, in the order of lists.
  static let all: [(word: String, format: OwnFormat)] =
    IntegerFormat.all.map { ($0.word, .integer($0)) } + RealFormat.all.map { ($0.word, .real($0)) }
    + MedicalFloat.allCases.map { ($0.word, .medical($0)) }
    + [("bool", .bool), ("utf8", .utf8), ("hex", .hex), ("base64", .base64)] + times
    + [("datetime", .dateTime), ("_", .reserved)] + TrailingChecksum.all.map { ($0.word, .checksum($0)) }

  private static let byWord = [String: OwnFormat](uniqueKeysWithValues: all.map { ($0.word, $0.format) })

  /// - Throws: an error with a suggestion.
  init(parsing word: some StringProtocol) throws(FormatError) {
    guard let format = Self.byWord[String(word)] else {
      let list = "the formats are \(Self.all.map(\.word).joined(separator: " "))"
      throw FormatError(word, "is not a format; \(Self.advice(for: word) ?? list)")
    }
    self = format
  }

  /// Returns the formats that a misspelt one may mean; nil if none is similar.
  static func advice(for word: some StringProtocol) -> String? {
    let words = all.map(\.word)
    // Those that it begins are nearer than any misspelt one.
    let longer = words.filter { $0.hasPrefix(word.lowercased()) }
    if word.utf8.count > 2, let question = Spelling.question(longer) { return question }
    return Spelling.advice(for: String(word), among: words)
  }

  /// Returns the longest format at the beginning of a text, and its length; nil if there is none.
  static func prefix(of text: Substring) -> (format: OwnFormat, length: Int)? {
    all.filter { text.hasPrefix($0.word) }.max { $0.word.count < $1.word.count }
      .map { ($0.format, $0.word.count) }
  }

  /// True if it has no name, and its value is not shown.
  var isHidden: Bool {
    switch self {
    case .reserved, .checksum: true
    default: false
    }
  }

  /// True if it can have a scale, an offset and a unit.
  var isNumber: Bool {
    switch self {
    case .integer, .real, .medical: true
    case .bool, .utf8, .hex, .base64, .unixTime, .dateTime, .reserved, .checksum: false
    }
  }

  /// True if it can have a number of elements or of bytes.
  var isCountable: Bool {
    switch self {
    case .integer, .real, .medical, .bool, .utf8, .hex, .base64, .reserved: true
    case .unixTime, .dateTime, .checksum: false
    }
  }
}
