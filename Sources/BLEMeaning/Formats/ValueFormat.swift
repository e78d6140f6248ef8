// SPDX-License-Identifier: MIT

/// The text format of the bytes of a value: FORMAT on the command line.
package enum ValueFormat: Sendable, Hashable {
  /// The standard meaning of the characteristic; ``hex`` if it has none.
  case auto
  /// Lower-case hexadecimal digits.
  case hex
  /// Text in UTF-8.
  case utf8
  /// Base64.
  case base64
  /// The bytes themselves, printed unchanged.
  case raw
  /// One or several integers.
  case integer(IntegerFormat)
  /// One or several IEEE 754 numbers.
  case real(RealFormat)
  /// One or several IEEE 11073 numbers.
  case medical(MedicalFloat)

  /// All formats, in the order in which they are listed.
  package static let all: [ValueFormat] =
    [.auto, .hex, .utf8, .base64, .raw] + IntegerFormat.all.map(ValueFormat.integer)
    + RealFormat.all.map(ValueFormat.real) + MedicalFloat.allCases.map(ValueFormat.medical)

  /// The names of all formats.
  package static var words: [String] { all.map(\.word) }

  /// The format with a name.
  ///
  /// - Throws: an error that lists the valid names.
  package init(parsing word: some StringProtocol) throws(FormatError) {
    guard let format = Self.all.first(where: { $0.word == word }) else {
      let advice =
        Spelling.advice(for: String(word), among: Self.words)
        ?? "the formats are \(Self.words.joined(separator: " "))"
      throw FormatError(word, "is not a format; \(advice)")
    }
    self = format
  }

  /// The name of the format.
  package var word: String {
    switch self {
    case .auto: "auto"
    case .hex: "hex"
    case .utf8: "utf8"
    case .base64: "base64"
    case .raw: "raw"
    case .integer(let format): format.word
    case .real(let format): format.word
    case .medical(let format): format.word
    }
  }

  /// The size of a number in bytes, or nil for formats that are not numbers.
  package var numberSize: Int? {
    switch self {
    case .auto, .hex, .utf8, .base64, .raw: nil
    case .integer(let format): format.size
    case .real(let format): format.size
    case .medical(let format): format.size
    }
  }
}
