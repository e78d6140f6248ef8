// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import JSON
internal import TestSupport
internal import Testing

@testable import ValueStreams

@Suite("Decoding of encrypted advertisements")
struct AdvertisementDecoderTests {
  /// Temperatures of 25.00, 25.01 …, by the counter of the packet.
  private static let packets = [
    1: "4107fcb90100000015ec8bad", 2: "41cfb002020000009be663b9", 3: "415bdbcf030000008512d8c7",
    500: "41803e06f4010000f18a7423",
  ]
  private static let sensor = address("54:48:E6:8F:80:A5")

  private static func address(_ text: String) -> BluetoothAddress {
    guard let address = BluetoothAddress(text) else { preconditionFailure(text) }
    return address
  }

  private let notices = Lock<[AdvertisementDecoder.Notice]>([])

  private func decoder(_ key: String?) throws -> AdvertisementDecoder {
    let key = try key.map { try BindKey(parsing: $0) }
    return AdvertisementDecoder(keys: { $0 == Self.sensor ? key : nil }) { [notices] notice in
      notices.withLock { $0.append(notice) }
    }
  }

  private func read(
    _ counter: Int, by decoder: AdvertisementDecoder,
    from sender: AdvertisementDecoder.Sender = .init(
      address: sensor)
  ) throws -> AdvertisementReading {
    let bytes = try #require(Hex.bytes(Self.packets[counter] ?? ""))
    let data = AdvertisedData.service(BTHome.service, bytes)
    return decoder.reading(of: data, in: AdvertisedContext(data: [data]), from: sender)
  }

  private func json(_ reading: AdvertisementReading) -> String {
    var json = JSONWriter()
    json.object { reading.write(to: &$0) }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test("With its key, the data of a sensor is decoded, also behind a private address")
  func decrypted() throws {
    let decoder = try decoder("231d39c1d7cc1ab1aee224cd096db932")
    let reading = try read(1, by: decoder)
    #expect(reading.text == "BTHome 25.00 °C")
    #expect(json(reading) == "{\"type\":\"bthome\",\"temperature_celsius\":25.00,\"decryption\":\"ok\"}")
    #expect(notices.withLock { $0 }.isEmpty)
  }

  @Test(
    "Replayed and stale packets, and a restart, are shown as such; repetitions of the latest packet are not")
  func replays() throws {
    let decoder = try decoder("231d39c1d7cc1ab1aee224cd096db932")
    let story: [(Int, String)] = [
      (1, "25.00 °C"), (1, "25.00 °C"), (3, "25.02 °C"), (2, "25.01 °C, stale"), (2, "25.01 °C, stale"),
      (3, "25.02 °C"), (2, "25.01 °C, replayed"), (1, "25.00 °C, replayed"), (500, "25.03 °C"),
      (1, "25.00 °C, restarted"),
    ]
    for (counter, text) in story { #expect(try read(counter, by: decoder).text == "BTHome \(text)") }
    _ = try read(3, by: decoder)
    #expect(try json(read(2, by: decoder)).hasSuffix("\"decryption\":\"ok\",\"freshness\":\"stale\"}"))
  }

  @Test("A wrong key is an error of its device, once")
  func wrongKey() throws {
    let decoder = try decoder("00000000000000000000000000000000")
    let sender = AdvertisementDecoder.Sender(address: Self.sensor, name: "Kitchen")
    for counter in [1, 2, 3] {
      let reading = try read(counter, by: decoder, from: sender)
      #expect(reading.text.hasPrefix("BTHome (encrypted)"))
      #expect(reading.text.hasSuffix(", wrong key"))
      #expect(json(reading).hasSuffix("\"decryption\":\"wrong-key\"}"))
    }
    #expect(notices.withLock { $0 } == [.failed(Self.sensor, name: "Kitchen", .wrongKey)])
  }

  @Test("A missing key is told once, for all devices together")
  func missingKey() throws {
    let decoder = try decoder(nil)
    let others = ["54:48:E6:8F:80:A5", "54:48:E6:8F:80:A6", "54:48:E6:8F:80:A7"].map { Self.address($0) }
    for address in others {
      let reading = try read(1, by: decoder, from: .init(address: address, name: "Kitchen"))
      #expect(json(reading).hasSuffix("\"decryption\":\"no-key\"}"))
    }
    #expect(notices.withLock { $0 } == [.keyMissing(others[0], name: "Kitchen")])
  }

  @Test("Without a source of keys, encrypted data is shown as before, and nothing is told")
  func plain() throws {
    let reading = try read(1, by: .plain)
    #expect(reading.decryption == nil)
    #expect(reading.text.hasPrefix("BTHome (encrypted)"))
  }
}
