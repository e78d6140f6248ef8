// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("The plaintext transport")
struct PlainTransportTests {
  private typealias Event = ProxyTransport.Event

  /// Hello, a ping, the parameters of a link (a type of two bytes), and a write of 300 bytes (a size of two).
  private let conversation =
    hex("000a010a04746573741001180a 000007 000f910108f5e9cf979f9e3c1006180928a006")
    + PlainFrames.frame(
      75,
      ProtobufField.encode([
        .number(1, SampleDevice.number), .number(2, 14), .data(4, [UInt8](repeating: 7, count: 300)),
      ]))
  private let meaning: [Event] = [
    .established, .message(SampleSession.hello), .message(.ping),
    .message(
      .setConnectionParameters(
        SampleDevice.address,
        ClientMessage.ConnectionParameters(minInterval: 6, maxInterval: 9, latency: 0, timeout: 800))),
    .message(
      .write(SampleDevice.attribute(14), [UInt8](repeating: 7, count: 300), withResponse: false)),
  ]

  @Test("Several frames come at once")
  func together() {
    var transport = ProxyTransport(.plaintext)
    #expect(transport.received(conversation) == meaning)
  }

  @Test("Frames mean the same wherever they are cut")
  func cut() {
    for place in 0...conversation.count {
      var transport = ProxyTransport(.plaintext)
      let first = transport.received(conversation[..<place])
      let second = transport.received(conversation[place...])
      #expect(first + second == meaning, "cut at \(place)")
    }
    var transport = ProxyTransport(.plaintext)
    let single = conversation.flatMap { transport.received([$0]) }
    #expect(single == meaning)
  }

  @Test("A client that wants encryption is told that there is none")
  func encryption() {
    var transport = ProxyTransport(.plaintext)
    let farewell = [0] + Array("Bad indicator byte".utf8)
    #expect(
      transport.received(SampleSession.clientOpening)
        == [.refused(.wantsEncryption, farewell: farewell)])
    #expect(transport.received(conversation).isEmpty)
    #expect(transport.encode(.ping) == nil)
  }

  @Test("Another protocol is refused at its first byte", arguments: [2, 0x16, 0x47, 0xff] as [UInt8])
  func other(byte: UInt8) {
    var transport = ProxyTransport(.plaintext)
    let events = transport.received([byte])
    #expect(events == [.refused(.notTheProtocol, farewell: [0] + Array("Bad indicator byte".utf8))])
  }

  @Test("A wrong byte after a frame ends the connection, and what came before it counts")
  func later() {
    var transport = ProxyTransport(.plaintext)
    #expect(
      transport.received(hex("000007 01 000007"))
        == [.established, .message(.ping), .refused(.notTheProtocol, farewell: [])])
  }

  @Test("A body has at most 32,768 bytes, which is known before they come")
  func longBody() {
    var transport = ProxyTransport(.plaintext)
    let body = [UInt8](repeating: 0, count: 32_768)
    #expect(transport.received(PlainFrames.frame(20, body)) == [.established, .malformed(type: 20)])
    #expect(transport.received(hex("00818002")) == [.refused(.tooLong, farewell: [])])
  }

  @Test(
    "A header of too many bytes is refused, and one with a type of more than 16 bits",
    arguments: ["00 80 80 80 80 80", "00 80 80 80 80 00 80", "00 00 80 80 80 80", "00 00 80 80 04"])
  func header(digits: String) {
    var transport = ProxyTransport(.plaintext)
    let events = transport.received(hex(digits))
    #expect(events == [.established, .refused(.notTheProtocol, farewell: [])])
  }

  @Test("A header of six bytes is the longest")
  func longestHeader() {
    var transport = ProxyTransport(.plaintext)
    let body = [UInt8](repeating: 0x08, count: 16_384)
    let frame = hex("00 808001 ff7f") + body
    #expect(transport.received(frame.prefix(6)) == [.established])
    #expect(transport.received(frame.dropFirst(6)) == [.message(.unknown(type: 16_383))])
  }

  @Test("A message that is malformed is reported, and the next one is read")
  func malformed() {
    var transport = ProxyTransport(.plaintext)
    #expect(
      transport.received(hex("00 02 49 08ff") + hex("000007"))
        == [.established, .malformed(type: 73), .message(.ping)])
  }

  @Test("A client that is turned away gets no frame")
  func turnedAway() {
    var transport = ProxyTransport(.plaintext, isTurningAway: true)
    #expect(transport.received(hex("000007")) == [.refused(.turnedAway, farewell: [])])
  }

  @Test("A message that no frame can hold is not encoded")
  func longMessage() {
    var transport = ProxyTransport(.plaintext)
    let most = ProxyTransport.longestBody - 12 - 4
    let fitting = ServerMessage.read(SampleDevice.attribute(14), [UInt8](repeating: 1, count: most + 2))
    #expect(fitting.encoded.body.count == ProxyTransport.longestBody)
    #expect(transport.encode(fitting) != nil)
    #expect(
      transport.encode(.read(SampleDevice.attribute(14), [UInt8](repeating: 1, count: most + 3))) == nil)
  }
}
