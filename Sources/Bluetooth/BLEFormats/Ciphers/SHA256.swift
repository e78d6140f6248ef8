// SPDX-License-Identifier: MIT
internal import CPlatform

/// SHA-256, by libcrypto, which is loaded at the first use.
package enum SHA256 {
  /// The digest of bytes: 32 bytes.
  package static func digest(of bytes: [UInt8]) throws(CipherError) -> [UInt8] {
    if let failure = AES.failure { throw .unavailable(failure) }
    return try AES.write(CCRYPTO_DIGEST) { result in AES.read(bytes) { ccrypto_sha256($0, result) } }
  }
}
