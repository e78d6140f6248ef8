// SPDX-License-Identifier: MIT
internal import CPlatform

/// ChaCha20-Poly1305 (RFC 8439), by libcrypto, which is loaded at the first use.
package struct ChaChaPoly: Sendable {
  /// The length of a tag, in bytes.
  package static let tagCount = CCRYPTO_TAG

  private let key: [UInt8]

  /// Creates the cipher of a key of 32 bytes.
  package init(key: [UInt8]) throws(CipherError) {
    guard key.count == CCRYPTO_CHACHA_KEY else { throw .invalidLength }
    try LibCrypto.require()
    self.key = key
  }

  /// Encrypts bytes with a nonce of 12 bytes; their tag stands behind them.
  package func seal(
    _ bytes: [UInt8], nonce: [UInt8], associated: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    guard nonce.count == CCRYPTO_CHACHA_NONCE else { throw .invalidLength }
    return try LibCrypto.write(bytes.count + Self.tagCount) { result in
      LibCrypto.read(associated) { associated in
        LibCrypto.read(bytes) { ccrypto_chacha_seal(key, nonce, associated, $0, result) }
      }
    }
  }

  /// Decrypts bytes with their tag behind them, and throws unless it shows that they are authentic.
  package func open(
    _ sealed: some Collection<UInt8>, nonce: [UInt8], associated: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    guard nonce.count == CCRYPTO_CHACHA_NONCE, sealed.count >= Self.tagCount else { throw .invalidLength }
    let (bytes, tag) = (Array(sealed.dropLast(Self.tagCount)), Array(sealed.suffix(Self.tagCount)))
    return try LibCrypto.write(bytes.count) { result in
      LibCrypto.read(associated) { associated in
        LibCrypto.read(bytes) { ccrypto_chacha_open(key, nonce, associated, $0, tag, result) }
      }
    }
  }
}
