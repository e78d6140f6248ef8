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

  /// The reason why libcrypto cannot be loaded; nil if it is.
  static let failure: String? = ccrypto_load().map { String(cString: $0) }

  /// Creates the cipher of a key of 16 bytes.
  package init(key: [UInt8]) throws(CipherError) {
    guard key.count == CCRYPTO_BLOCK else { throw .invalidLength }
    if let failure = Self.failure { throw .unavailable(failure) }
    self.key = key
  }

  /// Encrypts one block of 16 bytes, the mode ECB.
  package func encrypt(block: [UInt8]) throws(CipherError) -> [UInt8] {
    guard block.count == CCRYPTO_BLOCK else { throw .invalidLength }
    return try Self.write(block.count) { ccrypto_encrypt_block(key, block, $0) }
  }

  /// Encrypts or decrypts bytes in the mode CTR, from a counter of 16 bytes on, most significant byte first.
  package func count(_ bytes: [UInt8], from counter: [UInt8]) throws(CipherError) -> [UInt8] {
    guard counter.count == CCRYPTO_BLOCK else { throw .invalidLength }
    return try Self.write(bytes.count) { result in
      Self.read(bytes) { ccrypto_count(key, counter, $0, result) }
    }
  }

  /// Encrypts bytes in the mode CCM, with a nonce of 7 to 13 bytes and a tag of 4, 6 … 16.
  package func seal(
    _ bytes: [UInt8], nonce: [UInt8], associated: [UInt8] = [], tagCount: Int
  ) throws(CipherError) -> Sealed {
    guard Self.isAllowed(nonceCount: nonce.count, tagCount: tagCount) else { throw .invalidLength }
    // The tag stands behind the bytes.
    let both = try Self.write(bytes.count + tagCount) { result in
      Self.read(bytes) { bytes in
        Self.read(nonce) { nonce in
          Self.read(associated) {
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
    return try Self.write(sealed.bytes.count) { result in
      Self.read(sealed.bytes) { bytes in
        Self.read(sealed.tag) { tag in
          Self.read(nonce) { nonce in
            Self.read(associated) { ccrypto_open(key, nonce, $0, bytes, tag, result) }
          }
        }
      }
    }
  }

  private static func isAllowed(nonceCount: Int, tagCount: Int) -> Bool {
    (7...13).contains(nonceCount) && (4...16).contains(tagCount) && tagCount.isMultiple(of: 2)
  }

  /// Passes bytes to C.
  static func read(_ bytes: [UInt8], _ body: (ccrypto_bytes) -> Int32) -> Int32 {
    bytes.withUnsafeBufferPointer { body(ccrypto_bytes(start: $0.baseAddress, count: $0.count)) }
  }

  /// Returns the bytes that C writes, unless its status is an error.
  static func write(
    _ count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Int32
  ) throws(CipherError) -> [UInt8] {
    // One byte more: an array without bytes has no address.
    var result = [UInt8](repeating: 0, count: count + 1)
    switch Int(body(&result)) {
    case CCRYPTO_OK: return Array(result.prefix(count))
    case CCRYPTO_NOT_AUTHENTIC: throw .notAuthentic
    default: throw .invalidLength
    }
  }
}

extension AES.Sealed {
  /// Puts bytes and a tag together.
  package init(bytes: some Collection<UInt8>, tag: some Collection<UInt8>) {
    (self.bytes, self.tag) = (Array(bytes), Array(tag))
  }
}

/// An error that prevents the encryption or decryption of bytes.
package enum CipherError: Error, Sendable, Hashable {
  /// libcrypto cannot be loaded, with the reason.
  case unavailable(String)
  /// The tag does not fit the bytes, the nonce and the key.
  case notAuthentic
  /// A key, a nonce or a tag has a length that the mode does not allow.
  case invalidLength
}
