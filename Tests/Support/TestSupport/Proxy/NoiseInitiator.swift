// SPDX-License-Identifier: MIT
package import BLEFormats

/// A client of an encrypted proxy: the asking side of `Noise_NNpsk0_25519_ChaChaPoly_SHA256`, and its frames.
///
/// It follows the specification by itself, so that a misreading of the product's fails a test.
package struct NoiseInitiator: Sendable {
  private let own: X25519
  private var (hash, chain): ([UInt8], [UInt8])
  private var sending: (key: [UInt8], count: UInt64)?
  private var receiving: (key: [UInt8], count: UInt64)?
  /// Both frames that a client begins with.
  package let opening: [UInt8]

  /// Makes a client; one with bad intentions sends another public key than that of its private one.
  ///
  ///   - hello: the contents of the first frame; empty, as clients send it.
  package init(
    key: [UInt8], privateKey: [UInt8], hello: [UInt8] = [], publicKey: [UInt8]? = nil
  ) throws(CipherError) {
    own = try X25519(privateKey: privateKey)
    let name = try SHA256.digest(of: Array("Noise_NNpsk0_25519_ChaChaPoly_SHA256".utf8))
    let point = publicKey ?? own.publicKey
    let prologue = Array("NoiseAPIInit".utf8) + [UInt8(hello.count >> 8), UInt8(hello.count & 0xff)] + hello
    var chain = name
    var hash = try SHA256.digest(of: name + prologue)
    let keys = try Self.expand(chain, key, 3)
    hash = try SHA256.digest(of: hash + keys[1])
    hash = try SHA256.digest(of: hash + point)
    let next = try Self.expand(keys[0], point, 2)
    chain = next[0]
    let tag = try ChaChaPoly(key: next[1]).seal([], nonce: Self.nonce(0), associated: hash)
    (self.hash, self.chain) = (try SHA256.digest(of: hash + tag), chain)
    opening = Self.frame(hello) + Self.frame([0] + point + tag)
  }

  /// Takes the server's handshake: the contents of its second frame.
  package mutating func finish(_ payload: [UInt8]) throws(CipherError) {
    guard payload.count == 49, payload[0] == 0 else { throw .invalidLength }
    let (point, tag) = (Array(payload[1..<33]), Array(payload[33...]))
    hash = try SHA256.digest(of: hash + point)
    chain = try Self.expand(chain, point, 2)[0]
    let keys = try Self.expand(chain, try own.sharedSecret(with: point), 2)
    _ = try ChaChaPoly(key: keys[1]).open(tag, nonce: Self.nonce(0), associated: hash)
    let both = try Self.expand(keys[0], [], 2)
    (sending, receiving) = ((both[0], 0), (both[1], 0))
  }

  /// Returns the next frame, with a message; `size` is what it says of its size.
  package mutating func frame(
    _ type: UInt16, _ body: [UInt8], size: Int? = nil
  ) throws(CipherError) -> [UInt8] {
    let size = size ?? body.count
    let head = [UInt8(type >> 8), UInt8(type & 0xff), UInt8(size >> 8), UInt8(size & 0xff)]
    return try frame(sealing: head + body)
  }

  /// Returns the next frame, with any bytes encrypted.
  package mutating func frame(sealing bytes: [UInt8]) throws(CipherError) -> [UInt8] {
    guard let (key, count) = sending else { throw .invalidLength }
    sending = (key, count + 1)
    return Self.frame(try ChaChaPoly(key: key).seal(bytes, nonce: Self.nonce(count)))
  }

  /// Decrypts the contents of the server's next frame.
  package mutating func open(_ payload: [UInt8]) throws(CipherError) -> (type: UInt16, body: [UInt8]) {
    guard let (key, count) = receiving else { throw .invalidLength }
    receiving = (key, count + 1)
    let bytes = try ChaChaPoly(key: key).open(payload, nonce: Self.nonce(count))
    guard bytes.count >= 4, Int(bytes[2]) << 8 | Int(bytes[3]) == bytes.count - 4 else {
      throw .invalidLength
    }
    return (UInt16(bytes[0]) << 8 | UInt16(bytes[1]), Array(bytes[4...]))
  }

  /// The contents of complete frames.
  package static func payloads(_ bytes: [UInt8]) -> [[UInt8]]? {
    var (rest, payloads): (ArraySlice<UInt8>, [[UInt8]]) = (bytes[...], [])
    while !rest.isEmpty {
      let header = Array(rest.prefix(3))
      guard header.count == 3, header[0] == 1 else { return nil }
      let size = Int(header[1]) << 8 | Int(header[2])
      guard rest.count >= 3 + size else { return nil }
      payloads.append(Array(rest.dropFirst(3).prefix(size)))
      rest = rest.dropFirst(3 + size)
    }
    return payloads
  }

  package static func frame(_ payload: [UInt8]) -> [UInt8] {
    [1, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)] + payload
  }

  private static func nonce(_ count: UInt64) -> [UInt8] {
    [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
  }

  private static func expand(
    _ chain: [UInt8], _ secret: [UInt8], _ count: UInt8
  ) throws(CipherError) -> [[UInt8]] {
    let key = try SHA256.authenticationCode(of: secret, key: chain)
    var (blocks, last): ([[UInt8]], [UInt8]) = ([], [])
    for number in 1...count {
      last = try SHA256.authenticationCode(of: last + [number], key: key)
      blocks.append(last)
    }
    return blocks
  }
}
