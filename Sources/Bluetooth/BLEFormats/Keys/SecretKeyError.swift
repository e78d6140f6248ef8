// SPDX-License-Identifier: MIT

/// The reason that a text is not a key.
///
/// Unlike ``FormatError``, it never contains the text.
public struct SecretKeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The error as the rest of a sentence: `is not hexadecimal`.
  public let reason: String

  /// A sentence without a full stop: `the key is not hexadecimal`.
  public var description: String { "the key \(reason)" }

  /// Parses the bytes of a key of one of several lengths.
  static func bytes(_ text: some StringProtocol, counts: [Int]) throws(SecretKeyError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(FormatError) {
      bytes = try HexValue.bytes(text)
    } catch {
      throw SecretKeyError(reason: error.reason)
    }
    guard counts.contains(bytes.count) else {
      let wanted = counts.map(String.init).joined(separator: " or ")
      throw SecretKeyError(
        reason: "has \(bytes.count) byte\(bytes.count == 1 ? "" : "s") instead of \(wanted)")
    }
    return bytes
  }
}
