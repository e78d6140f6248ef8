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

  @Test(
    "An address of more than 48 bits is refused", arguments: [68, 70, 73, 75, 76, 77, 78, 145] as [UInt16])
  func addresses(type: UInt16) {
    #expect(throws: MalformedMessage.self) {
      try decoded(type, [.number(1, 1 << 48), .number(2, 1)])
    }
  }

  @Test("A handle of more than 16 bits is refused", arguments: [73, 75, 76, 77, 78] as [UInt16])
  func handles(type: UInt16) {
    #expect(throws: MalformedMessage.self) { try decoded(type, [Self.device, .number(2, 1 << 16)]) }
  }

  @Test("Requests and modes that do not exist are refused")
  func values() {
    #expect(throws: MalformedMessage.self) { try decoded(68, [Self.device, .number(2, 7)]) }
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
