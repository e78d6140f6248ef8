// SPDX-License-Identifier: MIT
import BLECentral
import BLEFormats
import JSON
import TestSupport
import Testing

@testable import ValueStreams

@Suite("Advertised values")
struct AdvertisedValuesTests {
  private static let sender = AdvertisementDecoder.Sender(address: SampleStream.address, name: "Garden")
  private static let time = Timestamp(seconds: 1_795_247_928, nanoseconds: 626_505_000)

  private func values(
    _ selection: AdvertisedSelection = AdvertisedSelection(), key: String? = nil
  ) throws -> AdvertisedValues {
    let key = try key.map { try BindKey(parsing: $0) }
    return AdvertisedValues(selection, AdvertisementDecoder(keys: { _ in key }) { _ in })
  }

  private static func bthome(_ digits: String) -> AdvertisedData {
    .service(BTHome.service, Hex.bytes(digits) ?? [])
  }

  /// What the values of a device are after data of it was heard, a text each.
  private func hear(
    _ data: AdvertisedData..., by values: AdvertisedValues, from sender: AdvertisementDecoder.Sender = sender,
    rssi: Int? = nil
  ) -> [String] {
    values.values(in: AdvertisedContext(data: data), from: sender, rssi: rssi, at: Self.time)
      .map { batch in batch.decoded[0]?.text ?? "nothing" }
  }

  @Test("A packet that repeats the values is no new one, however strong it is")
  func repeats() throws {
    let values = try values()
    #expect(hear(Self.bthome("4002ca09"), by: values, rssi: -60) == ["25.06 °C, RSSI -60 dBm"])
    #expect(hear(Self.bthome("4002ca09"), by: values, rssi: -61).isEmpty)
    #expect(hear(Self.bthome("4002cb09"), by: values, rssi: -62) == ["25.07 °C, RSSI -62 dBm"])
    #expect(hear(Self.bthome("4002ca09"), by: values) == ["25.06 °C"])
  }

  @Test("The strength of the signal is its own field, also of a device that advertises a strength")
  func strengths() throws {
    let values = try values()
    let data = AdvertisedData.service(
      BluetoothUUID(short: 0xfe95), Hex.bytes("40505b0401" + "031001" + "c7") ?? [])
    let batches = values.values(
      in: AdvertisedContext(data: [data]), from: Self.sender, rssi: -50, at: Self.time)
    let fields = try #require(batches.first?.decoded[0])
    #expect(Set(fields.fields.map(\.key)).count == fields.fields.count)
    #expect(fields["rssi_dbm"] == .integer(-50))
    #expect(fields.fields.contains { $0.value == .integer(-57) })
  }

  @Test("A new packet counter is a new value, even if nothing else is new")
  func counters() throws {
    let values = try values()
    #expect(hear(Self.bthome("40000102ca09"), by: values).count == 1)
    #expect(hear(Self.bthome("40000102ca09"), by: values).isEmpty)
    #expect(hear(Self.bthome("40000202ca09"), by: values).count == 1)
  }

  @Test("Packets with different fields in turn are compared each with the last of its kind")
  func turns() throws {
    let values = try values()
    let (temperature, battery) = (Self.bthome("4002ca09"), Self.bthome("400164"))
    #expect(hear(temperature, by: values) == ["25.06 °C"])
    #expect(hear(battery, by: values) == ["battery 100 %"])
    #expect(hear(temperature, by: values).isEmpty)
    #expect(hear(battery, by: values).isEmpty)
    #expect(hear(Self.bthome("400163"), by: values) == ["battery 99 %"])
  }

  @Test("Of several data of a device, only what changed is a new value")
  func severalData() throws {
    let values = try values()
    let beacon = AdvertisedData.manufacturer(
      0x004c, Hex.bytes("0215e2c56db5dffb48d2b060d0f5a71096e000010002c5") ?? [])
    #expect(hear(beacon, Self.bthome("4002ca09"), by: values).count == 2)
    #expect(hear(beacon, Self.bthome("4002cb09"), by: values) == ["25.07 °C"])
  }

  @Test("A packet with the same values from two devices is a value of each")
  func otherDevice() throws {
    let values = try values()
    let address = try #require(BluetoothAddress("F0:F1:F2:F3:F4:F6"))
    #expect(hear(Self.bthome("4002ca09"), by: values).count == 1)
    #expect(hear(Self.bthome("4002ca09"), by: values, from: .init(address: address)).count == 1)
  }

  @Test("With repeats, each packet counts")
  func allPackets() throws {
    let values = try values(AdvertisedSelection(takesRepeats: true))
    for _ in 1...3 { #expect(hear(Self.bthome("4002ca09"), by: values).count == 1) }
  }

  @Test("Only the wanted types count, and data of unknown formats only if its sender is named")
  func selection() throws {
    let unknown = AdvertisedData.manufacturer(0x0157, [1, 2, 3])
    let ruuvi = try values(AdvertisedSelection(types: ["ruuvi"]))
    #expect(hear(unknown, Self.bthome("4002ca09"), by: ruuvi).isEmpty)
    #expect(hear(unknown, by: try values()).isEmpty)
    let company = try values(AdvertisedSelection(senders: [.company(0x0157)]))
    let batches = company.values(
      in: AdvertisedContext(data: [unknown]), from: Self.sender, rssi: -50, at: Self.time)
    let batch = try #require(batches.first)
    #expect(batches.count == 1)
    #expect(batch.values.first?.value == [1, 2, 3])
    #expect(batch.origin.word == "0157")
    #expect(batch.decoded[0]?.fields.map(\.key) == ["rssi_dbm"])
    let service = try values(AdvertisedSelection(senders: [.service(BluetoothUUID(short: 0xffe0))]))
    #expect(hear(.service(BluetoothUUID(short: 0xffe0), [9]), by: service).count == 1)
    #expect(hear(unknown, by: service).isEmpty)
  }

  /// Temperatures of 25.00, 25.01 …, by the counter of the packet.
  private static let encrypted = [
    1: "4107fcb90100000015ec8bad", 2: "41cfb002020000009be663b9", 3: "415bdbcf030000008512d8c7",
  ]
  private static let key = "231d39c1d7cc1ab1aee224cd096db932"

  private func hear(encrypted counter: Int, by values: AdvertisedValues) throws -> [String] {
    let sensor = try #require(BluetoothAddress("54:48:E6:8F:80:A5"))
    return hear(Self.bthome(Self.encrypted[counter] ?? ""), by: values, from: .init(address: sensor))
  }

  @Test(
    "The counter of an encrypted packet is a field, and a packet that another radio sends again is no new value"
  )
  func replays() throws {
    let values = try values(key: Self.key)
    #expect(try hear(encrypted: 1, by: values) == ["25.00 °C, counter 1"])
    #expect(try hear(encrypted: 3, by: values) == ["25.02 °C, counter 3"])
    #expect(try hear(encrypted: 2, by: values) == ["25.01 °C, counter 2, stale"])
    #expect(try hear(encrypted: 3, by: values).isEmpty)
    #expect(try hear(encrypted: 2, by: values).isEmpty)
    #expect(try hear(encrypted: 1, by: values).isEmpty)
  }

  @Test("Data without its key has no values, unless its type or every packet is wanted")
  func noKey() throws {
    #expect(try hear(encrypted: 1, by: try values()).isEmpty)
    let named = try values(AdvertisedSelection(types: ["bthome-encrypted"]))
    #expect(try hear(encrypted: 1, by: named).first?.contains("decryption no-key") == true)
    let every = try values(AdvertisedSelection(takesRepeats: true))
    #expect(try hear(encrypted: 1, by: every).count == 1)
  }

  @Test("The values of many strangers do not displace those of a device that is heard all the time")
  func strangers() throws {
    let values = try values()
    for number in 0..<12_300 {
      let bytes = [0xf0, 0, UInt8(number >> 16), UInt8(number >> 8 & 0xff), UInt8(number & 0xff), 1]
      let stranger = try #require(BluetoothAddress(bytes: bytes))
      _ = hear(Self.bthome("4002ca09"), by: values, from: .init(address: stranger))
      let news = hear(Self.bthome("4002ca09"), by: values)
      #expect(news.isEmpty || number == 0)
    }
  }

  @Test("A record has the type, the sender, the bytes and the fields")
  func record() throws {
    var (json, bytes) = (EventJSON(), [UInt8]())
    let batches = try values().values(
      in: AdvertisedContext(data: [Self.bthome("40000102ca09")]), from: Self.sender, rssi: -60, at: Self.time)
    for batch in batches { json.append(.values(batch), to: &bytes) }
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"event":"value","time":"2026-11-21T07:58:48.626505Z","address":"F0:F1:F2:F3:F4:F5","name":"Garden","#
        + #""service":"0000fcd2-0000-1000-8000-00805f9b34fb","type":"bthome","value":"40000102ca09","#
        + #""decoded":{"packet_id":1,"temperature_celsius":25.06,"rssi_dbm":-60},"via":"advertisement"}"#
        + "\n")
  }

  @Test("A record of manufacturer data has the number of the company")
  func company() throws {
    var (json, bytes) = (EventJSON(), [UInt8]())
    let data = AdvertisedData.manufacturer(
      0x0499, Hex.bytes("0512fc5394c37c0004fffc040cac364200cdcbb8334c884f") ?? [])
    let batches = try values().values(
      in: AdvertisedContext(data: [data]), from: Self.sender, rssi: nil, at: Self.time)
    for batch in batches { json.append(.values(batch), to: &bytes) }
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains(#""name":"Garden","company":"0499","type":"ruuvi","value":"0512fc53"#))
    #expect(text.contains(#""temperature_celsius":24.300"#))
  }
}
