// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import TestSupport
internal import Testing

extension Contract {
  /// L2CAP channels between two adapters.
  @Suite("Channels")
  struct Channels {
    private static let heartRate = [
      LocalCharacteristic(.heartRateMeasurement, [.read, .notify], value: [0, 60])
    ]

    static func noise(_ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// Opens a channel, and returns both ends.
    private static func open(
      _ offer: PublishedChannel, _ peripheral: Peripheral
    ) async throws -> (near: L2CAPChannel, far: L2CAPChannel) {
      async let accepted = offer.accept()
      let near = try await peripheral.openChannel(psm: offer.psm)
      return (near, try #require(try await accepted))
    }

    /// Receives that many bytes, or those before the end.
    static func receive(_ count: Int, from channel: L2CAPChannel) async throws -> [UInt8] {
      var bytes: [UInt8] = []
      while bytes.count < count {
        guard let packet = try await channel.receive() else { break }
        bytes += packet
      }
      return bytes
    }

    @Test("Packets go both ways and stay whole; who closes a channel is seen at the other end")
    func packets() async throws {
      try await ServingStage.serve(Self.heartRate) { served in
        let offer = try await served.manager.publishChannel()
        #expect((0x80...0xff).contains(offer.psm))
        let (near, far) = try await Self.open(offer, served.peripheral)
        #expect(far.peer != nil && near.peer == served.peripheral.address)
        try await near.send([1, 2, 3])
        try await near.send([4])
        #expect(try await far.receive() == [1, 2, 3])
        #expect(try await far.receive() == [4])
        let longest = Self.noise(near.maximumReceiveLength)
        try await far.send(longest)
        #expect(try await near.receive() == longest)
        await #expect(throws: BLEError.self) { try await near.send([]) }
        await #expect(throws: BLEError.self) {
          try await near.send([UInt8](repeating: 0, count: near.maximumSendLength + 1))
        }
        await near.close()
        #expect(try await far.receive() == nil)
        await offer.close()
        #expect(try await offer.accept() == nil)
      }
    }

    @Test("Two channels carry 20 kB each way beside notifications")
    func several() async throws {
      try await ServingStage.serve(Self.heartRate) { served in
        let offers = [try await served.manager.publishChannel(), try await served.manager.publishChannel()]
        let bytes = Self.noise(20_000)
        let characteristic = try #require(
          try await served.peripheral.discoverServices().flatMap(\.characteristics)
            .first { $0.uuid == .heartRateMeasurement })
        var values = try await served.peripheral.notifications(for: characteristic).makeAsyncIterator()
        var channels: [L2CAPChannel] = []
        defer { withExtendedLifetime(channels) {} }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for offer in offers {
            let (near, far) = try await Self.open(offer, served.peripheral)
            channels += [near, far]
            for (sender, receiver) in [(near, far), (far, near)] {
              group.addTask { try await sender.send(contentsOf: bytes) }
              group.addTask {
                let received = try await Self.receive(bytes.count, from: receiver)
                #expect(received == bytes)
              }
            }
          }
          for number in 0..<10 {
            try await served.service.characteristics[0].send([0, UInt8(number)])
            let value = try await values.next()?.value
            #expect(value == [0, UInt8(number)])
          }
          try await group.waitForAll()
        }
      }
    }

    @Test("A number that nobody offers is refused")
    func refusals() async throws {
      try await ServingStage.serve(Self.heartRate) { served in
        let refusal = await #expect(throws: BLEError.self) {
          _ = try await served.peripheral.openChannel(psm: 0xf3)
        }
        #expect(refusal?.code == .notSupported, "\(String(describing: refusal))")
        let invalid = await #expect(throws: BLEError.self) {
          _ = try await served.peripheral.openChannel(psm: 0)
        }
        #expect(invalid?.code == .invalidDefinition)
      }
    }

    @Test("A reader that does not read holds up its sender, and nothing is lost")
    func pressure() async throws {
      try await ServingStage.serve(Self.heartRate) { served in
        let offer = try await served.manager.publishChannel()
        let (near, far) = try await Self.open(offer, served.peripheral)
        var count = 0
        let full = await #expect(throws: BLEError.self) {
          while count < 10_000 {
            try await near.send(
              [UInt8(truncatingIfNeeded: count)] + [UInt8](repeating: 7, count: 999), timeout: .seconds(2))
            count += 1
          }
        }
        #expect(full?.code == .timedOut)
        // The link carries requests meanwhile.
        _ = try await served.peripheral.readValue(
          for: try await served.peripheral.characteristic(.heartRateMeasurement, in: ServingStage.uuid))
        for number in 0..<count {
          #expect(try await far.receive()?.first == UInt8(truncatingIfNeeded: number))
        }
      }
    }

    @Test(
      "A channel that demands encryption opens once the devices have paired; one that demands a passkey does not"
    )
    func security() async throws {
      try await ServingStage.serve(Self.heartRate) { served in
        let central = served.peripheral.central
        let outcome: Result<Void, any Error>
        do {
          try await PairingStage.answering(.justWorks, of: central) { try await served.peripheral.pair() }
          let offer = try await served.manager.publishChannel(security: .encrypted)
          let (near, far) = try await Self.open(offer, served.peripheral)
          try await near.send([1])
          #expect(try await far.receive() == [1])
          let strict = try await served.manager.publishChannel(security: .authenticated)
          await #expect(throws: BLEError.self) {
            _ = try await served.peripheral.openChannel(psm: strict.psm)
          }
          outcome = .success(())
        } catch {
          outcome = .failure(error)
        }
        try await Self.forgetBond(of: served)
        try outcome.get()
      }
    }

    /// Removes the bond of the two adapters from both.
    private static func forgetBond(of served: Served) async throws {
      let central = served.peripheral.central
      try await served.peripheral.unpair()
      let other = try #require(await central.adapters.first { $0.id == "hci1" })
      let machine = try await CentralManager(
        bus: .address(try await Stages.twoAdapters.value.address), adapter: "hci0")
      let address = try #require(BluetoothAddress(other.address))
      try await machine.knownPeripheral(withAddress: address)?.peripheral.unpair()
      await machine.close()
    }

    @Test("Channels end with their link")
    func lostLink() async throws {
      try await ServingStage.serve(Self.heartRate) { served in
        let offer = try await served.manager.publishChannel()
        let (near, far) = try await Self.open(offer, served.peripheral)
        try await served.peripheral.disconnect()
        #expect(try await Self.ended(near))
        #expect(try await Self.ended(far))
        let error = await #expect(throws: BLEError.self) { try await near.send([1]) }
        #expect(error?.code == .disconnected)
      }
    }

    /// Whether a channel ends, however the kernel says it.
    private static func ended(_ channel: L2CAPChannel) async throws -> Bool {
      do throws(BLEError) {
        return try await channel.receive() == nil
      } catch {
        return error.code == .disconnected
      }
    }
  }
}
