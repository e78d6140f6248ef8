// SPDX-License-Identifier: MIT
internal import CPlatform

/// SHA-512 and its short form SHA-384, which few images of firmware have; by libcrypto, which is loaded at the first use.
package enum SHA512 {
  /// The digest of bytes: 64 bytes.
  package static func digest(of bytes: [UInt8]) throws(CipherError) -> [UInt8] {
    try LibCrypto.digest(of: bytes, CCRYPTO_LONG_DIGEST) { ccrypto_sha512($0, $1) }
  }

  /// The SHA-384 of bytes: 48 bytes.
  package static func shortDigest(of bytes: [UInt8]) throws(CipherError) -> [UInt8] {
    try LibCrypto.digest(of: bytes, CCRYPTO_MIDDLE_DIGEST) { ccrypto_sha384($0, $1) }
  }
}
