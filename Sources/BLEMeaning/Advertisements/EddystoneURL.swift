// SPDX-License-Identifier: MIT

/// The compressed web addresses of Eddystone-URL: the first byte is a scheme, bytes below 14 are endings.
enum EddystoneURL {
  /// The schemes, by their byte.
  private static let schemes = ["http://www.", "https://www.", "http://", "https://"]
  /// The domains of the endings: the first seven bytes stand for them with a slash, the next seven without.
  private static let domains = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
  /// The endings, by their byte.
  private static let endings = domains.map { $0 + "/" } + domains
  /// What fits behind the byte of the scheme.
  private static let longest = 17
  /// The characters that are sent as they are.
  private static let plain: ClosedRange<UInt8> = 0x21...0x7e

  /// The address, or nil if it has no scheme, or contains a byte that is invalid in addresses.
  static func decode(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first, schemes.indices.contains(Int(first)) else { return nil }
    var url = schemes[Int(first)]
    for byte in bytes.dropFirst() {
      if endings.indices.contains(Int(byte)) {
        url += endings[Int(byte)]
      } else if plain.contains(byte) {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        return nil
      }
    }
    return url
  }

  /// The shortest bytes of an address.
  ///
  /// - Throws: if it begins with none of the schemes, has a character that has to be percent-encoded, or is too long.
  static func encode(_ url: String) throws(FormatError) -> [UInt8] {
    // The schemes with `www.` come first: the longest one that fits is taken.
    guard let scheme = schemes.firstIndex(where: url.hasPrefix) else {
      throw FormatError(url, "does not begin with http:// or https://")
    }
    var rest = url.dropFirst(schemes[scheme].count)
    var bytes: [UInt8] = []
    while let character = rest.first {
      if let ending = endings.firstIndex(where: rest.hasPrefix) {
        bytes.append(UInt8(ending))
        rest = rest.dropFirst(endings[ending].count)
      } else if let byte = character.asciiValue, plain.contains(byte) {
        bytes.append(byte)
        rest = rest.dropFirst()
      } else {
        let escapes = character.utf8.map { "%" + Hex.string([$0]).uppercased() }.joined()
        throw FormatError(url, "contains a character that has to be written as \(escapes)")
      }
    }
    if bytes.isEmpty { throw FormatError(url, "has nothing behind \(schemes[scheme])") }
    if bytes.count > longest {
      throw FormatError(url, "is too long: compressed it has \(bytes.count) bytes, and \(longest) fit")
    }
    return [UInt8(scheme)] + bytes
  }
}
