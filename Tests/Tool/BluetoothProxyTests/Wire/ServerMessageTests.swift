// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats
@testable internal import BluetoothProxy

@Suite("Messages to clients")
struct ServerMessageTests {
  private static let device = ProtobufField.number(1, SampleDevice.number)
  private static let handle = ProtobufField.number(2, 14)
  /// -1 as 64 bits.
  private static let minusOne = UInt64.max

  private static let info = DeviceInfo(
    name: SampleSession.name, address: SampleSession.address,
    esphomeVersion: "2026.10.0", model: "Raspberry Pi 5", manufacturer: "blectl", projectName: "blectl.proxy",
    projectVersion: "0.1.0", friendlyName: "Dachboden Süd",
    features: [.passiveScan, .rawAdvertisements, .stateAndMode],
    bluetoothAddress: SampleSession.address, isEncrypted: true)

  private static let messages: [(ServerMessage, UInt16, [ProtobufField])] = [
    (.authentication, 4, []), (.disconnect, 5, []), (.disconnected, 6, []), (.ping, 7, []), (.pong, 8, []),
    (.listEntitiesDone, 19, []),
    (
      SampleSession.helloResponse, 2,
      [.number(1, 1), .number(2, 14), .text(3, "blectl"), .text(4, "attic-pi")]
    ),
    (
      .deviceInfo(info), 10,
      [
        .text(2, "attic-pi"), .text(3, "00:1A:7D:DA:71:13"), .text(4, "2026.10.0"),
        .text(6, "Raspberry Pi 5"),
        .text(8, "blectl.proxy"), .text(9, "0.1.0"), .text(12, "blectl"), .text(13, "Dachboden Süd"),
        .number(15, 97), .text(18, "00:1A:7D:DA:71:13"), .number(19, 1),
      ]
    ),
    (
      .advertisements([
        ForwardedAdvertisement(address: SampleDevice.address, addressType: .public, rssi: -60, data: [1, 2]),
        ForwardedAdvertisement(address: BluetoothAddress(bits: 1), addressType: .random, rssi: 5, data: []),
      ]), 93,
      [
        .message(1, .number(1, SampleDevice.number), .number(2, 119), .data(4, [1, 2])),
        .message(1, .number(1, 1), .number(2, 10), .number(3, 1)),
      ]
    ),
    (.scannerState(.idle, mode: .passive, configured: .active), 126, [.number(3, 1)]),
    (
      .scannerState(.failed, mode: .active, configured: .active), 126,
      [.number(1, 3), .number(2, 1), .number(3, 1)]
    ),
    (
      .connection(SampleDevice.address, isConnected: true, mtu: 247, error: 0), 69,
      [device, .number(2, 1), .number(3, 247)]
    ),
    (
      .connection(SampleDevice.address, isConnected: false, mtu: 0, error: 0x100), 69,
      [device, .number(4, 0x100)]
    ),
    (.services(SampleDevice.address, [], usesShortUUIDs: true), 71, [device]),
    (.servicesDone(SampleDevice.address), 72, [device]),
    (.read(SampleDevice.attribute(14), [1, 2]), 74, [device, handle, .data(3, [1, 2])]),
    (.read(SampleDevice.attribute(14), []), 74, [device, handle]),
    (.written(SampleDevice.attribute(14)), 83, [device, handle]),
    (.notifying(SampleDevice.attribute(14)), 84, [device, handle]),
    (.notification(SampleDevice.attribute(14), [9]), 79, [device, handle, .data(3, [9])]),
    (.connectionsFree(free: 3, limit: 3, allocated: []), 81, [.number(1, 3), .number(2, 3)]),
    (
      .connectionsFree(free: 0, limit: 2, allocated: [SampleDevice.address, BluetoothAddress(bits: 0)]), 81,
      [.number(2, 2), .number(3, SampleDevice.number), .number(3, 0)]
    ),
    (.failed(SampleDevice.attribute(14), error: -1), 82, [device, handle, .number(3, minusOne)]),
    (.paired(SampleDevice.address, isPaired: true, error: 0), 85, [device, .number(2, 1)]),
    (.paired(SampleDevice.address, isPaired: false, error: 5), 85, [device, .number(3, 5)]),
    (.unpaired(SampleDevice.address, isDone: false, error: -1), 86, [device, .number(3, minusOne)]),
    (.cacheCleared(SampleDevice.address, isDone: true, error: 0), 88, [device, .number(2, 1)]),
    (.connectionParameters(SampleDevice.address, error: -1), 146, [device, .number(2, minusOne)]),
    (
      .capabilities([.connections, .remoteCaching], bluetoothAddress: SampleSession.address), 150,
      [.message(1, .number(1, 6), .text(2, "00:1A:7D:DA:71:13"))]
    ),
    (.keySet(isDone: false), 125, []),
  ]

  @Test("Every message has its type, and its fields in order", arguments: messages.indices)
  func fields(index: Int) {
    let (message, type, fields) = Self.messages[index]
    let encoded = message.encoded
    #expect(encoded.type == type)
    #expect(ProtobufField.decode(encoded.body) == fields)
  }

  private static let battery = ForwardedService(
    uuid: .batteryService, handle: 4,
    characteristics: [
      ForwardedCharacteristic(
        uuid: .batteryLevel, handle: 6, properties: 18,
        descriptors: [ForwardedDescriptor(uuid: .clientCharacteristicConfiguration, handle: 7)])
    ])
  private static let vendor = ForwardedService(
    uuid: BluetoothUUID(0xb1ec_0001, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa), handle: 8, characteristics: [])

  private static let samples: [(ServerMessage, String)] = [
    (SampleSession.helloResponse, "0016020801100e1a06626c6563746c220861747469632d7069"),
    (
      .connection(SampleDevice.address, isConnected: true, mtu: 517, error: 0),
      "000d4508f5e9cf979f9e3c1001188504"
    ),
    (.connection(SampleDevice.address, isConnected: false, mtu: 0, error: 8), "000a4508f5e9cf979f9e3c2008"),
    (.read(SampleDevice.attribute(14), [0x57]), "000d4a08f5e9cf979f9e3c100e1a0157"),
    (
      .connectionsFree(free: 2, limit: 3, allocated: [SampleDevice.address]), "000c510802100318f5e9cf979f9e3c"
    ),
    (.failed(SampleDevice.attribute(14), error: -1), "00155208f5e9cf979f9e3c100e18ffffffffffffffffff01"),
    (.scannerState(.running, mode: .active, configured: .active), "00067e080210011801"),
    (
      .services(SampleDevice.address, [battery, vendor], usesShortUUIDs: false),
      """
      00694708f5e9cf979f9e3c12450a1180a08080f08106fbe9ecfc85908080800110041a2e0a1180a0808090c30afbe9ecfc859080808001\
      1006181222150a1180a08080a0a00afbe9ecfc859080808001100712180a149e96b9e0958080f6b101aaa3fae3f0e59ae9a5011008
      """
    ),
    (
      .services(SampleDevice.address, [battery, vendor], usesShortUUIDs: true),
      """
      00394708f5e9cf979f9e3c1215208f3010041a0e289954100618122205188252100712180a149e96b9e0958080f6b101aaa3fae3f0e59a\
      e9a5011008
      """
    ),
    (
      .advertisements([
        ForwardedAdvertisement(
          address: BluetoothAddress(bits: 0xc5ea_5000_0001), addressType: .random, rssi: -60,
          data: hex("0e16d2fc40002a016402ca0903bf13070947617264656e"))
      ]), "00275d0a250881808080a5bd311077180122170e16d2fc40002a016402ca0903bf13070947617264656e"
    ),
  ]

  @Test("Frames are those of another implementation", arguments: samples.indices)
  func frames(index: Int) {
    let (message, digits) = Self.samples[index]
    var transport = ProxyTransport(.plaintext)
    #expect(transport.encode(message) == hex(digits))
  }

  @Test("The short UUID zero is sent in its long form: a zero would be missing")
  func zeroUUID() {
    let service = ForwardedService(uuid: BluetoothUUID(short: 0), handle: 1, characteristics: [])
    let body = ServerMessage.services(SampleDevice.address, [service], usesShortUUIDs: true).encoded.body
    #expect(
      ProtobufField.decode(body) == [
        Self.device,
        .message(
          2, .data(1, ProtobufField.varint(0x1000) + ProtobufField.varint(0x8000_0080_5f9b_34fb)),
          .number(2, 1)
        ),
      ])
  }
}
