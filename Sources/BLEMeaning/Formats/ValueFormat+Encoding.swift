// SPDX-License-Identifier: MIT

extension ValueFormat {
  /// Encodes a text in this format.
  ///
  /// - Parameter text: the text after `FORMAT:`; spaces or commas separate several numbers.
  /// - Returns: the bytes to write.
  /// - Throws: if the text does not match this format, or if a number is out of range.
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
    let numbers = text.split { $0 == " " || $0 == "," }
    if numbers.isEmpty { throw FormatError("\(word):\(text)", "has no number") }
    var bytes: [UInt8] = []
    for number in numbers { bytes += try encode(String(number)) }
    return bytes
  }
}
