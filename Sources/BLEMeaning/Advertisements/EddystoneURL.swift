// SPDX-License-Identifier: MIT

/// The compressed web addresses of Eddystone-URL: the first byte is a scheme, bytes below 14 are endings.
enum EddystoneURL {
  private static func scheme(_ byte: UInt8) -> String? {
    switch byte {
    case 0: "http://www."
    case 1: "https://www."
    case 2: "http://"
    case 3: "https://"
    default: nil
    }
  }

  private static func ending(_ byte: UInt8) -> String? {
    let domain: String? =
      switch byte % 7 {
      case 0: ".com"
      case 1: ".org"
      case 2: ".edu"
      case 3: ".net"
      case 4: ".info"
      case 5: ".biz"
      default: ".gov"
      }
    return byte < 14 ? domain.map { byte < 7 ? $0 + "/" : $0 } : nil
  }

  /// The address, or nil if it has no scheme, or contains a byte that is invalid in addresses.
  static func decode(_ bytes: [UInt8]) -> String? {
    guard let first = bytes.first, var url = scheme(first) else { return nil }
    for byte in bytes.dropFirst() {
      if let ending = ending(byte) {
        url += ending
      } else if (0x21...0x7e).contains(byte) {
        url.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        return nil
      }
    }
    return url
  }
}
