// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import CoreBluetooth
internal import Testing

/// Services that a program publishes, also together.
@Suite("Publishing in CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct PublishingTests {
  private func characteristic(_ number: String, value: Data? = nil) -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: number), properties: value == nil ? [.read, .notify] : .read, value: value,
      permissions: .readable)
  }

  private func service(
    _ number: String, _ characteristics: [CBMutableCharacteristic], including: [CBService]? = nil
  ) -> CBMutableService {
    let service = CBMutableService(type: CBUUID(string: number), primary: true)
    service.characteristics = characteristics
    service.includedServices = including
    return service
  }

  /// Whether the adapter of the program sends an advertisement.
  private func isOnAir(_ fixture: ServingFixture) async throws -> Bool {
    let adapter = try #require(await fixture.bus.simulator.state.adapters.first)
    return await fixture.bus.simulator.newestAdvertisement(of: adapter.address) != nil
  }

  /// Publishes a service, and returns the error, if any.
  private func add(_ service: CBMutableService, _ fixture: ServingFixture) async -> CBError.Code? {
    fixture.manager.add(service)
    let error = await fixture.delegate.first { event -> (any Error)?? in
      if case .added(let other, let error) = event, other === service { .some(error) } else { nil }
    }
    return (error.flatMap { $0 } as? CBError)?.code
  }

  /// Connects the central, and discovers all services.
  private func connected(_ fixture: ServingFixture) async throws -> CBPeripheral {
    fixture.manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Served"])
    let peripheral = try await fixture.central.connected("Served")
    try await discover(peripheral, fixture)
    return peripheral
  }

  private func discover(_ peripheral: CBPeripheral, _ fixture: ServingFixture) async throws {
    peripheral.discoverServices(nil)
    _ = await fixture.central.delegate.first { if case .services(_, nil) = $0 { true } else { nil } }
    for service in peripheral.services ?? [] {
      peripheral.discoverIncludedServices(nil, for: service)
      _ = await fixture.central.delegate.first {
        if case .includedServices(_, nil) = $0 { true } else { nil }
      }
      peripheral.discoverCharacteristics(nil, for: service)
      _ = await fixture.central.delegate.first { if case .characteristics(_, nil) = $0 { true } else { nil } }
    }
  }

  /// The services of the program, without one of bluetoothd's own.
  private func uuids(_ services: [CBService]?) -> [String] {
    (services ?? []).map(\.uuid.uuidString).filter { $0 != "180A" }.sorted()
  }

  private func found(_ number: String, _ peripheral: CBPeripheral) throws -> CBService {
    try #require(peripheral.services?.first { $0.uuid == CBUUID(string: number) })
  }

  /// Subscribes to the only characteristic of a service, and receives a value of the program's.
  private func receive(
    _ value: Data, of service: CBService, from served: CBMutableCharacteristic, of peripheral: CBPeripheral,
    _ fixture: ServingFixture
  ) async throws {
    let characteristic = try #require(service.characteristics?.first)
    peripheral.setNotifyValue(true, for: characteristic)
    _ = await fixture.delegate.first { event -> Bool? in
      if case .subscribed(_, let other) = event, other === served { true } else { nil }
    }
    #expect(fixture.manager.updateValue(value, for: served, onSubscribedCentrals: nil))
    #expect(await fixture.central.value(of: characteristic).0 == value)
    // The link ends with the last reference to the peripheral.
    #expect(peripheral.state == .connected)
  }

  @Test("The manager retains what is published, and a service object that was not published is not removed")
  func retained() async throws {
    try await ServingFixture.run { fixture in
      for number in 0..<30 {
        // Each object would be at the address of the last one, if that were released.
        let error = await add(
          service(String(format: "BB%02X", number), [characteristic("BC01", value: Data([1]))]), fixture)
        #expect(error == nil)
        fixture.manager.remove(service("BB00", []))
      }
      #expect(await add(service("AA00", [characteristic("AA01")]), fixture) == nil)
      let peripheral = try await connected(fixture)
      #expect(uuids(peripheral.services).count == 31)
      let read = try #require(try found("AA00", peripheral).characteristics?.first)
      peripheral.readValue(for: read)
      let request = await fixture.delegate.first { if case .read(let request) = $0 { request } else { nil } }
      #expect(request?.characteristic.service?.uuid == CBUUID(string: "AA00"))
    }
  }

  @Test("A service cannot be published twice; before it is, a characteristic has no list of subscribers")
  func twice() async throws {
    try await ServingFixture.run { fixture in
      let served = characteristic("AA01")
      let service = service("AA00", [served])
      #expect(served.subscribedCentrals == nil)
      #expect(await add(service, fixture) == nil)
      #expect(served.subscribedCentrals == [])
      #expect(await add(service, fixture) == .invalidParameters)
    }
  }

  @Test("A service that is published before the one that includes it exists once, and its values arrive")
  func included() async throws {
    try await ServingFixture.run { fixture in
      let level = characteristic("AB01")
      let battery = service("AB00", [level])
      #expect(await add(battery, fixture) == nil)
      let main = service("AA00", [characteristic("AA01")], including: [battery])
      let other = service("AC00", [characteristic("AC01")], including: [battery])
      #expect(await add(main, fixture) == nil)
      #expect(await add(other, fixture) == nil)
      let peripheral = try await connected(fixture)
      #expect(uuids(peripheral.services) == ["AA00", "AB00", "AC00"])
      let one = try found("AB00", peripheral)
      for number in ["AA00", "AC00"] {
        let included = try found(number, peripheral).includedServices
        #expect(included?.count == 1 && included?.first === one)
      }
      try await receive(Data([9]), of: one, from: level, of: peripheral, fixture)
    }
  }

  @Test("A service that is only included is published with the one that includes it, and goes with it")
  func onlyIncluded() async throws {
    try await ServingFixture.run { fixture in
      let level = characteristic("AB01")
      let main = service("AA00", [characteristic("AA01")], including: [service("AB00", [level])])
      #expect(await add(main, fixture) == nil)
      let peripheral = try await connected(fixture)
      try await receive(Data([9]), of: try found("AB00", peripheral), from: level, of: peripheral, fixture)
      fixture.manager.remove(main)
      let left = await fixture.delegate.first { event -> CBCharacteristic? in
        if case .unsubscribed(_, let characteristic) = event { characteristic } else { nil }
      }
      #expect(left === level && level.subscribedCentrals == [])
      #expect(!fixture.manager.updateValue(Data([1]), for: level, onSubscribedCentrals: nil))
      while !uuids(peripheral.services).isEmpty {
        _ = await fixture.central.delegate.first { if case .modified = $0 { true } else { nil } }
      }
    }
  }

  @Test("An included service stays when the one that includes it is removed, and is not removed before it")
  func removed() async throws {
    try await ServingFixture.run { fixture in
      let level = characteristic("AB01")
      let battery = service("AB00", [level])
      let main = service("AA00", [characteristic("AA01")], including: [battery])
      #expect(await add(battery, fixture) == nil)
      #expect(await add(main, fixture) == nil)
      fixture.manager.remove(battery)
      #expect(await add(service("AC00", []), fixture) == nil)
      let peripheral = try await connected(fixture)
      #expect(uuids(peripheral.services) == ["AA00", "AB00", "AC00"])
      fixture.manager.remove(main)
      #expect(await add(service("AD00", []), fixture) == nil)
      while uuids(peripheral.services) != ["AB00", "AC00", "AD00"] {
        _ = await fixture.central.delegate.first { if case .modified = $0 { true } else { nil } }
        try await discover(peripheral, fixture)
      }
      try await receive(Data([9]), of: try found("AB00", peripheral), from: level, of: peripheral, fixture)
      fixture.manager.remove(battery)
      let left = await fixture.delegate.first { event -> CBCharacteristic? in
        if case .unsubscribed(_, let characteristic) = event { characteristic } else { nil }
      }
      #expect(left === level)
    }
  }

  @Test("Services that include each other are refused")
  func cycle() async throws {
    try await ServingFixture.run { fixture in
      let (one, other) = (service("AA00", []), service("AB00", []))
      one.includedServices = [other]
      other.includedServices = [one]
      #expect(await add(one, fixture) == .invalidParameters)
      one.includedServices = nil
      #expect(await add(one, fixture) == nil)
    }
  }

  @Test("While Bluetooth is off, services can be removed, and advertising can be stopped")
  func whileOff() async throws {
    try await ServingFixture.run { fixture in
      let service = try await fixture.serve([characteristic("0001")])
      await fixture.bus.simulator.setPowered(false)
      _ = await fixture.delegate.first { if case .state(.poweredOff) = $0 { true } else { nil } }
      fixture.manager.stopAdvertising()
      fixture.manager.removeAllServices()
      await fixture.bus.simulator.setPowered(true)
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      #expect(!fixture.manager.isAdvertising)
      #expect(await add(service, fixture) == nil)
      let isOnAirAgain = try await isOnAir(fixture)
      #expect(!isOnAirAgain)
    }
  }

  @Test("A start that fails after another one was asked for leaves that one alone, which can be stopped")
  func advertising() async throws {
    try await ServingFixture.run { fixture in
      let manager = fixture.manager
      func outcome() async -> CBError.Code? {
        let error = await fixture.delegate.first { event -> (any Error)?? in
          if case .advertising(let error) = event { .some(error) } else { nil }
        }
        return (error.flatMap { $0 } as? CBError)?.code
      }
      manager.startAdvertising([CBAdvertisementDataManufacturerDataKey: Data(repeating: 1, count: 200)])
      manager.stopAdvertising()
      manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Good"])
      #expect(await outcome() == .outOfSpace)
      #expect(await outcome() == nil)
      #expect(manager.isAdvertising)
      manager.startAdvertising([CBAdvertisementDataLocalNameKey: "Second"])
      #expect(await outcome() == .alreadyAdvertising)
      let isHeard = try await isOnAir(fixture)
      #expect(isHeard)
      manager.stopAdvertising()
      #expect(!manager.isAdvertising)
      #expect(await add(service("AA00", []), fixture) == nil)
      let isStillHeard = try await isOnAir(fixture)
      #expect(!isStillHeard)
    }
  }
}
