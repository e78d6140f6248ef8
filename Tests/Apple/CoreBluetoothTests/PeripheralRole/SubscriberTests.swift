// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEPeripheral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

/// Subscribers, which BlueZ does not name.
@Suite("Subscribers in CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct SubscriberTests {
  private static let uuid = BluetoothUUID(short: 1)
  private static let phones = ["F2:CE:17:00:00:01", "F2:CE:17:00:00:02"]
  private static let versions: [BlueZRelease] = [.v5_66, .v5_87]

  private func notified() -> CBMutableCharacteristic {
    CBMutableCharacteristic(
      type: CBUUID(string: "0001"), properties: [.read, .notify], value: nil, permissions: .readable)
  }

  /// Serves a characteristic to both phones, of which the second one has sent the last request.
  private func connectPhones(_ fixture: ServingFixture) async throws -> CBMutableCharacteristic {
    let characteristic = notified()
    _ = try await fixture.serve([characteristic])
    fixture.delegate.onEvent.withLock {
      $0 = { manager, event in
        guard case .read(let request) = event else { return }
        request.value = Data()
        manager.respond(to: request, withResult: .success)
      }
    }
    for phone in Self.phones {
      try await connect(phone, fixture)
      let answer = await fixture.bus.simulator.perform(.read(Self.uuid, offset: nil), byCentral: phone)
      #expect(answer == .done([]))
    }
    return characteristic
  }

  private func connect(_ phone: String, _ fixture: ServingFixture) async throws {
    let adapter = try #require(await fixture.bus.simulator.state.adapters.first).address
    #expect(await fixture.bus.simulator.connectCentral(phone, to: adapter))
  }

  private func configure(_ phone: String, _ isOn: Bool, _ fixture: ServingFixture) async {
    let answer = await fixture.bus.simulator.perform(.configure(Self.uuid, isOn ? 1 : 0), byCentral: phone)
    #expect(answer == .done([]))
  }

  private func identifier(_ address: String) throws -> UUID {
    PeerIdentifier.identifier(of: try #require(BluetoothAddress(address)))
  }

  /// The central of a phone, of which bluetoothd may hear only after the first requests.
  private func central(_ phone: String, _ fixture: ServingFixture) async throws -> Central {
    let serving = try #require(fixture.manager.session.serving)
    let events = await serving.events()
    let isPhone = { (central: Central) in "\(central.address)" == phone }
    if let central = await serving.connectedCentrals.first(where: isPhone) { return central }
    for try await event in events {
      if case .connected(let central) = event.kind, isPhone(central) { return central }
    }
    throw CancellationError()
  }

  /// The next subscriber that is named.
  private func subscriber(_ fixture: ServingFixture, isOn: Bool = true) async -> UUID? {
    await fixture.delegate.first { event in
      switch event {
      case .subscribed(let central, _) where isOn: central.identifier
      case .unsubscribed(let central, _) where !isOn: central.identifier
      default: nil
      }
    }
  }

  @Test(
    "A subscriber gets all values although another central, which was taken for it, leaves",
    arguments: versions)
  func mistaken(version: BlueZRelease) async throws {
    let world = World(bluez: version, adapters: World.twoAdapters.adapters, peripherals: [])
    try await ServingFixture.run(world: world) { fixture in
      let characteristic = try await connectPhones(fixture)
      func send(_ byte: UInt8) {
        #expect(fixture.manager.updateValue(Data([byte]), for: characteristic, onSubscribedCentrals: nil))
      }
      await configure(Self.phones[0], true, fixture)
      #expect(await subscriber(fixture) == (try identifier(Self.phones[1])))
      send(1)
      await fixture.bus.simulator.disconnectCentral(Self.phones[1])
      #expect(await subscriber(fixture, isOn: false) == (try identifier(Self.phones[1])))
      send(2)
      #expect(await subscriber(fixture) == (try identifier(Self.phones[0])))
      send(3)
      let values = await fixture.bus.simulator.received(byCentral: Self.phones[0], Self.uuid, atLeast: 3)
      #expect(values == [[1], [2], [3]])
      await configure(Self.phones[0], false, fixture)
      #expect(await subscriber(fixture, isOn: false) == (try identifier(Self.phones[0])))
      #expect(characteristic.subscribedCentrals == [])
    }
  }

  @Test("A link that is reported late, after the requests of both centrals, does not change who subscribed")
  func lateReport() async throws {
    let world = World(adapters: World.twoAdapters.adapters, peripherals: [])
    try await ServingFixture.run(world: world) { fixture in
      _ = try await connectPhones(fixture)
      let first = try await central(Self.phones[0], fixture)
      fixture.manager.session.take(.connected(first))
      await configure(Self.phones[0], true, fixture)
      #expect(await subscriber(fixture) == (try identifier(Self.phones[1])))
    }
  }

  @Test("A subscriber that leaves has no successor", arguments: versions)
  func left(version: BlueZRelease) async throws {
    VirtualTime.begin()
    let world = World(bluez: version, adapters: World.twoAdapters.adapters, peripherals: [])
    try await ServingFixture.run(world: world) { fixture in
      let characteristic = try await connectPhones(fixture)
      await configure(Self.phones[1], true, fixture)
      #expect(await subscriber(fixture) == (try identifier(Self.phones[1])))
      await fixture.bus.simulator.disconnectCentral(Self.phones[1])
      #expect(await subscriber(fixture, isOn: false) == (try identifier(Self.phones[1])))
      try await EventLoop.shared.sleep(for: .seconds(2))
      #expect(characteristic.subscribedCentrals == [])
    }
  }

  @Test("A device to which this program connected is not taken for a subscriber while there is a central")
  func peripheral() async throws {
    let world = World(adapters: World.twoAdapters.adapters, peripherals: World.builtIn.peripherals)
    try await ServingFixture.run(world: world) { fixture in
      let characteristic = notified()
      _ = try await fixture.serve([characteristic])
      try await connect(Self.phones[0], fixture)
      let own = CentralFixture(on: fixture.bus, adapter: "hci0")
      _ = await own.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      let piano = try await own.connected("Piano")
      await configure(Self.phones[0], true, fixture)
      #expect(await subscriber(fixture) == (try identifier(Self.phones[0])))
      own.manager.cancelPeripheralConnection(piano)
      _ = await own.delegate.first { if case .disconnected = $0 { true } else { nil } }
      #expect(characteristic.subscribedCentrals?.map(\.identifier) == [try identifier(Self.phones[0])])
    }
  }
}
