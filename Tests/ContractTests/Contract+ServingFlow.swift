// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Serving many values")
  struct ServingFlow {
    private let one = ServingStage.uuid(1)

    /// Takes that many values.
    private func take(_ count: Int, from notifications: Notifications) async throws -> [[UInt8]] {
      var values: [[UInt8]] = []
      for try await notification in notifications {
        values.append(notification.value)
        if values.count == count { break }
      }
      return values
    }

    private func value(_ number: Int) -> [UInt8] { [UInt8(number & 0xff), UInt8(number >> 8)] }

    /// Sends that many values to a central whose link takes time, the first of them while bluetoothd takes none, and checks
    /// that all arrive.
    ///
    /// - Returns: how many found room at first.
    private func send(
      _ count: Int, _ properties: CharacteristicProperties, via transport: UpdateTransport = .signals,
      packetTime: Duration
    ) async throws -> Int {
      let stage = try await Stages.twoAdapters.value
      var room = 0
      try await ServingStage.serve([LocalCharacteristic(one, properties, updateTransport: transport)]) {
        served in
        let (characteristic, peripheral) = (served.characteristic, served.peripheral)
        var events = await served.manager.events().makeAsyncIterator()
        let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
        async let received = take(count, from: notifications)
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        try await stage.setPacketTime(packetTime)
        try await stage.freezeDaemon()
        while room < count, try await characteristic.update(value(room)) { room += 1 }
        try await stage.thawDaemon()
        let rest = room + (count - room) / 2
        for number in room..<rest { try await characteristic.send(value(number)) }
        try await characteristic.send(contentsOf: (rest..<count).map { value($0) })
        let values = try await received
        #expect(values == (0..<count).map { value($0) })
        try await stage.setPacketTime(Stages.packetTime)
      }
      return room
    }

    @Test(
      "10,000 values reach a slow central, in order, none lost or doubled; the sender is held up",
      arguments: [(UpdateTransport.signals, 100), (.acquireNotify, 1000)])
    func slowCentral(_ transport: UpdateTransport, _ limit: Int) async throws {
      // In emulation, bluetoothd needs milliseconds for a value.
      let room = try await send(
        Stages.isReal ? 2000 : 10_000, .notify, via: transport, packetTime: .milliseconds(2))
      #expect((1...limit).contains(room))
    }

    @Test("Indications reach a slow central, one after another")
    func slowIndications() async throws {
      let room = try await send(50, .indicate, packetTime: .milliseconds(10))
      #expect(room == 1)
    }

    @Test("There is room for an indication when the one before is confirmed")
    func confirmation() async throws {
      let stage = try await Stages.twoAdapters.value
      try await ServingStage.serve([LocalCharacteristic(one, .indicate)]) { served in
        let (characteristic, peripheral) = (served.characteristic, served.peripheral)
        var events = await served.manager.events().makeAsyncIterator()
        let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
        async let received = take(3, from: notifications)
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        for number in 0..<3 {
          try await stage.freezeDaemon()
          #expect(try await characteristic.update(value(number)))
          #expect(try await !characteristic.update([0xff]))
          try await stage.thawDaemon()
          try await ServingStage.wait(for: &events) { if case .isReady = $0 { true } else { false } }
        }
        let values = try await received
        let expected = (0..<3).map { value($0) }
        #expect(values == expected)
      }
    }
  }
}
