// SPDX-License-Identifier: MIT
internal import BLEFormats

/// Encrypted frames: a one, the size in two bytes, and so many bytes.
///
/// In them: the type and the size of the body in two bytes each, and the body.
struct NoiseFrames: Sendable {
  private enum Stage: Sendable {
    /// The client's first frame is to come.
    case hello
    /// The client's handshake is to come; the prologue is known.
    case handshake(prologue: [UInt8])
    case established(receiving: NoiseCipher, sending: NoiseCipher)
  }

  private let key: ProxyKey
  private let name: ProxyName
  private let address: BluetoothAddress
  private let isTurningAway: Bool
  private let makePrivateKey: @Sendable () -> [UInt8]
  private var stage = Stage.hello

  init(
    key: ProxyKey, name: ProxyName, address: BluetoothAddress, isTurningAway: Bool,
    makePrivateKey: @escaping @Sendable () -> [UInt8]
  ) {
    (self.key, self.name, self.address) = (key, name, address)
    (self.isTurningAway, self.makePrivateKey) = (isTurningAway, makePrivateKey)
  }

  private static let longestHandshake = 128
  private static let headerCount = 4
  /// The most bytes of a body: the size of a frame has 16 bits.
  static let longestBody = Int(UInt16.max) - headerCount - ChaChaPoly.tagCount

  // MARK: Sending

  /// Returns the frame of a message; nil before both sides know the ciphers, and if libcrypto has no memory.
  mutating func frame(_ type: UInt16, _ body: [UInt8]) -> [UInt8]? {
    guard case .established(let receiving, var sending) = stage else { return nil }
    let message = type.bigEndianBytes + UInt16(body.count).bigEndianBytes + body
    guard let sealed = try? sending.seal(message) else { return nil }
    stage = .established(receiving: receiving, sending: sending)
    return Self.frame(sealed)
  }

  private static func frame(_ payload: [UInt8]) -> [UInt8] {
    [1] + UInt16(payload.count).bigEndianBytes + payload
  }

  // MARK: Receiving

  /// Takes the next frame; returns false if it is not complete.
  mutating func step(
    _ rest: inout ArraySlice<UInt8>, _ events: inout [ProxyTransport.Event]
  ) throws(Refusing) -> Bool {
    guard let marker = rest.first else { return false }
    guard marker == 1 else {
      var isFirst = false
      if case .hello = stage { isFirst = true }
      throw refusing(marker == 0 && isFirst ? .wantsPlaintext : .notTheProtocol, "Bad indicator byte")
    }
    guard rest.count >= 3 else { return false }
    let size = Int(rest[rest.startIndex + 1]) << 8 | Int(rest[rest.startIndex + 2])
    guard size <= longestFrame else { throw refusing(.tooLong, "Bad handshake packet len") }
    let payload = rest.dropFirst(3).prefix(size)
    guard payload.count == size else { return false }
    rest = rest[payload.endIndex...]
    try take(payload, &events)
    return true
  }

  private var longestFrame: Int {
    if case .established = stage { Refusing.longestFrame } else { Self.longestHandshake }
  }

  private mutating func take(
    _ payload: ArraySlice<UInt8>, _ events: inout [ProxyTransport.Event]
  ) throws(Refusing) {
    switch stage {
    case .hello:
      // The protocol, a one, then who we are; readable without any key.
      let text = "\u{1}\(name.text)\0\(Hex.string(address.bytes))\0"
      events.append(.send(Self.frame(Array(text.utf8))))
      var prologue = Array("NoiseAPIInit".utf8)
      prologue += UInt16(payload.count).bigEndianBytes
      prologue += payload
      stage = .handshake(prologue: prologue)
    case .handshake(let prologue):
      let outcome = try shakeHands(payload, prologue)
      events += [.send(Self.frame([0] + outcome.answer)), .established]
      stage = .established(receiving: outcome.receiving, sending: outcome.sending)
    case .established(var receiving, let sending):
      guard let message = try? receiving.open(payload), message.count >= Self.headerCount else {
        throw Refusing(refusal: .notTheProtocol, farewell: [])
      }
      stage = .established(receiving: receiving, sending: sending)
      let type = UInt16(message[0]) << 8 | UInt16(message[1])
      let size = Int(message[2]) << 8 | Int(message[3])
      let body = message.dropFirst(Self.headerCount).prefix(size)
      guard body.count == size else { throw Refusing(refusal: .notTheProtocol, farewell: []) }
      events.append(ProxyTransport.Event(type: type, body: body))
    }
  }

  private func shakeHands(
    _ payload: ArraySlice<UInt8>, _ prologue: [UInt8]
  ) throws(Refusing) -> NoiseResponder.Outcome {
    if isTurningAway { throw refusing(.turnedAway, "Too many attempts") }
    guard let first = payload.first else { throw refusing(.notTheProtocol, "Empty handshake message") }
    guard first == 0 else { throw refusing(.notTheProtocol, "Bad handshake error byte") }
    do throws(TransportRefusal) {
      var responder: NoiseResponder
      let own: X25519
      do throws(CipherError) {
        responder = try NoiseResponder(key: key, prologue: prologue)
        own = try X25519(privateKey: makePrivateKey())
      } catch {
        throw TransportRefusal(error)
      }
      return try responder.answer(payload.dropFirst(), with: own)
    } catch {
      // To the letter: clients then ask for another key.
      throw refusing(error, error == .wrongKey ? "Handshake MAC failure" : "Handshake error")
    }
  }

  /// A refusal with a text, which only a client that shakes hands can read.
  private func refusing(_ refusal: TransportRefusal, _ text: String) -> Refusing {
    if case .established = stage { return Refusing(refusal: refusal, farewell: []) }
    return Refusing(refusal: refusal, farewell: Self.frame([1] + Array(text.utf8)))
  }
}
