// SPDX-License-Identifier: MIT

/// An error that prevents the encryption or decryption of bytes.
package enum CipherError: Error, Sendable, Hashable {
  /// libcrypto cannot be loaded, with the reason.
  case unavailable(String)
  /// The tag does not fit the bytes, the nonce and the key.
  case notAuthentic
  /// A key, a nonce or a tag has a length that the mode does not allow.
  case invalidLength
}
