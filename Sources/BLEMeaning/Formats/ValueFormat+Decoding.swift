// SPDX-License-Identifier: MIT

extension ValueFormat {
  /// The bytes as text, or nil if they do not match this format: numbers with bytes left over, invalid UTF-8.
  ///
  /// Spaces separate several numbers. The text is not escaped for a terminal.
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

  /// Why the bytes do not match this format: `57 is 1 byte`; nil if they do.
  package func problem(with bytes: [UInt8]) -> String? {
    if decode(bytes) != nil { return nil }
    let digits = Hex.string(bytes)
    return self == .utf8
      ? "\(digits) is not valid UTF-8" : "\(digits) is \(bytes.count) byte\(bytes.count == 1 ? "" : "s")"
  }

  /// The bytes as text; if they do not match this format, their hex digits and the reason: `0102ff (3 bytes, not u16)`.
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
