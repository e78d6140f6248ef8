// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import BlueZSimulator
internal import TestSupport
internal import Testing

extension Contract {
  /// L2CAP channels whose other end is not this library: those of the Contract Bench, and of a central that is not BlueZ.
  @Suite("Channels with others")
  struct ChannelsWithOthers {
    /// The channels of the Contract Bench.
    private static let echo: UInt16 = 0x80
    private static let hold: UInt16 = 0x81
    private static let close: UInt16 = 0x82
    private static let tooManyCredits: UInt16 = 0x83
    private static let tooLarge: UInt16 = 0x84

    /// Runs a test with a channel of the Contract Bench; requests are answered afterwards as before.
    private static func withChannel(
      _ psm: UInt16, _ body: (L2CAPChannel, Peripheral) async throws -> Void
    ) async throws {
      try await Contract.withPeripheral(BuiltIn.bench) { peripheral in
        let channel = try await peripheral.openChannel(psm: psm)
        try await body(channel, peripheral)
        let fixed = try await peripheral.characteristic(BuiltIn.bench(0x0104), in: BuiltIn.bench(0x0001))
        #expect(try await peripheral.readValue(for: fixed) == Array("fixed".utf8))
        await channel.close()
      }
    }

    @Test("100 kB come back byte for byte from a device, and its channel can be opened again")
    func comesBack() async throws {
      try await Self.withChannel(Self.echo) { first, peripheral in
        #expect(first.peer == peripheral.address)
        var channel = first
        for count in [100_000, 1, 5000] {
          let bytes = Channels.noise(count)
          let sender = channel
          async let sent: Void = sender.send(contentsOf: bytes)
          let received = try await Channels.receive(count, from: channel)
          try await sent
          #expect(received == bytes)
          await channel.close()
          channel = try await peripheral.openChannel(psm: Self.echo)
        }
        await channel.close()
      }
    }

    @Test("When packets have left and the device has answered, they have arrived")
    func sent() async throws {
      try await Self.withChannel(Self.echo) { channel, peripheral in
        let bytes = Channels.noise(20_000)
        try await channel.send(contentsOf: bytes)
        try await channel.waitUntilSent(timeout: .seconds(20))
        try await peripheral.confirmChannels(timeout: .seconds(20))
        #expect(try await Channels.receive(bytes.count, from: channel) == bytes)
      }
    }

    @Test("Bytes that are not read hold up no request")
    func unread() async throws {
      try await Self.withChannel(Self.echo) { channel, peripheral in
        let bytes = Channels.noise(20_000)
        try await channel.send(contentsOf: bytes)
        let fixed = try await peripheral.characteristic(BuiltIn.bench(0x0104), in: BuiltIn.bench(0x0001))
        for _ in 1...16 { _ = try await peripheral.readValue(for: fixed, timeout: .seconds(20)) }
        #expect(try await Channels.receive(bytes.count, from: channel) == bytes)
      }
    }

    @Test(
      "A device that grants no more credits holds up the writer, and neither requests nor the end of the channel"
    )
    func heldUp() async throws {
      try await Self.withChannel(Self.hold) { channel, _ in
        var count = 0
        let full = await #expect(throws: BLEError.self) {
          while count < 10_000 {
            try await channel.send([UInt8](repeating: 7, count: 999), timeout: .seconds(2))
            count += 1
          }
        }
        #expect(full?.code == .timedOut)
        let late = await #expect(throws: BLEError.self) {
          try await channel.waitUntilSent(timeout: .seconds(1))
        }
        #expect(late?.code == .timedOut)
      }
    }

    @Test(
      "A device that ends in the middle is read to its last byte, and then the channel has ended for both directions"
    )
    func endsInTheMiddle() async throws {
      try await Self.withChannel(Self.close) { channel, _ in
        let bytes = Channels.noise(1000)
        try await channel.send(Array(bytes[..<600]))
        try await channel.send(Array(bytes[600...]))
        #expect(try await Channels.receive(.max, from: channel) == bytes)
        #expect(try await channel.receive() == nil)
        let error = await #expect(throws: BLEError.self) { try await channel.send([1]) }
        #expect(error?.code == .disconnected)
      }
    }

    @Test("The kernel ends the channel of a device that grants more credits than there are, and nothing else")
    func tooManyCredits() async throws {
      try await Self.withChannel(Self.tooManyCredits) { channel, _ in
        try await channel.send([1])
        while try await channel.receive(timeout: .seconds(20)) != nil {}
        let error = await #expect(throws: BLEError.self) { try await channel.send([1]) }
        #expect(error?.code == .disconnected)
      }
    }

    @Test("A packet that is too large is never delivered: the kernel drops it, or ends the channel")
    func tooLarge() async throws {
      try await Self.withChannel(Self.tooLarge) { channel, _ in
        try await channel.send([1, 2, 3])
        let packet = try await channel.receive(timeout: .seconds(20))
        #expect(packet == [1, 2, 3] || packet == nil)
      }
    }

    @Test("A central that is not BlueZ gets back 100 kB from a channel of this machine, and then closes it")
    func central() async throws {
      let characteristics = [LocalCharacteristic(.heartRateMeasurement, [.read], value: [0, 60])]
      try await ServingStage.serveToOther(characteristics) { stage, manager, _ in
        let offer = try await manager.publishChannel()
        async let count = Self.sendBack(offer)
        try await stage.expect(.exchange(psm: offer.psm, count: 100_000))
        // If no channel was opened, none is waited for.
        await offer.close()
        let sentBack = try await count
        #expect(sentBack == 100_000)
      }
    }

    /// Sends back what comes over the next channel until it ends; returns how many bytes that were.
    private static func sendBack(_ offer: PublishedChannel) async throws -> Int {
      guard let channel = try await offer.accept() else { return 0 }
      var count = 0
      while let packet = try await channel.receive() {
        try await channel.send(contentsOf: packet)
        count += packet.count
      }
      return count
    }
  }
}
