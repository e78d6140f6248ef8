// SPDX-License-Identifier: MIT
internal import TestSupport

@testable internal import BLEFormats
@testable internal import BluetoothProxy

/// A session whose every byte is known: all keys are fixed.
///
/// Two other implementations, of the handshake and of the client, agree on the bytes.
enum SampleSession {
  static let key = [UInt8](0..<32)
  static let keyText = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
  static let clientKey = [UInt8](0x20..<0x40)
  static let serverKey = [UInt8](0x40..<0x60)

  static let clientOpening = hex(
    """
    010000 01003100 358072d6365880d1aeea329adf9121383851ed21a28e3b75e965d0d2cd166254 8b18e980a5463f4f4ed6a227d01eebb1
    """)
  static let serverHello = hex("01001701 61747469632d7069 00 303031613764646137313133 00")
  static let serverHandshake = hex(
    """
    01003100 79a631eede1bf9c98f12032cdeadd0e7a079398fc786b88cc846ec89af85a51a 08d629a47626962aacde23c4ab9801ba
    """)
  static let refusalOfKey = hex("01001601 48616e647368616b65204d4143206661696c757265")
  static let clientHello = hex("01001e afbce0a526e7c549bf898458c65d4bf371e8a80f4ca0a0c54f47064c1b08")
  static let clientPing = hex("010014 853b7af08ace765f2ed72a345a020dffc2a4ccad")
  static let serverHelloResponse = hex(
    "01002a 8500851aea6779f4bc466122519a61eccfa3c204c8b3dd7184c896fc5fd8ec017c6fa74d2e70b9b3f604")
  static let serverPingResponse = hex("010014 d5d78e683c1fde067023736d9b5e49a88749b8ad")

  static let name: ProxyName = {
    guard let name = ProxyName("attic-pi") else { preconditionFailure("the name is refused") }
    return name
  }()
  static let address = BluetoothAddress(bits: 0x001a_7dda_7113)
  static let hello = ClientMessage.hello(client: "test", version: APIVersion(major: 1, minor: 10))
  static let helloResponse = ServerMessage.hello(
    APIVersion(major: 1, minor: 14), serverInfo: "blectl", name: "attic-pi")
}

extension SampleSession {
  /// The server's side, with the fixed keys.
  static func transport(isTurningAway: Bool = false) -> ProxyTransport {
    guard let key = ProxyKey(bytes: key) else { preconditionFailure("the key is refused") }
    return ProxyTransport(
      .noise(key, name: name, address: address), isTurningAway: isTurningAway, makePrivateKey: { serverKey })
  }

  /// Both sides, after their handshake.
  static func established(hello: [UInt8] = []) throws -> (server: ProxyTransport, client: NoiseInitiator) {
    var server = transport()
    var client = try NoiseInitiator(key: key, privateKey: clientKey, hello: hello)
    let events = server.received(client.opening)
    guard case .send(let frame) = events.dropFirst().first, events.last == .established else {
      throw CipherError.notAuthentic
    }
    try client.finish(Array(frame.dropFirst(3)))
    return (server, client)
  }
}

/// A device of the messages: its address is F0:F1:F2:F3:F4:F5, or 0xf0f1f2f3f4f5.
enum SampleDevice {
  static let number: UInt64 = 0xf0f1_f2f3_f4f5
  static let address = BluetoothAddress(bits: number)

  static func attribute(_ handle: UInt16) -> RemoteAttribute {
    RemoteAttribute(device: address, handle: handle)
  }
}

/// The bytes of hexadecimal digits, with blanks anywhere.
func hex(_ digits: String) -> [UInt8] { Hex.bytes(digits.filter { !$0.isWhitespace }) ?? [] }
