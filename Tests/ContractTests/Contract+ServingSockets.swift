// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import BlueZSimulator
internal import TestSupport
internal import Testing

extension Contract {
  /// The sockets of AcquireNotify that this program serves.
  @Suite("Serving values over sockets")
  struct ServingSockets {
    private let one = ServingStage.uuid(1)

    private var characteristic: LocalCharacteristic {
      LocalCharacteristic(one, [.read, .notify], updateTransport: .acquireNotify)
    }

    @Test("Values keep their order when some of them cannot travel over the socket")
    func bothWays() async throws {
      try await ServingStage.serve([characteristic]) { served in
        var events = await served.manager.events().makeAsyncIterator()
        let notifications = try await served.peripheral.notifications(
          for: served.peripheral.characteristic(one))
        async let received = ServingStage.values(of: notifications, until: [0xff])
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        // An empty packet would end the socket.
        let sent = (UInt8(0)..<60).map { $0 % 3 == 2 ? [] : [$0] }
        for value in sent { try await served.characteristic.send(value) }
        try await served.characteristic.send([0xff])
        let values = try await received
        #expect(values == sent)
      }
    }

    @Test("A central that subscribes again gets values, also after it has hung up")
    func again() async throws {
      try await ServingStage.serveToOther([characteristic]) { stage, manager, service in
        let published = service.characteristics[0]
        var events = await manager.events().makeAsyncIterator()
        for round in UInt8(1)...3 {
          try await stage.expect(.configure(one, 1))
          try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
          try await published.send([round])
          #expect(try await stage.receivedByCentral(one, atLeast: round == 2 ? 2 : 1).last == [round])
          if round == 1 {
            try await stage.expect(.configure(one, 0))
            try await ServingStage.wait(for: &events) { if case .unsubscribed = $0 { true } else { false } }
          } else {
            try await stage.disconnectCentral()
            try await ServingStage.wait(for: &events) { if case .disconnected = $0 { true } else { false } }
            let adapter = try #require(await manager.adapterAddress)
            try await stage.connectCentral(to: "\(adapter)", mtu: 517)
          }
        }
      }
    }

    @Test("A central subscribes again when bluetoothd is back, and gets values over another socket")
    func restart() async throws {
      let stage = try await Stages.twoAdapters.value
      try await ServingStage.serve([characteristic]) { served in
        var events = await served.manager.events().makeAsyncIterator()
        try await stage.killDaemon()
        try await ServingStage.wait(for: &events) {
          if case .state(.serviceUnavailable) = $0 { true } else { false }
        }
        #expect(await !served.characteristic.isSubscribed)
        try await stage.startDaemon()
        try await ServingStage.wait(for: &events) { if case .advertisingStarted = $0 { true } else { false } }
        let peripheral = try await ServingStage.find(served.peripheral.central)
        try await Contract.connect(peripheral)
        let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
        async let received = ServingStage.values(of: notifications, until: [0xff])
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        try await served.characteristic.send([1])
        try await served.characteristic.send([0xff])
        let values = try await received
        #expect(values == [[1]])
      }
    }
  }
}
