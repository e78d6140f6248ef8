// SPDX-License-Identifier: MIT
import ArgumentParser
import BLEMeaning

/// A value to be written, as typed: VALUE on the command line.
///
/// Parsing says where the bytes are; only ``bytes(standard:standardInput:file:)`` reads them.
enum ValueArgument: Sendable, Hashable {
  /// The bytes were typed: `f03d3d0002f7`, `0x01:02`, `u16:1000`, `utf8:hello`.
  case bytes([UInt8])
  /// The text has to be understood as a value of the characteristic: `auto:high`.
  case standard(String)
  /// All of standard input, as it is: `-`.
  case standardInput
  /// All of a file, as it is: `@FILE`.
  case file(String)

  /// The value that a text stands for.
  ///
  /// - Throws: an error that names the text, when it is neither hexadecimal nor of the format in front of its
  ///   colon.
  init(parsing text: String) throws(ArgumentError) {
    do throws(FormatError) {
      self = try Self.parsed(text)
    } catch {
      throw ArgumentError(error)
    }
  }

  private static func parsed(_ text: String) throws(FormatError) -> ValueArgument {
    if !text.isEmpty, let bytes = Hex.bytes(text) {
      return .bytes(bytes)
    } else if text == "-" {
      return .standardInput
    } else if text.hasPrefix("@") {
      guard text != "@" else { throw FormatError(text, "names no file") }
      return .file(String(text.dropFirst()))
    } else if let format = try Self.format(of: text) {
      if format == .auto { return .standard(String(text.dropFirst(format.word.count + 1))) }
      return .bytes(try format.encode(text.dropFirst(format.word.count + 1)))
    } else if text.allSatisfy({ $0 == " " }) {
      throw FormatError(text, "is empty; for no bytes write 'hex:'")
    } else {
      do throws(FormatError) {
        return .bytes(try HexValue.bytes(text))
      } catch {
        throw FormatError(text, error.reason + Self.advice(for: text))
      }
    }
  }

  /// How to write what is no hexadecimal value, when it may be meant as text.
  private static func advice(for text: String) -> String {
    if text.allSatisfy({ $0.isHexDigit || ":- xX".contains($0) }) { return "" }
    let isPlain = text.count <= 40 && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.,+".contains($0) }
    return "; for text write " + (isPlain ? "utf8:\(text)" : "'utf8:TEXT'")
  }

  /// The format in front of the first colon, or nil when that is hexadecimal digits or there is none.
  private static func format(of text: String) throws(FormatError) -> ValueFormat? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let word = text[..<colon]
    if let format = try? ValueFormat(parsing: word) { return format }
    let looksLikeDigits = word.allSatisfy { $0.isHexDigit || $0 == "x" || $0 == "X" || $0 == " " }
    return looksLikeDigits ? nil : try ValueFormat(parsing: String(word))
  }

  /// The bytes, read from where they are.
  ///
  /// - Parameters:
  ///   - standard: understands a text as a value of the characteristic.
  ///   - standardInput: reads all of standard input.
  ///   - file: reads all of the file with that path.
  /// - Returns: the bytes to write.
  /// - Throws: what the readers throw.
  func bytes<Failure: Error>(
    standard: (String) throws(Failure) -> [UInt8], standardInput: () throws(Failure) -> [UInt8],
    file: (String) throws(Failure) -> [UInt8]
  ) throws(Failure) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .standard(let text): try standard(text)
    case .standardInput: try standardInput()
    case .file(let path): try file(path)
    }
  }
}

extension ValueArgument: ExpressibleByArgument {
  /// For the reason of a refusal use `transform: ValueArgument.init(parsing:)`.
  init?(argument: String) {
    try? self.init(parsing: argument)
  }
}
