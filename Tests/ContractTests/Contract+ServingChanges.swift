// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus
internal import TestSupport
internal import Testing

extension Contract {
  /// Advertisements of a client that speaks only D-Bus, which changes their properties.
  @Suite("Serving changed advertisements")
  struct ServingChanges {
    private static let path = "/beacons/one"

    private func data(_ byte: UInt8) -> DBusValue {
      .dictionary(
        key: "q", value: "v", [.init(.uint16(0xfff1), .variant(.bytes([UInt8](repeating: byte, count: 4))))])
    }

    private func change(
      _ connection: Connection, _ properties: [(String, DBusValue)], removing names: [String] = []
    ) async throws {
      let signal = Message(signal: "PropertiesChanged", of: StandardInterface.properties, at: Self.path) {
        $0.string("org.bluez.LEAdvertisement1")
        $0.properties(properties)
        $0.value(.strings(names))
      }
      try await connection.send(signal)
    }

    @Test("A client's change of its advertisement is on the air; one that cannot be parsed changes nothing")
    func changed() async throws {
      let stage = try await Stages.twoAdapters.value
      let client = try await BusClient.connect(to: stage.address)
      let central = try await CentralManager(bus: .address(stage.address), adapter: "hci1")
      let answer = try await client.call("GetManagedObjects", of: StandardInterface.objectManager, at: "/")
      let owner = try #require(answer.sender)
      let beacon = LocalObject(
        path: Self.path, interface: "org.bluez.LEAdvertisement1",
        properties: [("Type", .string("broadcast")), ("ManufacturerData", data(1))]
      ) { _, _ in nil }
      await client.connection.export(LocalObjects(root: "/beacons", for: owner, [beacon]))
      try await client.call(
        "RegisterAdvertisement", of: "org.bluez.LEAdvertisingManager1", at: "/org/bluez/hci0"
      ) {
        $0.objectPath(Self.path)
        $0.properties([])
      }
      var heard: [[UInt8]] = []
      for try await event in central.scan(
        ScanFilter(manufacturers: [0xfff1]), reportsDuplicates: true)
      {
        guard let bytes = event.info.advertisement.manufacturerData[0xfff1], bytes != heard.last else {
          continue
        }
        heard.append(bytes)
        switch heard.count {
        case 1:
          try await change(client.connection, [("ManufacturerData", .string("no data"))])
          try await change(client.connection, [("ManufacturerData", data(2))])
        case 2: try await change(client.connection, [("ManufacturerData", data(3))])
        default: break
        }
        if heard.count == 3 { break }
      }
      #expect(heard == [1, 2, 3].map { [UInt8](repeating: $0, count: 4) })
      await central.close()
      await client.close()
    }
  }
}
