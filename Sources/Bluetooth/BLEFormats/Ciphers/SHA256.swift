// SPDX-License-Identifier: MIT
internal import CPlatform

/// SHA-256, by libcrypto, which is loaded at the first use.
package enum SHA256 {
  /// The digest of bytes: 32 bytes.
  package static func digest(of bytes: [UInt8]) throws(CipherError) -> [UInt8] {
    try LibCrypto.digest(of: bytes, CCRYPTO_DIGEST) { ccrypto_sha256($0, $1) }
  }

  /// The authentication code of bytes with a key, HMAC-SHA-256: 32 bytes.
  package static func authenticationCode(of bytes: [UInt8], key: [UInt8]) throws(CipherError) -> [UInt8] {
    try LibCrypto.require()
    return try LibCrypto.write(CCRYPTO_DIGEST) { result in
      LibCrypto.read(key) { key in LibCrypto.read(bytes) { ccrypto_hmac_sha256(key, $0, result) } }
    }
  }
}
