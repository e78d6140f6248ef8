// SPDX-License-Identifier: MIT
internal import JSON

/// The text format of a value's bytes: FORMAT on the command line.
package enum ValueFormat: Sendable, Hashable {
  /// The standard meaning of the characteristic; ``hex`` if it has none.
  case auto
  /// Lower-case hexadecimal digits.
  case hex
  /// UTF-8.
  case utf8
  case base64
  /// The bytes themselves, printed unchanged.
  case raw
  /// One or several integers.
  case integer(IntegerFormat)
  /// One or several IEEE 754 numbers.
  case real(RealFormat)
  /// One or several IEEE 11073 numbers.
  case medical(MedicalFloat)

  /// All formats, in the order of lists.
  package static let all: [ValueFormat] =
    [.auto, .hex, .utf8, .base64, .raw] + IntegerFormat.all.map(ValueFormat.integer)
    + RealFormat.all.map(ValueFormat.real) + MedicalFloat.allCases.map(ValueFormat.medical)

  package static var words: [String] { all.map(\.word) }

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

  /// Creates the format that stands before the first colon of `FORMAT:TEXT`; nil without a colon, or after hexadecimal digits.
  ///
  /// - Throws: an error with similar names.
  package init?(before text: String) throws(FormatError) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let word = text[..<colon]
    if let format = Self.all.first(where: { $0.word == word }) {
      self = format
      return
    }
    if word.allSatisfy({ $0.isHexDigit || "xX ".contains($0) }) { return nil }
    try self.init(parsing: word)
  }

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

extension ValueFormat {
  /// Decodes bytes to text, with spaces between numbers; it is not escaped for a terminal.
  ///
  /// Returns nil if they do not match this format: numbers with bytes left over, invalid UTF-8.
  package func decode(_ bytes: [UInt8]) -> String? {
    switch self {
    case .auto, .hex, .raw: Hex.string(bytes)
    case .utf8: String(validating: bytes, as: UTF8.self)
    case .base64: Base64.string(bytes)
    case .integer(let format): numbers(in: bytes, of: format.size) { format.decode($0).description }
    case .real(let format): numbers(in: bytes, of: format.size) { format.decode($0) }
    case .medical(let format): numbers(in: bytes, of: format.size) { format.decode($0) }
    }
  }

  /// Returns why the bytes do not match this format, `57 is 1 byte`, or nil if they do.
  package func problem(with bytes: [UInt8]) -> String? {
    if decode(bytes) != nil { return nil }
    let digits = Hex.string(bytes)
    return self == .utf8
      ? "\(digits) is not valid UTF-8" : "\(digits) is \(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
  }

  /// Decodes bytes to text, or to digits and the reason if they do not match: `0102ff (3 bytes, not u16)`.
  package func text(of bytes: [UInt8]) -> String {
    if let text = decode(bytes) { return text }
    return "\(Hex.string(bytes)) (\(bytes.count) byte\(bytes.count == 1 ? "" : "s"), not \(word))"
  }

  private func numbers(in bytes: [UInt8], of size: Int, _ decode: (ArraySlice<UInt8>) -> String) -> String? {
    guard bytes.count.isMultiple(of: size) else { return nil }
    return stride(from: 0, to: bytes.count, by: size).map { decode(bytes[$0..<$0 + size]) }
      .joined(separator: " ")
  }
}

extension ValueFormat {
  /// Encodes the text after `FORMAT:`; spaces or commas separate several numbers.
  package func encode(_ text: some StringProtocol) throws(FormatError) -> [UInt8] {
    switch self {
    case .auto: throw FormatError("auto:\(text)", "depends on the characteristic")
    case .hex: return try HexValue.bytes(text)
    case .utf8, .raw: return Array(text.utf8)
    case .base64:
      guard let bytes = Base64.bytes(text) else { throw FormatError(text, "is not base64") }
      return bytes
    case .integer(let format):
      return try numbers(in: text) { number throws(FormatError) in try format.encode(number) }
    case .real(let format):
      return try numbers(in: text) { number throws(FormatError) in try format.encode(number) }
    case .medical(let format):
      return try numbers(in: text) { number throws(FormatError) in try format.encode(number) }
    }
  }

  private func numbers(
    in text: some StringProtocol, _ encode: (String) throws(FormatError) -> [UInt8]
  ) throws(FormatError) -> [UInt8] {
    let numbers = text.split { $0 == " " || $0 == "\t" || $0 == "," }
    if numbers.isEmpty { throw FormatError("\(word):\(text)", "has no number") }
    var bytes: [UInt8] = []
    for number in numbers { bytes += try encode(String(number)) }
    return bytes
  }
}
