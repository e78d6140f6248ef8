// SPDX-License-Identifier: MIT
internal import CPlatform

/// The key exchange X25519 (RFC 7748), by libcrypto, which is loaded at the first use.
package struct X25519: Sendable {
  /// The length of keys, and of what two have in common, in bytes.
  package static let count = CCRYPTO_X25519

  private let privateKey: [UInt8]
  package let publicKey: [UInt8]

  /// Creates the side of a private key, which is any 32 bytes.
  package init(privateKey: [UInt8]) throws(CipherError) {
    guard privateKey.count == Self.count else { throw .invalidLength }
    try LibCrypto.require()
    self.privateKey = privateKey
    publicKey = try LibCrypto.write(Self.count) { ccrypto_x25519_public(privateKey, $0) }
  }

  /// The bytes that this side and another have in common.
  ///
  /// - Throws: ``CipherError/notAuthentic`` if they are zero, whatever our key: so they would be for anyone.
  package func sharedSecret(with other: [UInt8]) throws(CipherError) -> [UInt8] {
    guard other.count == Self.count else { throw .invalidLength }
    return try LibCrypto.write(Self.count) { ccrypto_x25519(privateKey, other, $0) }
  }
}
