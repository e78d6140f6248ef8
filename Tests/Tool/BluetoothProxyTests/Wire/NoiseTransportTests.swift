// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("The encrypted transport")
struct NoiseTransportTests {
  private func text(_ text: String) -> [UInt8] { NoiseInitiator.frame([1] + Array(text.utf8)) }

  // MARK: A session

  private let handshake: [ProxyTransport.Event] = [
    .send(SampleSession.serverHello), .send(SampleSession.serverHandshake), .established,
  ]
  private let messages: [ProxyTransport.Event] = [.message(SampleSession.hello), .message(.ping)]

  @Test("A session has the bytes of another implementation")
  func session() {
    var transport = SampleSession.transport()
    #expect(transport.received(SampleSession.clientOpening) == handshake)
    #expect(transport.received(SampleSession.clientHello) == [.message(SampleSession.hello)])
    #expect(transport.encode(SampleSession.helloResponse) == SampleSession.serverHelloResponse)
    #expect(transport.received(SampleSession.clientPing) == [.message(.ping)])
    #expect(transport.encode(.pong) == SampleSession.serverPingResponse)
  }

  @Test("Encrypted frames mean the same wherever they are cut")
  func cut() {
    let bytes = SampleSession.clientOpening + SampleSession.clientHello + SampleSession.clientPing
    for place in 0...bytes.count {
      var transport = SampleSession.transport()
      let first = transport.received(bytes[..<place])
      #expect(first + transport.received(bytes[place...]) == handshake + messages, "cut at \(place)")
    }
    var transport = SampleSession.transport()
    let single = bytes.flatMap { transport.received([$0]) }
    #expect(single == handshake + messages)
  }

  @Test("The contents of the client's first frame count", arguments: [[], [1], Array(0..<128)] as [[UInt8]])
  func prologue(hello: [UInt8]) throws {
    var (server, client) = try SampleSession.established(hello: hello)
    #expect(server.received(try client.frame(7, [])) == [.message(.ping)])
    let other = try NoiseInitiator(
      key: SampleSession.key, privateKey: SampleSession.clientKey, hello: hello + [2])
    var confused = SampleSession.transport()
    _ = confused.received(NoiseInitiator.frame(hello))
    let second = other.opening.dropFirst(3 + hello.count + 1)
    #expect(
      confused.received(second) == [.refused(.wrongKey, farewell: SampleSession.refusalOfKey)])
  }

  @Test("Each connection has a key of its own")
  func ephemeral() throws {
    let key = try #require(ProxyKey(bytes: SampleSession.key))
    var frames: Set<[UInt8]> = []
    for _ in 0..<3 {
      var transport = ProxyTransport(
        .noise(key, name: SampleSession.name, address: SampleSession.address))
      guard case .send(let frame) = transport.received(SampleSession.clientOpening).dropFirst().first else {
        Issue.record("no handshake")
        return
      }
      frames.insert(frame)
    }
    #expect(frames.count == 3)
  }

  @Test("A hundred messages in each direction are read in order")
  func many() throws {
    var (server, client) = try SampleSession.established()
    for number in 0..<100 as Range<UInt16> {
      let attribute = SampleDevice.attribute(number)
      let fields: [ProtobufField] = [.number(1, SampleDevice.number), .number(2, UInt64(number))]
      #expect(
        server.received(try client.frame(73, ProtobufField.encode(fields))) == [.message(.read(attribute))])
      let encoded = server.encode(.written(attribute))
      let frame = try #require(encoded)
      let (type, body) = try client.open(Array(frame.dropFirst(3)))
      #expect(type == 83 && body == ServerMessage.written(attribute).encoded.body)
    }
  }

  // MARK: Refusals

  @Test("Missing ciphers are told with what to install, and a machine with them misses none")
  func ciphers() {
    #expect(ProxyTransport.missingCiphers() == nil)
    #expect(
      TransportRefusal(.unavailable("no such file"))
        == .noCiphers("libcrypto is not installed (no such file); sudo apt install libssl3"))
    #expect(TransportRefusal(.invalidLength) == .notTheProtocol)
  }

  @Test("A wrong key is refused with the words that clients look for, after the name")
  func wrongKey() throws {
    let wrong = try NoiseInitiator(key: [UInt8](repeating: 9, count: 32), privateKey: SampleSession.clientKey)
    var transport = SampleSession.transport()
    #expect(
      transport.received(wrong.opening) == [
        .send(SampleSession.serverHello), .refused(.wrongKey, farewell: text("Handshake MAC failure")),
      ])
    #expect(text("Handshake MAC failure") == SampleSession.refusalOfKey)
    #expect(transport.received(SampleSession.clientOpening).isEmpty)
    #expect(transport.encode(.ping) == nil)
  }

  @Test("A client that is turned away gets the name, and no word about its key")
  func turnedAway() {
    var transport = SampleSession.transport(isTurningAway: true)
    #expect(
      transport.received(SampleSession.clientOpening) == [
        .send(SampleSession.serverHello), .refused(.turnedAway, farewell: text("Too many attempts")),
      ])
  }

  @Test("A client without encryption is told so at its first byte")
  func plaintext() {
    var transport = SampleSession.transport()
    #expect(
      transport.received([0]) == [.refused(.wantsPlaintext, farewell: text("Bad indicator byte"))])
  }

  @Test("Another protocol is refused", arguments: [2, 0x16, 0x47, 0xff] as [UInt8])
  func other(byte: UInt8) {
    var transport = SampleSession.transport()
    #expect(
      transport.received([byte]) == [.refused(.notTheProtocol, farewell: text("Bad indicator byte"))])
  }

  @Test("A frame of the handshake has at most 128 bytes, which is known before they come")
  func longHandshake() {
    var transport = SampleSession.transport()
    #expect(
      transport.received([1, 0, 129]) == [.refused(.tooLong, farewell: text("Bad handshake packet len"))])
    transport = SampleSession.transport()
    #expect(transport.received([1, 0, 0]) == [.send(SampleSession.serverHello)])
    #expect(
      transport.received([1, 0xff, 0xff])
        == [.refused(.tooLong, farewell: text("Bad handshake packet len"))])
  }

  @Test(
    "A handshake that is none is refused with a text",
    arguments: [
      ([], "Empty handshake message"), ([1] + [UInt8](repeating: 3, count: 48), "Bad handshake error byte"),
      ([0] + [UInt8](repeating: 3, count: 47), "Handshake error"), ([0], "Handshake error"),
    ] as [([UInt8], String)])
  func badHandshake(payload: [UInt8], words: String) {
    var transport = SampleSession.transport()
    _ = transport.received([1, 0, 0])
    #expect(
      transport.received(NoiseInitiator.frame(payload))
        == [.refused(.notTheProtocol, farewell: text(words))])
  }

  @Test("A public key that makes the session's keys known to all is refused", arguments: [0, 1] as [UInt8])
  func lowOrder(first: UInt8) throws {
    let point = [first] + [UInt8](repeating: 0, count: 31)
    let client = try NoiseInitiator(
      key: SampleSession.key, privateKey: SampleSession.clientKey, publicKey: point)
    var transport = SampleSession.transport()
    #expect(
      transport.received(client.opening) == [
        .send(SampleSession.serverHello), .refused(.notTheProtocol, farewell: text("Handshake error")),
      ])
  }

  // MARK: After the handshake

  @Test("Frames out of order, and frames that come twice, end the connection")
  func order() throws {
    var (server, client) = try SampleSession.established()
    let (first, second) = (try client.frame(7, []), try client.frame(8, []))
    var copy = server
    #expect(copy.received(second) == [.refused(.notTheProtocol, farewell: [])])
    copy = server
    #expect(
      copy.received(first + first) == [.message(.ping), .refused(.notTheProtocol, farewell: [])])
    #expect(server.received(first + second) == [.message(.ping), .message(.pong)])
  }

  @Test("A frame that was changed, or is shorter than a tag, ends the connection")
  func changed() throws {
    var (server, client) = try SampleSession.established()
    let frame = try client.frame(7, [])
    for place in 3..<frame.count {
      var (copy, changed) = (server, frame)
      changed[place] ^= 0x80
      #expect(copy.received(changed) == [.refused(.notTheProtocol, farewell: [])], "byte \(place)")
    }
    #expect(server.received([1, 0, 1, 5]) == [.refused(.notTheProtocol, farewell: [])])
    #expect(server.encode(.ping) == nil)
  }

  @Test("A frame without encryption ends the connection")
  func downgrade() throws {
    for marker in [0, 2] as [UInt8] {
      var (server, _) = try SampleSession.established()
      #expect(server.received([marker, 0, 7]) == [.refused(.notTheProtocol, farewell: [])])
    }
  }

  @Test("The size in a frame may be smaller than what is there, but not larger")
  func innerSize() throws {
    var (server, client) = try SampleSession.established()
    let body = ProtobufField.encode([.number(1, 1)])
    #expect(
      server.received(try client.frame(66, body + [0xff], size: body.count))
        == [.message(.subscribeAdvertisements(isRaw: true))])
    #expect(
      server.received(try client.frame(66, body, size: body.count + 1))
        == [.refused(.notTheProtocol, farewell: [])])
  }

  @Test("A frame without a whole type and size ends the connection", arguments: 0..<4)
  func shortMessage(count: Int) throws {
    var (server, client) = try SampleSession.established()
    let frame = try client.frame(sealing: [UInt8](repeating: 0, count: count))
    #expect(server.received(frame) == [.refused(.notTheProtocol, farewell: [])])
  }

  @Test("A frame has at most 32,768 bytes")
  func longFrame() throws {
    var (server, client) = try SampleSession.established()
    let longest = 32_768 - 16 - 4
    #expect(
      server.received(try client.frame(20, [UInt8](repeating: 8, count: longest)))
        == [.message(.unknown(type: 20))])
    #expect(server.received([1, 0x80, 0x01]) == [.refused(.tooLong, farewell: [])])
  }

  @Test("A message that is malformed is reported, and the next one is read")
  func malformed() throws {
    var (server, client) = try SampleSession.established()
    let bytes = try client.frame(73, [8, 0xff]) + client.frame(7, [])
    #expect(server.received(bytes) == [.malformed(type: 73), .message(.ping)])
  }

  @Test("Nothing is encoded before the handshake")
  func early() {
    var transport = SampleSession.transport()
    #expect(transport.encode(.ping) == nil)
    _ = transport.received([1, 0, 0])
    #expect(transport.encode(.ping) == nil)
  }

  @Test("The longest body fits into a frame, and a longer one leaves the connection sound")
  func longest() throws {
    var (server, client) = try SampleSession.established()
    func message(_ excess: Int) -> ServerMessage {
      let head = ServerMessage.read(SampleDevice.attribute(14), [1]).encoded.body.count + 1
      return .read(
        SampleDevice.attribute(14),
        [UInt8](repeating: 1, count: ProxyTransport.longestBody - head + excess))
    }
    #expect(server.encode(message(1)) == nil)
    let encoded = server.encode(message(0))
    let frame = try #require(encoded)
    #expect(frame.count == 65_538)
    #expect(try client.open(Array(frame.dropFirst(3))).body == message(0).encoded.body)
  }
}
