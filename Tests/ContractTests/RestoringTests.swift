// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEPeripheral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Refusals of a BlueZ that comes back, which only a simulated one can be made to give.
@Suite("Restoring", .enabled(if: !Stages.isReal), .timeLimit(.minutes(1)))
struct RestoringTests {
  @Test("A registration that a returning BlueZ refuses is tried again after a pause, and reported once")
  func refused() async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let manager = try await PeripheralManager(bus: .address(simulated.address))
      let uuid = ServingStage.short
      let service = try await manager.add(LocalService(uuid, [LocalCharacteristic(uuid, .read)]))
      try await manager.startAdvertising(Advertisement(services: [uuid]))
      var events = await manager.events().makeAsyncIterator()
      for (method, times) in [("RegisterApplication", 3), ("RegisterAdvertisement", 4)] {
        let fault = CallFault(method, .failed("not now"), times: times)
        try await simulated.simulator.perform(.daemon(.failCalls(fault)))
      }
      let start = LoopClock.now
      await simulated.simulator.killDaemon()
      try await simulated.simulator.startDaemon()
      var failures: [String] = []
      try await ServingStage.wait(for: &events) { kind in
        if case .failed(let error) = kind { failures.append("\(error.action): \(error.message)") }
        if case .advertisingStarted = kind { return true } else { return false }
      }
      #expect(failures == ["publish fff0: not now", "advertise: not now"])
      #expect(await service.characteristics[0].handle != nil)
      #expect(LoopClock.now - start >= .seconds(5))
      await manager.close()
    }
  }

  @Test(
    "A registration that BlueZ makes after the deadline is undone and made again",
    arguments: [BLEError.Action.publish(ServingStage.short), .advertise])
  func late(_ action: BLEError.Action) async throws {
    VirtualTime.begin()
    try await withSimulator(world: .twoAdapters) { simulated in
      let manager = try await PeripheralManager(bus: .address(simulated.address), adapter: "hci0")
      let central = try await CentralManager(bus: .address(simulated.address), adapter: "hci1")
      let uuid = ServingStage.short
      let service = LocalService(uuid, [LocalCharacteristic(uuid, .read, value: [7])])
      // Only one of the two waits for the bluetoothd that hangs.
      if action == .advertise {
        try await manager.startAdvertising(Advertisement(services: [uuid]))
      } else {
        try await manager.add(service)
      }
      var events = await manager.events().makeAsyncIterator()
      var failures: [BLEError] = []
      // A registration before bluetoothd hangs is not late: then once more.
      while failures.isEmpty {
        try await simulated.simulator.perform(.adapter(.remove))
        try await ServingStage.wait(for: &events) { $0.isState(.unsupported) }
        try await simulated.simulator.perform(.adapter(.add))
        try await simulated.simulator.perform(.adapter(.switchOn))
        await simulated.simulator.freeze()
        try await restoration(in: &events, until: 1, &failures)
        await simulated.simulator.thaw()
      }
      try await restoration(in: &events, until: 2, &failures)
      #expect(failures.map(\.code) == [.timedOut], "\(failures)")
      #expect(failures.first?.action == action)
      if action == .advertise {
        try await manager.add(service)
      } else {
        try await manager.startAdvertising(Advertisement(services: [uuid]))
      }
      let peripheral = try await ServingStage.find(central)
      try await Contract.connect(peripheral)
      #expect(try await peripheral.discoverServices().count { $0.uuid == uuid } == 1)
      let value = try await peripheral.readValue(for: peripheral.characteristic(uuid))
      #expect(value == [7])
      await central.close()
      await manager.close()
    }
  }

  /// Waits until everything is registered again, or that many attempts have failed.
  private func restoration(
    in events: inout PeripheralEvents.Iterator, until limit: Int, _ failures: inout [BLEError]
  ) async throws {
    try await ServingStage.wait(for: &events) { kind in
      if case .failed(let error) = kind { failures.append(error) }
      if case .restored = kind { return true } else { return failures.count >= limit }
    }
  }

  @Test("A bluetoothd that is back, and refuses its objects, is asked again")
  func refusedObjects() async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let peripheral = try await PeripheralManager(bus: .address(simulated.address))
      var states = await central.stateUpdates().makeAsyncIterator()
      var events = await peripheral.events().makeAsyncIterator()
      #expect(await states.next() == .poweredOn)
      await simulated.simulator.killDaemon()
      #expect(await states.next() == .serviceUnavailable)
      try await ServingStage.wait(for: &events) { $0.isState(.serviceUnavailable) }
      let fault = CallFault("GetManagedObjects", .failed("not now"), times: 5)
      try await simulated.simulator.perform(.daemon(.failCalls(fault)))
      try await simulated.simulator.startDaemon()
      #expect(await states.next() == .poweredOn)
      try await ServingStage.wait(for: &events) { $0.isState(.poweredOn) }
      await peripheral.close()
      await central.close()
    }
  }

  @Test("A device that is connected when the objects are read again is reported")
  func connectedMeanwhile() async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let client = try await BusClient.connect(to: simulated.address)
      try await client.open(Address.strap)
      let peripheral = try await PeripheralManager(bus: .address(simulated.address))
      var events = await peripheral.events().makeAsyncIterator()
      await simulated.simulator.killDaemon()
      try await ServingStage.wait(for: &events) { if case .disconnected = $0 { true } else { false } }
      let fault = CallFault("GetManagedObjects", .failed("not now"), times: 5)
      try await simulated.simulator.perform(.daemon(.failCalls(fault)))
      try await simulated.simulator.startDaemon()
      try await client.device("Connect", Address.strap)
      try await ServingStage.wait(for: &events) { kind in
        if case .connected(let central) = kind { "\(central.address)" == Address.strap } else { false }
      }
      await peripheral.close()
    }
  }

  @Test("A peripheral manager whose bus was lost names that as the reason after it is closed, too")
  func closedWithoutBus() async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let manager = try await PeripheralManager(bus: .address(simulated.address))
      let events = await manager.events()
      try await simulated.simulator.killBus()
      let lost = await #expect(throws: BLEError.self) { for try await _ in events {} }
      #expect(lost?.code == .busUnavailable)
      await manager.close()
      let later = await manager.events()
      let closed = await #expect(throws: BLEError.self) { for try await _ in later {} }
      #expect(closed?.code == .busUnavailable)
      #expect(await manager.state == .busUnavailable)
    }
  }

  @Test("An agent is given up within a second while bluetoothd hangs")
  func agentWhileFrozen() async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let ready = Promise<Bool>()
      let answering = Task { try await central.answerPairings(using: .justWorks) { ready.fulfil(true) } }
      _ = await ready.value
      await simulated.simulator.freeze()
      let start = LoopClock.now
      answering.cancel()
      _ = await answering.result
      #expect(LoopClock.now - start < .seconds(1))
      await central.close()
      await simulated.simulator.thaw()
    }
  }

  @Test("An agent that bluetoothd refuses when it is back is registered a little later")
  func refusedAgent() async throws {
    VirtualTime.begin()
    try await withSimulator(world: .contract) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      try await PairingStage.answering(.justWorks, of: central) {
        let fault = CallFault("RegisterAgent", .failed("not now"), times: 3)
        try await simulated.simulator.perform(.daemon(.failCalls(fault)))
        var states = await central.stateUpdates().makeAsyncIterator()
        await simulated.simulator.killDaemon()
        while let state = await states.next(), state != .serviceUnavailable {}
        try await simulated.simulator.startDaemon()
        while let state = await states.next(), state != .poweredOn {}
        try await EventLoop.shared.sleep(for: .seconds(4))
        await simulated.simulator.appear(BuiltIn.justWorks.description)
        let peripheral = try await Contract.find(BuiltIn.justWorks, central)
        try await Contract.connect(peripheral)
        let encrypted = try await peripheral.readValue(for: peripheral.characteristic(BuiltIn.bench(0x0302)))
        #expect(encrypted == Array("encrypted".utf8))
      }
      await central.close()
    }
  }
}

extension PeripheralEvent.Kind {
  fileprivate func isState(_ expected: BluetoothState) -> Bool {
    if case .state(let state) = self { state == expected } else { false }
  }
}
