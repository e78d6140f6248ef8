// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("Messages from clients")
struct ClientMessageTests {
  private func decoded(_ type: UInt16, _ fields: [ProtobufField]) throws -> ClientMessage {
    try ClientMessage(type: type, body: ProtobufField.encode(fields)[...])
  }

  private static let device = ProtobufField.number(1, SampleDevice.number)
  private static let handle = ProtobufField.number(2, 14)

  private static let messages: [(UInt16, [ProtobufField], ClientMessage)] = [
    (
      1, [.text(1, "Home Assistant 2026.11.0"), .number(2, 1), .number(3, 19), .number(4, 1)],
      .hello(client: "Home Assistant 2026.11.0", version: APIVersion(major: 1, minor: 19))
    ),
    (3, [.text(1, "secret")], .authentication),
    (5, [.number(1, 1)], .disconnect), (6, [], .disconnected), (7, [], .ping), (8, [], .pong),
    (9, [], .deviceInfo), (11, [], .listEntities), (80, [], .subscribeConnectionsFree),
    (87, [], .unsubscribeAdvertisements), (149, [], .capabilities), (124, [.data(1, [1, 2])], .setKey),
    (66, [.number(1, 1)], .subscribeAdvertisements(isRaw: true)),
    (66, [.number(1, 3)], .subscribeAdvertisements(isRaw: true)),
    (66, [], .subscribeAdvertisements(isRaw: false)),
    (68, [device, .number(2, 1)], .device(SampleDevice.address, .disconnect, nil)),
    (68, [device, .number(2, 0)], .device(SampleDevice.address, .disconnect, nil)),
    (68, [device, .number(2, 2)], .device(SampleDevice.address, .pair, nil)),
    (68, [device, .number(2, 3)], .device(SampleDevice.address, .unpair, nil)),
    (
      68, [device, .number(2, 4), .number(3, 1), .number(4, 1)],
      .device(SampleDevice.address, .connectWithCache, .random)
    ),
    (
      68, [device, .number(2, 5), .number(3, 1)],
      .device(SampleDevice.address, .connectWithoutCache, .public)
    ),
    (68, [device, .number(2, 6), .number(4, 1)], .device(SampleDevice.address, .clearCache, nil)),
    (70, [device], .services(SampleDevice.address)),
    (73, [device, handle], .read(SampleDevice.attribute(14))),
    (
      75, [device, handle, .number(3, 1), .data(4, [1, 2, 3])],
      .write(SampleDevice.attribute(14), [1, 2, 3], withResponse: true)
    ),
    (75, [device, handle], .write(SampleDevice.attribute(14), [], withResponse: false)),
    (76, [device, handle], .readDescriptor(SampleDevice.attribute(14))),
    (77, [device, handle, .data(3, [1, 0])], .writeDescriptor(SampleDevice.attribute(14), [1, 0])),
    (78, [device, handle, .number(3, 1)], .notify(SampleDevice.attribute(14), isEnabled: true)),
    (78, [device, .number(2, 65_535)], .notify(SampleDevice.attribute(65_535), isEnabled: false)),
    (127, [.number(1, 1)], .setScannerMode(.active)), (127, [], .setScannerMode(.passive)),
    (
      145, [device, .number(2, 6), .number(3, 9), .number(5, 800)],
      .setConnectionParameters(
        SampleDevice.address,
        ClientMessage.ConnectionParameters(minInterval: 6, maxInterval: 9, latency: 0, timeout: 800))
    ),
  ]

  @Test("Every message is understood, also with fields of later versions", arguments: messages.indices)
  func understood(index: Int) throws {
    let (type, fields, message) = Self.messages[index]
    #expect(try decoded(type, fields) == message)
    #expect(try decoded(type, fields + [.number(30, 1), .fixed32(7, [1, 2, 3, 4])]) == message)
    #expect(try decoded(type, fields.reversed()) == message)
  }

  @Test(
    "Types that a proxy does not serve are unknown",
    arguments: [0, 2, 20, 28, 34, 38, 67, 151, 65_535] as [UInt16])
  func unknown(type: UInt16) throws {
    #expect(try decoded(type, [.number(1, 7)]) == .unknown(type: type))
  }

  /// The answer to a request: its type, and its fields 1 to 4.
  private func answer(_ type: UInt16, _ fields: [ProtobufField]) throws -> (UInt16, [UInt64])? {
    guard case .impossible(let request) = try decoded(type, fields) else { return nil }
    let (type, body) = ServerMessage.impossible(request).encoded
    let answer = try ProtobufFields(body[...])
    return (type, (1...4).map { answer.number($0) })
  }

  /// -1 as it goes over the wire.
  private static let notConnected = UInt64.max

  @Test(
    "An address of more than 48 bits is answered with an error",
    arguments: [(68, 69), (70, 82), (73, 82), (75, 82), (76, 82), (77, 82), (78, 82), (145, 146)]
      as [(UInt16, UInt16)])
  func addresses(type: UInt16, answered: UInt16) throws {
    for number in [1 << 48, UInt64.max] {
      let (kind, fields) = try #require(try answer(type, [.number(1, number), .number(2, 1)]))
      #expect(kind == answered)
      #expect(fields[0] == number)
      #expect(fields.dropFirst().contains(kind == 69 ? 0x85 : Self.notConnected))
    }
  }

  @Test("A handle of more than 16 bits is answered as it came", arguments: [73, 75, 76, 77, 78] as [UInt16])
  func handles(type: UInt16) throws {
    for handle in [1 << 16, 1 << 32 - 1] as [UInt64] {
      let (answered, fields) = try #require(try answer(type, [Self.device, .number(2, handle)]))
      #expect(answered == 82)
      #expect(fields.prefix(3) == [SampleDevice.number, handle, 1])
    }
  }

  @Test(
    "Requests that do not exist are answered as those to connect, and each other one about no device as its own kind"
  )
  func requests() throws {
    let unknown = try #require(try answer(68, [Self.device, .number(2, 99)]))
    #expect(unknown.0 == 69)
    #expect(unknown.1 == [SampleDevice.number, 0, 0, 0x85])
    for (request, answered) in [(1, 69), (2, 85), (3, 86), (4, 69), (5, 69), (6, 88)] as [(UInt64, UInt16)] {
      let (kind, fields) = try #require(try answer(68, [.number(1, .max), .number(2, request)]))
      #expect(kind == answered)
      #expect(fields[1] == 0)
    }
  }

  @Test("Modes that do not exist are refused")
  func modes() {
    #expect(throws: MalformedMessage.self) { try decoded(127, [.number(1, 2)]) }
  }

  @Test("Missing fields are zero")
  func missing() throws {
    let nothing = RemoteAttribute(device: BluetoothAddress(bits: 0), handle: 0)
    #expect(try decoded(1, []) == .hello(client: "", version: APIVersion(major: 0, minor: 0)))
    #expect(try decoded(73, []) == .read(nothing))
  }

  @Test("A message keeps no password and no key")
  func secrets() throws {
    let secret = ProtobufField.text(1, "correct horse")
    for type in [3, 124] as [UInt16] {
      let message = try decoded(type, [secret])
      #expect(!"\(message)".contains("horse"))
    }
  }
}
