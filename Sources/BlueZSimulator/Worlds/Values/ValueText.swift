// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// Bytes as a world file has them: as VALUE on the command line, hexadecimal or `FORMAT:TEXT`.
enum ValueText {
  /// The bytes of a text; nil when it is neither.
  static func bytes(_ text: String) -> [UInt8]? {
    if let colon = text.firstIndex(of: ":"), let format = try? ValueFormat(parsing: text[..<colon]) {
      return try? format.encode(text[text.index(after: colon)...])
    }
    return try? HexValue.bytes(text)
  }

  /// The text of some bytes: what is all letters as text, else hexadecimal digits.
  static func text(_ bytes: [UInt8]) -> String {
    let isReadable = bytes.count > 2 && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    return isReadable ? "utf8:" + String(decoding: bytes, as: UTF8.self) : Hex.string(bytes)
  }
}
