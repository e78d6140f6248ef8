// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Beacons of this machine")
  struct ServingBeacons {
    /// One of each format that can be encoded, with what is the longest of it.
    private static let formats: [(any EncodableFormat)?] = [
      IBeacon(uuid: ServingStage.uuid, major: 1, minor: 515, measuredPower: -61),
      try? AltBeacon(company: 0xffff, identifier: Array(1...20), referenceRSSI: -70, reserved: 9),
      Eddystone.url("https://12345678901234567", txPower: -18),
      Eddystone.uid(namespace: Array(0...9), instance: Array(10...15), txPower: 4),
      Eddystone.telemetry(.init(battery: 3000, temperature: 0x1980, advertisements: 1, uptime: 2)),
      try? BTHome(parsing: "temperature=21.5,battery=80,motion=yes"),
    ]

    @Test("A scan decodes the values that are advertised", arguments: 0..<6)
    func beacon(_ index: Int) async throws {
      let format = try #require(Self.formats[index])
      var advertisement = Advertisement(name: "Beacon", isConnectable: false)
      try advertisement.add(format)
      let sent = advertisement
      try await ServingStage.run { manager, central in
        try await manager.startAdvertising(sent)
        for try await event in central.scan() {
          let heard = event.info.advertisement
          guard heard.formats.map(\.text) == [format.text] else { continue }
          #expect(heard.manufacturerData == sent.manufacturerData)
          #expect(heard.serviceData == sent.serviceData)
          break
        }
        try await manager.stopAdvertising()
      }
    }

    @Test("Data of exactly the limit is accepted, and a byte more is refused before it is sent")
    func limits() async throws {
      try await ServingStage.run { manager, _ in
        for isConnectable in [false, true] {
          let room = isConnectable ? 28 : 31
          for size in [room, room + 1] {
            let data = [UInt8](repeating: 7, count: size - 4)
            let advertisement = Advertisement(manufacturerData: [0xffff: data], isConnectable: isConnectable)
            do throws(BLEError) {
              try advertisement.check()
              #expect(size == room)
              try await manager.startAdvertising(advertisement)
            } catch {
              #expect(size == room + 1, "\(error)")
              #expect(error.code == .invalidLength)
            }
          }
        }
        try await manager.stopAdvertising()
      }
    }
  }
}
