// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus
internal import TestSupport
internal import Testing

extension Contract {
  /// The behaviour of BlueZ on a link where packets take time, which the library must handle.
  @Suite("Slow links", .enabled(if: Stages.hasPlain))
  struct SlowLinks {
    private static let command: [(String, DBusValue)] = [("type", .string("command"))]
    private static let input = BuiltIn.bench(0x0106)
    private static let bench = "\(BuiltIn.bench)"

    /// Runs a test on a link to the bench whose packets then take so long.
    private func onLink(
      packetTime: Duration, _ body: (any Stage, BusClient, String) async throws -> Void
    ) async throws {
      let stage = try await Stages.shared.value
      try await Contract.withPeripheral(BuiltIn.bench) { _ in
        let client = try await BusClient.connect(to: stage.address)
        try await stage.withPacketTime(packetTime) {
          try await stage.forgetReceived(Self.bench)
          try await body(stage, client, try await client.characteristic("\(Self.input)", of: Self.bench))
        }
        await client.close()
      }
    }

    @Test("Commands are acknowledged before they are sent; an answered request proves that they have arrived")
    func commands() async throws {
      // Nothing arrives before the packets are made faster.
      try await onLink(packetTime: .seconds(30)) { stage, client, input in
        for number in 0..<40 { try await client.write(input, [UInt8(number)], options: Self.command) }
        #expect(try await stage.receivedCount(Self.bench, Self.input) < 40)
        try await stage.setPacketTime(.milliseconds(10))
        let fixed = try await client.characteristic("\(BuiltIn.bench(0x0104))", of: Self.bench)
        let value = try await client.read(fixed)
        #expect(value == Array("fixed".utf8))
        #expect(try await stage.received(Self.bench, Self.input) == (0..<40).map { [UInt8($0)] })
      }
    }

    @Test("Disconnect ends the link after 2 s, and what has not been sent by then never arrives")
    func disconnect() async throws {
      try await onLink(packetTime: .milliseconds(400)) { stage, client, input in
        for number in 0..<200 { try await client.write(input, [UInt8(number)], options: Self.command) }
        let start = client.log.end
        try await client.device("Disconnect", Self.bench)
        let end = await client.log.first(from: start, setting: "Connected", to: .boolean(false))
        #expect(end != nil)
        let values = try await stage.received(Self.bench, Self.input)
        #expect(!values.isEmpty && values.count < 200)
        #expect(values == (0..<values.count).map { [UInt8($0)] })
      }
    }

    @Test("A peripheral without services of its own is connected to, and shows no objects of its own")
    func bare() async throws {
      let stage = try await Stages.shared.value
      let client = try await BusClient.connect(to: stage.address)
      let address = "\(BuiltIn.bare)"
      let path = BusClient.devicePath(address)
      try await Contract.withCentral { central in _ = try await Contract.hear(BuiltIn.bare, central) }
      try await client.connect(address)
      let resolved = try await client.get("ServicesResolved", of: "org.bluez.Device1", at: path)
      #expect(resolved == .boolean(true))
      let services = try await client.managedObjects().values.filter { object in
        object["org.bluez.GattService1"]?["Device"] == .objectPath(path)
      }
      #expect(
        services.map { $0["org.bluez.GattService1"]?["UUID"]?.text } == Stages.commonServices.map(\.longForm))
      try await client.device("Disconnect", address)
      await client.close()
    }
  }
}
