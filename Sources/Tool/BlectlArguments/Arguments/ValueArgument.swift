// SPDX-License-Identifier: MIT
package import BLEFormats

/// A VALUE on the command line; ``bytes(checksum:standard:standardInput:file:)`` reads the bytes from their source.
package enum ValueArgument: Sendable, Hashable {
  /// Literal bytes: `f03d3d0002f7`, `0x01:02`, `u16:1000`, `utf8:hello`.
  case bytes([UInt8])
  /// A text in the known format of the characteristic: `auto:high`.
  case standard(String)
  /// Fields of the characteristic, `rate=100`; several such words are one value.
  case fields(String)
  /// A checksum of the bytes of the VALUEs before it: `xor8`.
  case checksum(TrailingChecksum)
  /// All of standard input, unchanged: `-`.
  case standardInput
  /// All of a file, unchanged: `@FILE`.
  case file(String)

  /// Parses VALUE; the error contains a text that is neither hexadecimal nor of the format before its colon.
  package init(parsing text: String) throws(ArgumentError) {
    do throws(FormatError) {
      self = try Self.parsed(text)
    } catch {
      throw ArgumentError(error)
    }
  }

  private static func parsed(_ text: String) throws(FormatError) -> ValueArgument {
    if !text.isEmpty, let bytes = Hex.bytes(text) {
      return .bytes(bytes)
    } else if let checksum = TrailingChecksum(word: text) {
      return .checksum(checksum)
    } else if text == "-" {
      return .standardInput
    } else if text.hasPrefix("@") {
      guard text != "@" else { throw FormatError(text, "does not name a file") }
      return .file(String(text.dropFirst()))
    } else if text.prefixMatch(of: /[A-Za-z_][A-Za-z0-9_]*=/) != nil {
      return .fields(text)
    } else if let format = try ValueFormat(before: text) {
      if format == .auto { return .standard(String(text.dropFirst(format.word.count + 1))) }
      return .bytes(try format.encode(text.dropFirst(format.word.count + 1)))
    } else if text.allSatisfy({ $0 == " " }) {
      throw FormatError(text, "is empty; for no bytes use 'hex:'")
    } else {
      do throws(FormatError) {
        return .bytes(try TrailingChecksum.typed(text))
      } catch {
        throw FormatError(text, error.reason + Self.advice(for: text))
      }
    }
  }

  /// Returns advice on writing a value that was probably meant as text.
  private static func advice(for text: String) -> String {
    if let advice = TrailingChecksum.advice(for: text) { return "; " + advice }
    if text.allSatisfy({ $0.isHexDigit || ":- xX".contains($0) }) { return "" }
    let isPlain = text.count <= 40 && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.,+".contains($0) }
    return "; for text use " + (isPlain ? "utf8:\(text)" : "'utf8:TEXT'")
  }

  /// Reads the bytes to write; `standard` encodes a text as a value of the characteristic, `checksum` computes one.
  package func bytes<Failure: Error>(
    checksum: (TrailingChecksum) throws(Failure) -> [UInt8], standard: (String) throws(Failure) -> [UInt8],
    standardInput: () throws(Failure) -> [UInt8],
    file: (String) throws(Failure) -> [UInt8]
  ) throws(Failure) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .checksum(let kind): try checksum(kind)
    case .standard(let text), .fields(let text): try standard(text)
    case .standardInput: try standardInput()
    case .file(let path): try file(path)
    }
  }
}
