// SPDX-License-Identifier: MIT
internal import BLECentral
internal import DBus
internal import TestSupport
internal import Testing

extension Contract {
  /// Programs that open, use and close the link to one device at the same time.
  ///
  /// BlueZ takes 2 s to close a link, and nothing can be done but to wait for that.
  @Suite("Parallel programs", .serialized)
  struct ParallelPrograms {
    /// Long enough to wait for the end of one link and to open the next one, too short to wait for several.
    private static let patience = Duration.seconds(8)

    @Test(
      "Programs that use one device again and again wait for no more than the end of one link",
      arguments: [2, 4])
    func managers(count: Int) async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            for _ in 0..<6 {
              try await Contract.withCentral { central in
                let peripheral = try await Contract.find(BuiltIn.wristband, central)
                try await peripheral.connect(timeout: Self.patience)
                let revision = try await peripheral.characteristic(.softwareRevision)
                #expect(try await peripheral.readValue(for: revision) == Array("V1.0.1.81".utf8))
              }
            }
          }
        }
        try await group.waitForAll()
      }
      try await waitUntilFree()
    }

    @Test("Commands in parallel on one device all succeed, and the last one closes the link")
    func commands() async throws {
      let blectl = Blectl(bus: try await Stages.shared.value.address)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            for _ in 0..<5 {
              let read = try await blectl.run(
                "read", "MI Band 2", "2a28", "--as", "utf8", "--timeout", "\(Self.patience / .seconds(1))s")
              #expect(read.status == 0 && read.text == "V1.0.1.81\n", "\(read.errorText)")
            }
          }
        }
        try await group.waitForAll()
      }
      try await waitUntilFree()
    }

    @Test(
      "Writes without response wait for the write of another program, and arrive in order", arguments: [1, 3])
    func writes(count: UInt8) async throws {
      let stage = try await Stages.shared.value
      let address = "\(BuiltIn.bench)"
      let client = try await BusClient.connect(to: stage.address)
      try await Contract.withPeripheral(BuiltIn.bench) { bench in
        let echo = try await bench.characteristic(BuiltIn.bench(0x0106))
        let path = try await client.characteristic("\(echo.uuid)", of: address)
        try await stage.setPacketTime(.milliseconds(200))
        try await stage.forgetReceived(address)
        let writing = await client.begin("WriteValue", of: "org.bluez.GattCharacteristic1", at: path) {
          $0.bytes([0])
          $0.properties([("type", .string("request"))])
        }
        // bluetoothd works through the calls of a program in their order.
        try await client.barrier()
        let values = (1...count).map { [$0] }
        await #expect(throws: Never.self) {
          try await bench.writeValues(values, for: echo, type: .withoutResponse)
        }
        #expect(await writing.failure == nil)
        try await stage.setPacketTime(Stages.packetTime)
        #expect(try await stage.received(address, echo.uuid) == [[0]] + values)
      }
      await client.close()
    }

    private func waitUntilFree() async throws {
      try await Contract.withCentral { central in
        try await Contract.find(BuiltIn.wristband, central).waitUntilDisconnected(timeout: .seconds(30))
      }
    }
  }
}
