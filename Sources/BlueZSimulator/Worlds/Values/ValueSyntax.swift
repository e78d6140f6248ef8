// SPDX-License-Identifier: MIT
internal import BLEMeaning

/// The syntax of bytes in a world file, as VALUE on the command line: hexadecimal or `FORMAT:TEXT`.
enum ValueSyntax {
  /// The syntax as a regular expression.
  static let pattern =
    "^((hex|utf8|base64|raw|sfloat|float|[uif][0-9]{1,2}(be)?):[\\s\\S]*| *((0[xX])?([0-9A-Fa-f]{2})+[ :]*)*)$"

  /// The bytes of a text, or nil when it is invalid.
  static func bytes(_ text: String) -> [UInt8]? {
    if let colon = text.firstIndex(of: ":"), let format = try? ValueFormat(parsing: text[..<colon]) {
      return try? format.encode(text[text.index(after: colon)...])
    }
    return try? HexValue.bytes(text)
  }

  /// The text of bytes: printable ASCII as text, anything else in hexadecimal.
  static func text(_ bytes: [UInt8]) -> String {
    let isReadable = bytes.count > 2 && bytes.allSatisfy { (0x20..<0x7F).contains($0) }
    return isReadable ? "utf8:" + String(decoding: bytes, as: UTF8.self) : Hex.string(bytes)
  }
}
