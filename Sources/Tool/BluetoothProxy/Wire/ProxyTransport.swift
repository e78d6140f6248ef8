// SPDX-License-Identifier: MIT
package import BLEFormats

/// The bytes of a client's connection, in both directions, without the connection itself.
package struct ProxyTransport: Sendable {
  /// The protection of the connection.
  package enum Security: Sendable {
    case plaintext
    /// Encrypted with a key; the name and the address are readable by anyone.
    case noise(ProxyKey, name: ProxyName, address: BluetoothAddress)
  }

  /// The meaning of the bytes of a client.
  package enum Event: Sendable, Hashable {
    /// Bytes of the handshake to send.
    case send([UInt8])
    /// Messages may be sent from now on. Comes once, before the first message.
    case established
    case message(ClientMessage)
    /// A message of which nothing is known but the type; the connection is sound.
    case malformed(type: UInt16)
    /// The connection is to be closed, after the bytes are sent. No event follows.
    case refused(TransportRefusal, farewell: [UInt8])
  }

  /// The most bytes of a message's body that every connection can send.
  package static let longestBody = NoiseFrames.longestBody

  private enum Frames: Sendable {
    case plain(PlainFrames)
    case noise(NoiseFrames)
    case closed
  }

  private var frames: Frames
  /// Bytes of a frame that is not complete.
  private var buffer: [UInt8] = []

  /// Creates the transport of a new connection.
  ///
  ///   - isTurningAway: refuses the client with words that do not say anything about its key.
  package init(_ security: Security, isTurningAway: Bool = false) {
    self.init(security, isTurningAway: isTurningAway) {
      var system = SystemRandomNumberGenerator()
      return (0..<X25519.count).map { _ in system.next() }
    }
  }

  /// As above, with the private keys of handshakes.
  init(_ security: Security, isTurningAway: Bool = false, makePrivateKey: @escaping @Sendable () -> [UInt8]) {
    switch security {
    case .plaintext: frames = .plain(PlainFrames(isTurningAway: isTurningAway))
    case .noise(let key, let name, let address):
      frames = .noise(
        NoiseFrames(
          key: key, name: name, address: address, isTurningAway: isTurningAway, makePrivateKey: makePrivateKey
        ))
    }
  }

  /// Takes bytes as they come, and returns what they complete.
  package mutating func received(_ bytes: some Collection<UInt8>) -> [Event] {
    if case .closed = frames { return [] }
    var events: [Event] = []
    buffer.append(contentsOf: bytes)
    do throws(Refusing) {
      var rest = buffer[...]
      while try step(&rest, &events) {}
      let taken = rest.startIndex
      // Before the buffer changes, or it would be copied.
      rest = []
      if taken > 0 { buffer.removeFirst(taken) }
    } catch {
      events.append(.refused(error.refusal, farewell: error.farewell))
      (frames, buffer) = (.closed, [])
    }
    return events
  }

  /// Takes the next frame; returns false if it is not complete.
  private mutating func step(
    _ rest: inout ArraySlice<UInt8>, _ events: inout [Event]
  ) throws(Refusing) -> Bool {
    switch frames {
    case .plain(var plain):
      defer { frames = .plain(plain) }
      return try plain.step(&rest, &events)
    case .noise(var noise):
      defer { frames = .noise(noise) }
      return try noise.step(&rest, &events)
    case .closed: return false
    }
  }

  /// Returns the bytes of a message; nil if no frame can hold it, before ``Event/established``, and after a refusal.
  package mutating func encode(_ message: ServerMessage) -> [UInt8]? { frame(message.encoded) }

  /// Returns the bytes of a message that is encoded.
  mutating func frame(_ message: ServerMessage.Encoded) -> [UInt8]? {
    let (type, body) = message
    guard body.count <= Self.longestBody else { return nil }
    switch frames {
    case .plain: return PlainFrames.frame(type, body)
    case .noise(var noise):
      defer { frames = .noise(noise) }
      return noise.frame(type, body)
    case .closed: return nil
    }
  }
}

extension ProxyTransport.Event {
  /// The event of a message with a type and a body.
  init(type: UInt16, body: ArraySlice<UInt8>) {
    do throws(MalformedMessage) {
      self = .message(try ClientMessage(type: type, body: body))
    } catch {
      self = .malformed(type: type)
    }
  }
}

/// The reason why a connection is refused.
package enum TransportRefusal: Error, Sendable, Hashable {
  /// The client has another key.
  case wrongKey
  /// The client speaks plaintext, and the proxy encrypts.
  case wantsPlaintext
  /// The client encrypts, and the proxy speaks plaintext.
  case wantsEncryption
  /// The proxy was told to turn the client away.
  case turnedAway
  /// The bytes are not of the protocol, or were changed on their way.
  case notTheProtocol
  /// A frame is longer than any client sends.
  case tooLong
  /// The ciphers are missing, with the reason as a sentence without a full stop.
  case noCiphers(String)
}

/// A refusal, and what is said to the client before the connection is closed.
struct Refusing: Error {
  let refusal: TransportRefusal
  let farewell: [UInt8]

  /// The longest frame of a client that has shaken hands.
  static let longestFrame = 32_768
}
