// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

/// Links and subscriptions that end, and what the program is told.
@Suite("Losses in CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct LossTests {
  /// The error of the next loss of a link.
  private func loss(_ fixture: CentralFixture) async -> CBError.Code? {
    let error = await fixture.delegate.first { event -> (any Error)?? in
      if case .disconnected(_, let error, _) = event { .some(error) } else { nil }
    }
    return (error.flatMap { $0 } as? CBError)?.code
  }

  @Test("The loss of a link is reported while writes without response wait", arguments: [2, 20])
  func waitingWrites(count: Int) async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      await fixture.bus.simulator.freeze()
      for number in 0..<count {
        peripheral.writeValue(Data([UInt8(number)]), for: try bench["0106"], type: .withoutResponse)
      }
      await fixture.bus.simulator.dropLink(Address.bench)
      await fixture.bus.simulator.thaw()
      #expect(await loss(fixture) == .peripheralDisconnected)
      #expect(peripheral.state == .disconnected)
      fixture.manager.connect(peripheral)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      #expect(peripheral.canSendWriteWithoutResponse)
    }
  }

  @Test("A program that writes whenever there is room is told of the loss of the link")
  func backPressure() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let echoing = try await fixture.bench(peripheral)["0106"]
      @Sendable func write() {
        while peripheral.canSendWriteWithoutResponse {
          peripheral.writeValue(Data([1]), for: echoing, type: .withoutResponse)
        }
      }
      let reports = Lock(0)
      let isUnderWay = Promise<Void>()
      fixture.delegate.onEvent.withLock {
        $0 = { event in
          guard case .ready = event else { return }
          write()
          if reports.withLock({
            $0 += 1; return $0 == 3
          }) {
            isUnderWay.fulfil(())
          }
        }
      }
      write()
      await isUnderWay.value
      await fixture.bus.simulator.dropLink(Address.bench)
      #expect(await loss(fixture) == .peripheralDisconnected)
    }
  }

  @Test("Room that a lost link took is no room of the next one")
  func room() async throws {
    try await withSimulator { bus in
      let central = try await CentralManager(bus: .address(bus.address))
      var results = central.scan().makeAsyncIterator()
      let info = try #require(try await results.next()).info
      let session = CentralSession(EngineKey(["blectl.bus": "unix:path=/nonexistent"]), queue: nil)
      let peripheral = session.peripheral(for: DeviceDirectory().note(info))
      let links = (0..<2).map { _ in OpenLink(info.peripheral, on: .shared) }
      peripheral.linkOpened(links[0], mtu: nil)
      for _ in 0..<8 { peripheral.takeCredit(over: links[0]) }
      #expect(!peripheral.canSendWriteWithoutResponse)
      peripheral.linkEnded()
      peripheral.linkOpened(links[1], mtu: nil)
      for _ in 0..<8 { peripheral.takeCredit(over: links[1]) }
      var isReady = (0..<8).contains { _ in peripheral.returnCredit(over: links[0]) }
      #expect(!isReady && !peripheral.canSendWriteWithoutResponse)
      isReady = (0..<8).contains { _ in peripheral.returnCredit(over: links[1]) }
      #expect(isReady && peripheral.canSendWriteWithoutResponse)
      await central.close()
    }
  }

  @Test("A link that is wanted again before its loss is reported is being connected, not disconnected")
  func wantedAgain() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let piano = try await fixture.connected("Piano")
      let states = Lock<[CBPeripheralState]>([])
      fixture.delegate.onEvent.withLock {
        $0 = { event in
          if case .disconnected(let peripheral, _, _) = event {
            states.withLock { $0.append(peripheral.state) }
          }
        }
      }
      // The program's queue is busy while the loss is reported.
      fixture.delegate.queue.suspend()
      await fixture.bus.simulator.dropLink(Address.piano)
      while piano.link.isRequested { await Task.yield() }
      fixture.manager.connect(piano)
      fixture.delegate.queue.resume()
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      let reported = states.withLock { $0 }
      #expect(reported == [.connecting])
      #expect(piano.state == .connected)
    }
  }

  @Test("A link that is given up before its loss is reported is disconnected in the end")
  func givenUpMeanwhile() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let piano = try await fixture.find("Piano")
      fixture.manager.connect(piano, options: [CBConnectPeripheralOptionEnableAutoReconnect: true])
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      await fixture.bus.simulator.vanish(Address.piano)
      _ = await fixture.delegate.first { if case .disconnected = $0 { true } else { nil } }
      #expect(piano.state == .connecting)
      await fixture.bus.simulator.appear(Address.piano)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      let isReported = Promise<Void>()
      fixture.delegate.onEvent.withLock {
        $0 = { event in
          guard case .disconnected(let peripheral, _, isReconnecting: true) = event else { return }
          fixture.manager.cancelPeripheralConnection(peripheral)
          isReported.fulfil(())
        }
      }
      await fixture.bus.simulator.dropLink(Address.piano)
      await isReported.value
      _ = await fixture.delegate.first {
        if case .disconnected(_, nil, isReconnecting: false) = $0 { true } else { nil }
      }
      #expect(piano.state == .disconnected)
    }
  }

  @Test("The end of a link is reported even if the program releases the peripheral after giving it up")
  func released() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      do {
        let piano = try await fixture.connected("Piano")
        fixture.manager.cancelPeripheralConnection(piano)
      }
      let error = await fixture.delegate.first { event -> (any Error)?? in
        if case .disconnected(_, let error, _) = event { .some(error) } else { nil }
      }
      let isError = error.map { $0 != nil }
      #expect(isError == false)
    }
  }

  @Test("A program that connects again after each failure is slowed down, with the nearest code")
  func refused() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let piano = try await fixture.find("Piano")
      try await fixture.bus.simulator.perform(
        .peripheral(Address.piano, .refuseConnect(.bluez("AuthenticationFailed", "Authentication Failed"))))
      let times = Lock<[ContinuousClock.Instant]>([])
      fixture.delegate.onEvent.withLock {
        $0 = { event in
          guard case .failedToConnect(let peripheral, _) = event else { return }
          times.withLock { $0.append(LoopClock.now) }
          fixture.manager.connect(peripheral)
        }
      }
      fixture.manager.connect(piano)
      for _ in 0..<3 {
        let error = await fixture.delegate.first { event -> (any Error)?? in
          if case .failedToConnect(_, let error) = event { .some(error) } else { nil }
        }
        let code = (error.flatMap { $0 } as? CBError)?.code
        #expect(code == .connectionFailed)
      }
      fixture.delegate.onEvent.exchange(nil)
      let failures = times.withLock { $0 }
      let areApart = zip(failures, failures.dropFirst()).allSatisfy { $1 - $0 > .milliseconds(900) }
      #expect(areApart && failures.count >= 3)
      fixture.manager.cancelPeripheralConnection(piano)
    }
  }

  @Test("Objects of an earlier link are refused though the program holds them; values come to the new ones")
  func formerObjects() async throws {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Misuse.observe { continuation.yield($0) }
    try await CentralFixture.run(world: .builtIn) { fixture in
      let strap = try await fixture.connected("Heart Strap")
      let old = try await fixture.characteristics("180D", of: strap)[0]
      let service = try #require(old.service)
      strap.setNotifyValue(true, for: old)
      _ = await fixture.delegate.first { if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil } }
      fixture.manager.cancelPeripheralConnection(strap)
      _ = await fixture.delegate.first { if case .disconnected = $0 { true } else { nil } }
      #expect(!old.isNotifying)
      fixture.manager.connect(strap)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      strap.setNotifyValue(true, for: old)
      strap.discoverCharacteristics(nil, for: service)
      for kind in ["characteristic", "service"] {
        let isRefused = await lines.first {
          $0.contains("is not a valid \(kind) for peripheral <CBPeripheral")
        }
        #expect(isRefused != nil)
      }
      let new = try await fixture.characteristics("180D", of: strap)[0]
      #expect(new !== old)
      strap.setNotifyValue(true, for: new)
      let reader = await fixture.delegate.first { event -> CBCharacteristic? in
        if case .value(let characteristic, _, _) = event { characteristic } else { nil }
      }
      #expect(reader === new && new.isNotifying && !old.isNotifying)
    }
  }

  @Test("Objects of a removed service are not notified, and requests on them fail")
  func invalidated() async throws {
    try await ServingFixture.run { fixture in
      let served = CBMutableCharacteristic(
        type: CBUUID(string: "0001"), properties: [.read, .notify], value: nil, permissions: .readable)
      let service = try await fixture.serve([served])
      let (peripheral, found) = try await fixture.connect()
      let (characteristic, held) = (found[0], try #require(found[0].service))
      peripheral.setNotifyValue(true, for: characteristic)
      _ = await fixture.delegate.first { if case .subscribed = $0 { true } else { nil } }
      fixture.manager.remove(service)
      _ = await fixture.central.delegate.first { if case .modified = $0 { true } else { nil } }
      #expect(!characteristic.isNotifying)
      peripheral.setNotifyValue(true, for: characteristic)
      peripheral.discoverCharacteristics(nil, for: held)
      peripheral.discoverIncludedServices(nil, for: held)
      peripheral.discoverDescriptors(for: characteristic)
      peripheral.readValue(for: characteristic)
      let codes = Lock<[String: CBError.Code?]>([:])
      _ = await fixture.central.delegate.first { event -> Bool? in
        let (name, error): (String, (any Error)?)
        switch event {
        case .notifying(_, false, let failure?): (name, error) = ("subscription", failure)
        case .characteristics(_, let failure): (name, error) = ("characteristics", failure)
        case .includedServices(_, let failure): (name, error) = ("included services", failure)
        case .descriptors(_, let failure): (name, error) = ("descriptors", failure)
        case .value(_, _, let failure): (name, error) = ("value", failure)
        default: return nil
        }
        codes.withLock { $0[name] = (error as? CBError)?.code }
        return name == "value" ? true : nil
      }
      let reported = codes.withLock { $0 }
      let areInvalid = reported.values.allSatisfy { $0 == .invalidHandle }
      #expect(reported.count == 5 && areInvalid)
      #expect(!characteristic.isNotifying)
    }
  }

  @Test("A subscription that ends although the peripheral stays connected is reported, and can be made again")
  func endOfSubscription() async throws {
    try await CentralFixture.run { fixture in
      await fixture.bus.simulator.appear("C7:B0:4D:00:00:01")
      let peripheral = try await fixture.connected("Just Works")
      let values = BenchCharacteristics(
        all: try await fixture.characteristics(benchUUID("0003"), of: peripheral))
      let (encrypted, echo) = (try values["0302"], try values["0307"])
      peripheral.setNotifyValue(true, for: echo)
      _ = await fixture.delegate.first { if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil } }
      peripheral.readValue(for: encrypted)
      let isOn = await fixture.delegate.first { event -> Bool? in
        if case .notifying(echo, let isOn, _?) = event { isOn } else { nil }
      }
      #expect(isOn == false)
      #expect(peripheral.state == .connected && !echo.isNotifying)
      peripheral.setNotifyValue(true, for: echo)
      let again = await fixture.delegate.first { event -> (isOn: Bool, error: (any Error)?)? in
        if case .notifying(echo, let isOn, let error) = event { (isOn, error) } else { nil }
      }
      // BlueZ may refuse it; what the program is told is so.
      #expect(again?.isOn == (again?.error == nil))
    }
  }

  @Test("When BlueZ ends the link of a request that requires pairing, the peripheral can be used again")
  func endOfLinkByBlueZ() async throws {
    try await CentralFixture.run(world: World(bluez: .v5_87, peripherals: World.contract.peripherals)) {
      fixture in
      await fixture.bus.simulator.appear("C7:B0:4D:00:00:01")
      let peripheral = try await fixture.connected("Just Works")
      var values = BenchCharacteristics(
        all: try await fixture.characteristics(benchUUID("0003"), of: peripheral))
      let echo = try values["0307"]
      peripheral.setNotifyValue(true, for: echo)
      _ = await fixture.delegate.first { if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil } }
      peripheral.readValue(for: try values["0302"])
      // The link may be lost, or replaced: each read has an answer, or the loss is reported.
      var answers: [String] = []
      while answers.suffix(3) != ["open", "open", "open"], answers.count < 6 {
        let open = try values["0301"]
        peripheral.readValue(for: open)
        let answer = await fixture.delegate.first { event -> String? in
          switch event {
          case .value(open, let data?, nil): String(decoding: data, as: UTF8.self)
          case .value(open, _, let error?): "\(error)"
          case .disconnected: "disconnected"
          default: nil
          }
        }
        answers.append(answer ?? "nothing")
        guard peripheral.state != .connected else { continue }
        fixture.manager.connect(peripheral)
        _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
        values = BenchCharacteristics(
          all: try await fixture.characteristics(benchUUID("0003"), of: peripheral))
      }
      #expect(answers.suffix(3) == ["open", "open", "open"])
      #expect(Set(answers).isSubset(of: ["open", "disconnected"]))
      // The link may end only behind the reads, with the subscription.
      if echo.isNotifying {
        let isOn = await fixture.delegate.first { event -> Bool? in
          switch event {
          case .notifying(echo, let isOn, _?): isOn
          case .disconnected: false
          default: nil
          }
        }
        #expect(isOn == false)
      }
      #expect(!echo.isNotifying)
      fixture.manager.cancelPeripheralConnection(peripheral)
      _ = await fixture.delegate.first { if case .disconnected(_, nil, _) = $0 { true } else { nil } }
    }
  }
}
