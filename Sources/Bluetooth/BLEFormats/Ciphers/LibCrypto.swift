// SPDX-License-Identifier: MIT
internal import CPlatform

/// The parts that all uses of libcrypto share: it is loaded at the first one.
enum LibCrypto {
  private static let failure: String? = ccrypto_load().map { String(cString: $0) }

  /// Throws if the library cannot be loaded.
  static func require() throws(CipherError) {
    if let failure { throw .unavailable(failure) }
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

  /// Returns the digest of bytes, of a length in bytes.
  static func digest(
    of bytes: [UInt8], _ length: Int, _ body: (ccrypto_bytes, UnsafeMutablePointer<UInt8>) -> Int32
  ) throws(CipherError) -> [UInt8] {
    try require()
    return try write(length) { result in read(bytes) { body($0, result) } }
  }
}

/// An error that prevents the encryption or decryption of bytes.
package enum CipherError: Error, Sendable, Hashable {
  /// libcrypto cannot be loaded, with the reason.
  case unavailable(String)
  /// The tag does not fit the bytes, the nonce and the key; or a public key is none that protects.
  case notAuthentic
  /// A key, a nonce or a tag has a length that the mode does not allow.
  case invalidLength
}
