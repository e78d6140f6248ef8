// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

/// Events that must be neither lost nor reordered, and objects that end while they are used.
@Suite("Order and ends in CoreBluetooth", .serialized, .timeLimit(.minutes(5)))
struct OrderTests {
  @Test("No notification of 10,000 is lost, and each call of the delegate sees its own value")
  func burst() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      peripheral.setNotifyValue(true, for: try bench["0109"])
      peripheral.writeValue(Data([0x10, 0x27]), for: try bench["0108"], type: .withResponse)
      let numbers = Lock<[UInt32]>([])
      _ = await fixture.delegate.first { event -> Bool? in
        guard case .value(_, let value?, nil) = event, value.count == 20 else { return nil }
        let number = value.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return numbers.withLock { numbers in
          numbers.append(number)
          return numbers.count == 10_000 ? true : nil
        }
      }
      let isComplete = numbers.withLock { $0 == Array(0..<10_000) }
      #expect(isComplete)
    }
  }

  @Test("Values that came before the loss of a link are reported before it")
  func lossBehindValues() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      peripheral.setNotifyValue(true, for: try bench["0109"])
      peripheral.writeValue(Data([200, 0]), for: try bench["0108"], type: .withResponse)
      peripheral.writeValue(Data([1]), for: try bench["010C"], type: .withResponse)
      let count = Lock(0)
      _ = await fixture.delegate.first { event -> Bool? in
        if case .value = event { count.withLock { $0 += 1 } }
        if case .disconnected = event { return true }
        return nil
      }
      let total = count.withLock { $0 }
      #expect(total == 200)
    }
  }

  @Test("115 writes queued at once arrive in order, and so do their confirmations")
  func writes() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let piano = try await fixture.connected("Piano")
      let writable = try #require(try await fixture.characteristics("FFE1", of: piano).first)
      await fixture.bus.simulator.forgetReceived(Address.piano)
      for number in 0..<115 {
        piano.writeValue(
          Data([0xf0, 0x3d, 0x3d, UInt8(number), 0x02, 0xf7]), for: writable, type: .withResponse)
      }
      for _ in 0..<115 {
        let error = await fixture.delegate.first { event -> String? in
          if case .wrote(_, let error) = event { error.map { "\($0)" } ?? "none" } else { nil }
        }
        #expect(error == "none")
      }
      let uuid = try #require(BluetoothUUID("ffe3"))
      let received = await fixture.bus.simulator.received(Address.piano, uuid)
      let lamps = received.map { $0[3] }
      #expect(lamps == Array(0..<115))
    }
  }

  @Test("Writes without response all arrive in order, and the program hears when there is room again")
  func commands() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      peripheral.setNotifyValue(true, for: try bench["0107"])
      _ = await fixture.delegate.first { if case .notifying(_, let isOn, nil) = $0 { isOn } else { nil } }
      #expect(peripheral.canSendWriteWithoutResponse)
      await fixture.bus.simulator.freeze()
      for number in 0..<50 {
        peripheral.writeValue(Data([UInt8(number)]), for: try bench["0106"], type: .withoutResponse)
      }
      #expect(!peripheral.canSendWriteWithoutResponse)
      await fixture.bus.simulator.thaw()
      var echoes: [UInt8] = []
      var isReady = false
      while echoes.count < 50 || !isReady {
        _ = await fixture.delegate.first { event -> Bool? in
          if case .value(_, let value?, nil) = event { echoes += value }
          if case .ready = event { isReady = true }
          return true
        }
      }
      #expect(echoes == Array(0..<50))
      #expect(peripheral.canSendWriteWithoutResponse)
      #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 512)
      #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) > 20)
    }
  }

  @Test("A peripheral that is released while it is connected to is given up, with Apple's words")
  func releasedWhileConnecting() async throws {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Misuse.observe { continuation.yield($0) }
    try await CentralFixture.run(world: .builtIn) { fixture in
      weak var released: CBPeripheral?
      let object: Substring
      do {
        let piano = try await fixture.find("Piano")
        object = piano.description.prefix { $0 != "," }
        await fixture.bus.simulator.vanish(Address.piano)
        fixture.manager.connect(piano)
        released = piano
      }
      for await line in lines
      where line.contains("API MISUSE: Cancelling connection for unused peripheral \(object), ") {
        #expect(line.hasSuffix("Did you forget to keep a reference to it?"))
        break
      }
      #expect(released == nil)
      await fixture.bus.simulator.appear(Address.piano)
      let again = try await fixture.connected("Piano")
      #expect(again.state == .connected)
    }
  }

  @Test("A manager that is released while it scans ends the scan")
  func managerReleased() async throws {
    try await withSimulator(world: .builtIn) { bus in
      let central = try await CentralManager(bus: .address(bus.address))
      var events = await central.events().makeAsyncIterator()
      do {
        let fixture = CentralFixture(on: bus)
        _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
        fixture.manager.scanForPeripherals(withServices: nil)
        _ = await fixture.delegate.first { if case .discovered = $0 { true } else { nil } }
      }
      while let event = try await events.next() {
        if case .adapterChanged(let adapter) = event.kind, !adapter.isDiscovering { break }
      }
      await central.close()
    }
  }

  @Test("Two managers share a link: the one goes, and the other still gets values")
  func twoManagers() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let other = CentralFixture(on: fixture.bus)
      _ = await other.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      let first = try await fixture.connected("Heart Strap")
      // A connected device does not advertise.
      let known = other.manager.retrieveConnectedPeripherals(withServices: [CBUUID(string: "180D")])
      let second = try #require(known.first)
      second.delegate = other.delegate
      other.manager.connect(second)
      _ = await other.delegate.first { if case .connected = $0 { true } else { nil } }
      let beats = try await other.characteristics("180D", of: second)[0]
      second.setNotifyValue(true, for: beats)
      #expect(await other.value(of: beats).0 != nil)
      fixture.manager.cancelPeripheralConnection(first)
      _ = await fixture.delegate.first { if case .disconnected = $0 { true } else { nil } }
      for _ in 0..<5 { #expect(await other.value(of: beats).0 != nil) }
      #expect(second.state == .connected)
    }
  }

  @Test("When bluetoothd ends, the state says so, links are gone, and all comes back")
  func daemonKilled() async throws {
    try await CentralFixture.run(world: .builtIn) { fixture in
      let strap = try await fixture.connected("Heart Strap")
      _ = try await fixture.characteristics("180D", of: strap)
      await fixture.bus.simulator.killDaemon()
      let state = await fixture.delegate.first { if case .state(let state) = $0 { state } else { nil } }
      #expect(state == .resetting)
      #expect(strap.state == .disconnected)
      #expect(strap.services == nil)
      try await fixture.bus.simulator.startDaemon()
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      fixture.manager.connect(strap)
      _ = await fixture.delegate.first { if case .connected = $0 { true } else { nil } }
      _ = try await fixture.characteristics("180D", of: strap)
    }
  }

  @Test("Three threads may use the same objects at once")
  func hammering() async throws {
    try await CentralFixture.run { fixture in
      let peripheral = try await fixture.connected("Contract Bench")
      let bench = try await fixture.bench(peripheral)
      let (blob, echo, stream) = (try bench["0101"], try bench["0106"], try bench["0107"])
      peripheral.setNotifyValue(true, for: stream)
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        DispatchQueue.global().async {
          DispatchQueue.concurrentPerform(iterations: 3) { thread in
            for round in 0..<60 {
              switch thread {
              case 0: peripheral.readValue(for: blob)
              case 1: peripheral.writeValue(Data([UInt8(round)]), for: echo, type: .withoutResponse)
              default:
                _ = (peripheral.services?.count, blob.value, stream.isNotifying, peripheral.state)
                _ = ("\(peripheral)", "\(blob)", fixture.manager.isScanning)
                if round % 20 == 0 { fixture.manager.scanForPeripherals(withServices: nil) }
                if round % 20 == 10 { fixture.manager.stopScan() }
              }
            }
          }
          done.resume()
        }
      }
      var (reads, echoes) = (0, 0)
      _ = await fixture.delegate.first { event -> Bool? in
        if case .value(let characteristic, _, nil) = event {
          if characteristic === blob { reads += 1 } else { echoes += 1 }
        }
        return reads == 60 && echoes == 60 ? true : nil
      }
      #expect(reads == 60)
      fixture.manager.stopScan()
    }
  }
}
