// SPDX-License-Identifier: MIT
internal import BLEFormats

/// One direction of an encrypted connection: each message has the next number as its nonce.
struct NoiseCipher: Sendable {
  private let cipher: ChaChaPoly
  private var count: UInt64 = 0

  init(key: [UInt8]) throws(CipherError) { cipher = try ChaChaPoly(key: key) }

  /// The nonce of the next message: the number is the only one in these protocols whose least significant byte is
  /// first.
  private mutating func nonce() -> [UInt8] {
    defer { count += 1 }
    return [0, 0, 0, 0] + count.littleEndianBytes
  }

  mutating func seal(_ bytes: [UInt8], associated: [UInt8] = []) throws(CipherError) -> [UInt8] {
    let next = nonce()
    return try cipher.seal(bytes, nonce: next, associated: associated)
  }

  mutating func open(
    _ sealed: ArraySlice<UInt8>, associated: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    let next = nonce()
    return try cipher.open(sealed, nonce: next, associated: associated)
  }
}

/// The answering side of a handshake `Noise_NNpsk0_25519_ChaChaPoly_SHA256`: "The Noise Protocol Framework", revision
/// 34.
///
/// Both sides have a key beforehand, and each makes one for this connection only.
struct NoiseResponder {
  /// The answer of the server, and the ciphers of both directions.
  struct Outcome {
    let answer: [UInt8]
    let receiving: NoiseCipher
    let sending: NoiseCipher
  }

  private static let name = "Noise_NNpsk0_25519_ChaChaPoly_SHA256"

  /// All that was said so far.
  private var hash: [UInt8]
  private var chainingKey: [UInt8]

  init(key: ProxyKey, prologue: [UInt8]) throws(CipherError) {
    // The name is longer than a digest, which therefore stands for it.
    hash = try SHA256.digest(of: Array(Self.name.utf8))
    chainingKey = hash
    try mix(prologue)
    let derived = try derive(key.bytes, 3)
    try mix(derived[1])
  }

  /// The length of a client's message without a payload: its public key, and a tag.
  static let messageCount = X25519.count + ChaChaPoly.tagCount

  /// Reads the client's message, and makes the answer.
  ///
  /// - Throws: ``TransportRefusal/wrongKey`` if the tag does not fit.
  mutating func answer(
    _ message: ArraySlice<UInt8>, with own: X25519
  ) throws(TransportRefusal) -> Outcome {
    guard message.count >= Self.messageCount else { throw .notTheProtocol }
    let (clientKey, sealed) = (Array(message.prefix(X25519.count)), message.dropFirst(X25519.count))
    do throws(CipherError) {
      var cipher = try mixed(publicKey: clientKey)
      _ = try cipher.open(sealed, associated: hash)
    } catch {
      throw error == .notAuthentic ? .wrongKey : TransportRefusal(error)
    }
    do throws(CipherError) {
      try mix(Array(sealed))
      _ = try mixed(publicKey: own.publicKey)
      let secret = try own.sharedSecret(with: clientKey)
      var cipher = try NoiseCipher(key: derive(secret, 2)[1])
      let tag = try cipher.seal([], associated: hash)
      let keys = try derive([], 2)
      return Outcome(
        answer: own.publicKey + tag, receiving: try NoiseCipher(key: keys[0]),
        sending: try NoiseCipher(key: keys[1]))
    } catch {
      throw TransportRefusal(error)
    }
  }

  /// Takes in a public key, which with a key beforehand also counts as a secret; returns the cipher of the tag that
  /// follows.
  private mutating func mixed(publicKey: [UInt8]) throws(CipherError) -> NoiseCipher {
    try mix(publicKey)
    return try NoiseCipher(key: derive(publicKey, 2)[1])
  }

  private mutating func mix(_ bytes: [UInt8]) throws(CipherError) {
    hash = try SHA256.digest(of: hash + bytes)
  }

  /// Takes in a secret; returns so many keys, the first of which is the next chaining key: HKDF.
  private mutating func derive(_ secret: [UInt8], _ count: UInt8) throws(CipherError) -> [[UInt8]] {
    let key = try SHA256.authenticationCode(of: secret, key: chainingKey)
    var keys: [[UInt8]] = []
    for number in 1...count {
      keys.append(try SHA256.authenticationCode(of: (keys.last ?? []) + [number], key: key))
    }
    chainingKey = keys[0]
    return keys
  }
}

extension TransportRefusal {
  init(_ error: CipherError) {
    self =
      if case .unavailable(let reason) = error {
        .noCiphers("\(DecryptionError.unavailable(reason))")
      } else {
        .notTheProtocol
      }
  }
}

extension ProxyTransport {
  /// The reason why this machine can encrypt no connection, as a sentence without a full stop; nil if it can.
  package static func missingCiphers() -> String? {
    do throws(CipherError) {
      let own = try X25519(privateKey: [UInt8](repeating: 1, count: X25519.count))
      var cipher = try NoiseCipher(key: SHA256.authenticationCode(of: own.publicKey, key: own.publicKey))
      _ = try cipher.seal([])
      return nil
    } catch .unavailable(let reason) {
      return "\(DecryptionError.unavailable(reason))"
    } catch {
      return "libcrypto has no X25519 or ChaCha20-Poly1305, as in FIPS mode"
    }
  }
}
