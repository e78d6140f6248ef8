// SPDX-License-Identifier: MIT
internal import CPlatform

/// AES with a key of 128 bits, by libcrypto, which is loaded at the first use.
package struct AES: Sendable {
  /// Encrypted bytes, and the tag that authenticates them.
  package struct Sealed: Sendable, Hashable {
    package let bytes: [UInt8]
    package let tag: [UInt8]
  }

  private let key: [UInt8]

  /// Creates the cipher of a key of 16 bytes.
  package init(key: [UInt8]) throws(CipherError) {
    guard key.count == CCRYPTO_BLOCK else { throw .invalidLength }
    try LibCrypto.require()
    self.key = key
  }

  /// Encrypts one block of 16 bytes, the mode ECB.
  package func encrypt(block: [UInt8]) throws(CipherError) -> [UInt8] {
    guard block.count == CCRYPTO_BLOCK else { throw .invalidLength }
    return try LibCrypto.write(block.count) { ccrypto_encrypt_block(key, block, $0) }
  }

  /// Encrypts or decrypts bytes in the mode CTR, from a counter of 16 bytes on, most significant byte first.
  package func count(_ bytes: [UInt8], from counter: [UInt8]) throws(CipherError) -> [UInt8] {
    guard counter.count == CCRYPTO_BLOCK else { throw .invalidLength }
    return try LibCrypto.write(bytes.count) { result in
      LibCrypto.read(bytes) { ccrypto_count(key, counter, $0, result) }
    }
  }

  /// Encrypts bytes in the mode CCM, with a nonce of 7 to 13 bytes and a tag of 4, 6 … 16.
  package func seal(
    _ bytes: [UInt8], nonce: [UInt8], associated: [UInt8] = [], tagCount: Int
  ) throws(CipherError) -> Sealed {
    guard Self.isAllowed(nonceCount: nonce.count, tagCount: tagCount) else { throw .invalidLength }
    // The tag stands behind the bytes.
    let both = try LibCrypto.write(bytes.count + tagCount) { result in
      LibCrypto.read(bytes) { bytes in
        LibCrypto.read(nonce) { nonce in
          LibCrypto.read(associated) {
            ccrypto_seal(key, nonce, $0, bytes, result, result + bytes.count, tagCount)
          }
        }
      }
    }
    return Sealed(bytes: Array(both.prefix(bytes.count)), tag: Array(both.suffix(tagCount)))
  }

  /// Decrypts bytes in the mode CCM, and throws unless the tag shows that they are authentic.
  package func open(
    _ sealed: Sealed, nonce: [UInt8], associated: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    guard Self.isAllowed(nonceCount: nonce.count, tagCount: sealed.tag.count) else { throw .invalidLength }
    return try LibCrypto.write(sealed.bytes.count) { result in
      LibCrypto.read(sealed.bytes) { bytes in
        LibCrypto.read(sealed.tag) { tag in
          LibCrypto.read(nonce) { nonce in
            LibCrypto.read(associated) { ccrypto_open(key, nonce, $0, bytes, tag, result) }
          }
        }
      }
    }
  }

  private static func isAllowed(nonceCount: Int, tagCount: Int) -> Bool {
    (7...13).contains(nonceCount) && (4...16).contains(tagCount) && tagCount.isMultiple(of: 2)
  }
}

extension AES.Sealed {
  /// Puts bytes and a tag together.
  package init(bytes: some Collection<UInt8>, tag: some Collection<UInt8>) {
    (self.bytes, self.tag) = (Array(bytes), Array(tag))
  }
}
