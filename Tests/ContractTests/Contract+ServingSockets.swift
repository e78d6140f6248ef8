// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
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

    @Test("A value for one central reaches it alone; BlueZ 5.66, which has one socket for all, refuses it")
    func oneCentral() async throws {
      try await ServingStage.serve([characteristic]) { served in
        let (published, peripheral) = (served.characteristic, served.peripheral)
        let stage = try await Stages.twoAdapters.value
        var events = await served.manager.events().makeAsyncIterator()
        let notifications = try await peripheral.notifications(for: peripheral.characteristic(one))
        async let received = ServingStage.values(of: notifications, until: [0xff])
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        let first = try #require(await served.manager.connectedCentrals.first)
        var found: Central?
        try await ServingStage.connectOther(peripheral.central)
        try await ServingStage.wait(for: &events) {
          if case .connected(let central) = $0 { found = central }
          return found != nil
        }
        let other = try #require(found)
        #expect(other.address == BuiltIn.central)
        try await stage.expect(.configure(one, 1))
        if Stages.version < .v5_82 {
          #expect(await published.individualCentrals == [])
          await Self.expect(.notSupported) { () throws(BLEError) in try await published.send([1], for: other)
          }
          try await published.send([0xff])
          #expect(try await stage.receivedByCentral(one, atLeast: 1) == [[0xff]])
          let values = try await received
          #expect(values == [])
          return
        }
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        #expect(Set(await published.individualCentrals) == [first, other])
        try await published.send([1], for: other)
        try await published.send([2], for: first)
        #expect(try await published.update([3], for: other))
        #expect(await published.value == [])
        await Self.expect(.invalidLength) { () throws(BLEError) in try await published.send([], for: other) }
        try await published.send([0xff])
        #expect(try await stage.receivedByCentral(one, atLeast: 3) == [[1], [3], [0xff]])
        let values = try await received
        #expect(values == [[2]])
        try await stage.expect(.configure(one, 0))
        await Self.expect(.notFound) { () throws(BLEError) in
          while true { try await published.send([4], for: other) }
        }
      }
    }

    @Test("A task that sends on the thread of the manager lets others run there after 256 values")
    func turns() async throws {
      try await ServingStage.serve([characteristic]) { served in
        let (published, manager) = (served.characteristic, served.manager)
        var events = await manager.events().makeAsyncIterator()
        let notifications = try await served.peripheral.notifications(
          for: served.peripheral.characteristic(one))
        async let received = ServingStage.values(of: notifications, until: [0xff])
        try await ServingStage.wait(for: &events) { if case .subscribed = $0 { true } else { false } }
        let sending = Task(executorPreference: manager.taskExecutor) {
          let hasRun = Lock(false)
          Task(executorPreference: manager.taskExecutor) { hasRun.withLock { $0 = true } }
          var count = 0
          while !hasRun.withLock({ $0 }) {
            try await published.send([UInt8(truncatingIfNeeded: count) & 0x7f])
            count += 1
          }
          try await published.send(contentsOf: [[0x80], [], [0x81], [0xff]])
          return count
        }
        let count = try await sending.value
        #expect(count <= 257)
        let values = try await received
        let sent = (0..<count).map { [UInt8(truncatingIfNeeded: $0) & 0x7f] } + [[0x80], [], [0x81]]
        #expect(values == sent)
      }
    }

    /// Checks with what code an operation fails.
    private static func expect(
      _ code: BLEError.Code, of operation: () async throws(BLEError) -> Void,
      sourceLocation: SourceLocation = #_sourceLocation
    ) async {
      do throws(BLEError) {
        try await operation()
        Issue.record("it did not fail", sourceLocation: sourceLocation)
      } catch {
        #expect(error.code == code, sourceLocation: sourceLocation)
      }
    }
  }
}
