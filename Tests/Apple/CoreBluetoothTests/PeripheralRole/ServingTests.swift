// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

@Suite("Peripheral role of CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct PeripheralRoleTests {
  private func characteristic(
    _ number: String, _ properties: CBCharacteristicProperties, _ permissions: CBAttributePermissions,
    value: Data? = nil
  ) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: number), properties: properties, value: value, permissions: permissions)
  }

  @Test("A cached value is served without the delegate, others by it, with the central's errors")
  func requests() async throws {
    try await ServingFixture.run { fixture in
      let fixed = characteristic("0001", .read, .readable, value: Data("fixed".utf8))
      let stored = characteristic("0002", [.read, .write], [.readable, .writeable])
      let closed = characteristic("0003", [.read, .write], [])
      let value = Lock(Data("0123456789".utf8))
      fixture.delegate.onEvent.withLock {
        $0 = { manager, event in
          switch event {
          case .read(let request):
            let bytes = value.withLock { $0 }
            guard request.offset <= bytes.count else {
              return manager.respond(to: request, withResult: .invalidOffset)
            }
            request.value = bytes.subdata(in: request.offset..<bytes.count)
            manager.respond(to: request, withResult: .success)
          case .write(let requests):
            let bytes = requests[0].value ?? Data()
            guard bytes.count <= 20 else {
              return manager.respond(to: requests[0], withResult: .invalidAttributeValueLength)
            }
            value.withLock { $0 = bytes }
            manager.respond(to: requests[0], withResult: .success)
          default: break
          }
        }
      }
      _ = try await fixture.serve([fixed, stored, closed])
      let (peripheral, all) = try await fixture.connect()
      peripheral.readValue(for: all[0])
      #expect(await fixture.central.value(of: all[0]).0 == Data("fixed".utf8))
      // The simulated bluetoothd is that of BlueZ 5.66.
      #expect(peripheral.maximumWriteValueLength(for: .withoutResponse) == 510)
      #expect(peripheral.maximumWriteValueLength(for: .withResponse) == 510)
      peripheral.readValue(for: all[1])
      #expect(await fixture.central.value(of: all[1]).0 == Data("0123456789".utf8))
      peripheral.writeValue(Data([1, 2]), for: all[1], type: .withResponse)
      peripheral.writeValue(Data(count: 21), for: all[1], type: .withResponse)
      let results = await wrote(2, fixture.central)
      #expect(results == ["success", "CBATTError 13"])
      peripheral.readValue(for: all[1])
      #expect(await fixture.central.value(of: all[1]).0 == Data([1, 2]))
      peripheral.readValue(for: all[2])
      #expect((await fixture.central.value(of: all[2]).1 as? CBATTError)?.code == .readNotPermitted)
      // A reader that begins past the end.
      let client = try await BusClient.connect(to: fixture.bus.address)
      let objects = try await client.managedObjects()
      let found = objects.first { path, interfaces in
        path.hasPrefix("/org/bluez/hci1/dev_")
          && interfaces["org.bluez.GattCharacteristic1"]?["UUID"]?.text?.hasPrefix("00000002-") == true
      }
      let path = try #require(found?.key)
      let refused = await #expect(throws: DBusError.self) {
        _ = try await client.read(path, options: [("offset", .uint16(5))])
      }
      #expect(refused?.name == "org.bluez.Error.InvalidArguments")
      #expect(try await client.read(path, options: [("offset", .uint16(1))]) == [2])
    }
  }

  /// The outcomes of writes.
  private func wrote(_ count: Int, _ fixture: CentralFixture) async -> [String] {
    var results: [String] = []
    while results.count < count {
      let result = await fixture.delegate.first { event -> String? in
        guard case .wrote(_, let error) = event else { return nil }
        return error.map { "\(type(of: $0)) \(($0 as? CBATTError)?.errorCode ?? -1)" } ?? "success"
      }
      results.append(result ?? "nothing")
    }
    return results
  }

  @Test("A request that the program does not answer gets an error, and the program is warned")
  func silence() async throws {
    let lines = Lock<[String]>([])
    Misuse.observe { line in lines.withLock { $0.append(line) } }
    try await ServingFixture.run { fixture in
      _ = try await fixture.serve([characteristic("0001", .read, .readable)])
      let (peripheral, all) = try await fixture.connect()
      peripheral.readValue(for: all[0])
      #expect(await fixture.central.value(of: all[0]).1 != nil)
      let request = await fixture.delegate.first { if case .read(let request) = $0 { request } else { nil } }
      fixture.manager.respond(to: try #require(request), withResult: .success)
      let heard = lines.withLock { $0 }
      let isNoticed = heard.contains { $0.contains("was not answered within 500 ms") }
      let isMisuse = heard.contains { $0.contains("API MISUSE") && $0.contains("too late") }
      #expect(isNoticed)
      #expect(isMisuse)
    }
  }

  @Test("Subscribers are named; a flood finds no room, then room again, and all of it arrives in order")
  func flood() async throws {
    try await ServingFixture.run { fixture in
      let flooded = characteristic("0001", .notify, .readable)
      _ = try await fixture.serve([flooded])
      let (peripheral, all) = try await fixture.connect()
      #expect(fixture.manager.updateValue(Data([0xff]), for: flooded, onSubscribedCentrals: nil))
      peripheral.setNotifyValue(true, for: all[0])
      let central = await fixture.delegate.first { event -> CBCentral? in
        if case .subscribed(let central, let other) = event, other === flooded { central } else { nil }
      }
      #expect(flooded.subscribedCentrals == central.map { [$0] })
      var next = 0
      let send = { (number: Int) in
        fixture.manager.updateValue(Data([UInt8(number)]), for: flooded, onSubscribedCentrals: nil)
      }
      // While bluetoothd takes nothing, there comes an end of the room.
      await fixture.bus.simulator.freeze()
      while next < 200, send(next) { next += 1 }
      #expect(next < 200)
      await fixture.bus.simulator.thaw()
      while next < 200 {
        _ = await fixture.delegate.first { if case .ready = $0 { true } else { nil } }
        while next < 200, send(next) { next += 1 }
      }
      var values: [UInt8] = []
      while values.count < 200 { values += await fixture.central.value(of: all[0]).0 ?? Data() }
      #expect(values == Array(0..<200))
      peripheral.setNotifyValue(false, for: all[0])
      let other = await fixture.delegate.first { if case .unsubscribed(let it, _) = $0 { it } else { nil } }
      #expect(other == central)
      #expect(flooded.subscribedCentrals?.isEmpty == true)
    }
  }

  @Test("A bonded central that comes back is a subscriber again, without a call", .timeLimit(.minutes(1)))
  func bonded() async throws {
    try await ServingFixture.run { fixture in
      let notified = characteristic("0001", .notify, .readable)
      _ = try await fixture.serve([notified])
      let (simulator, central) = (fixture.bus.simulator, "F2:CE:17:00:00:01")
      try await simulator.perform(.otherClient(.registerAgent))
      let adapter = try #require(await simulator.state.adapters.first).address
      #expect(await simulator.connectCentral(central, to: adapter))
      #expect(await simulator.perform(.pair, byCentral: central) == .done())
      #expect(await simulator.perform(.configure(BluetoothUUID(short: 1), 1), byCentral: central) == .done())
      _ = await fixture.delegate.first { if case .subscribed = $0 { true } else { nil } }
      await simulator.disconnectCentral(central)
      _ = await fixture.delegate.first { if case .unsubscribed = $0 { true } else { nil } }
      #expect(await simulator.connectCentral(central, to: adapter))
      _ = await fixture.delegate.first { if case .subscribed = $0 { true } else { nil } }
      #expect(notified.subscribedCentrals?.count == 1)
    }
  }

  @Test("A central is forgotten when it is gone: another object stands for it when it comes back")
  func forgotten() async throws {
    try await ServingFixture.run { fixture in
      let readers = Lock<[CBCentral]>([])
      fixture.delegate.onEvent.withLock {
        $0 = { manager, event in
          guard case .read(let request) = event else { return }
          readers.withLock { $0.append(request.central) }
          manager.respond(to: request, withResult: .success)
        }
      }
      let (simulator, central) = (fixture.bus.simulator, "F2:CE:17:00:00:01")
      let adapter = try #require(await simulator.state.adapters.first).address
      func connectAndRead() async throws {
        _ = try await fixture.serve([characteristic("0001", [.read, .notify], .readable)])
        #expect(await simulator.connectCentral(central, to: adapter))
        let uuid = BluetoothUUID(short: 1)
        #expect(await simulator.perform(.configure(uuid, 1), byCentral: central) == .done([]))
        _ = await fixture.delegate.first { if case .subscribed = $0 { true } else { nil } }
        #expect(await simulator.perform(.read(uuid, offset: nil), byCentral: central) == .done([]))
      }
      try await connectAndRead()
      await simulator.disconnectCentral(central)
      // The manager has seen the end of the link.
      _ = await fixture.delegate.first { if case .unsubscribed = $0 { true } else { nil } }
      fixture.manager.stopAdvertising()
      fixture.manager.removeAllServices()
      try await connectAndRead()
      try await simulator.killBus()
      _ = await fixture.delegate.first { if case .state(.resetting) = $0 { true } else { nil } }
      try await simulator.startBus()
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      try await connectAndRead()
      let seen = readers.withLock { $0 }
      #expect(seen.count == 3 && Set(seen).count == 1)
      let objects = Set(seen.map { ObjectIdentifier($0) })
      #expect(objects.count == 3)
    }
  }

  @Test("A service can be removed; a second start and BlueZ's own services are refused")
  func refusals() async throws {
    try await ServingFixture.run { fixture in
      let service = try await fixture.serve([characteristic("0001", .read, .readable, value: Data([1]))])
      fixture.manager.startAdvertising([:])
      let again = await fixture.delegate.first { if case .advertising(let error) = $0 { error } else { nil } }
      #expect((again as? CBError)?.code == .alreadyAdvertising)
      fixture.manager.add(CBMutableService(type: CBUUID(string: "1801"), primary: true))
      let refused = await fixture.delegate.first { if case .added(_, let error) = $0 { error } else { nil } }
      #expect((refused as? CBError)?.code == .uuidNotAllowed)
      let (peripheral, _) = try await fixture.connect()
      fixture.manager.remove(service)
      let gone = await fixture.central.delegate.first { event -> [CBUUID]? in
        if case .modified(let services) = event { services.map(\.uuid) } else { nil }
      }
      #expect(gone == [ServingFixture.service])
      let isListed = peripheral.services?.contains { $0.uuid == ServingFixture.service }
      #expect(isListed == false)
      fixture.manager.stopAdvertising()
      #expect(!fixture.manager.isAdvertising)
    }
  }

  @Test("When bluetoothd ends, services and advertisements are forgotten, and can be offered again")
  func reset() async throws {
    try await ServingFixture.run { fixture in
      _ = try await fixture.serve([characteristic("0001", .read, .readable, value: Data([1]))])
      await fixture.bus.simulator.killDaemon()
      _ = await fixture.delegate.first { if case .state(.resetting) = $0 { true } else { nil } }
      #expect(!fixture.manager.isAdvertising)
      try await fixture.bus.simulator.startDaemon()
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      _ = await fixture.central.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      _ = try await fixture.serve([characteristic("0002", .read, .readable, value: Data([2]))])
      let (peripheral, all) = try await fixture.connect()
      #expect(all.map(\.uuid.uuidString) == ["0002"])
      #expect(peripheral.services?.count == 1)
    }
  }
}
