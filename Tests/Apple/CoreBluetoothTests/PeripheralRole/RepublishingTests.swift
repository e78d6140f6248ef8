// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import CoreBluetooth
internal import Testing

/// Services that a program offers again, or that outlast Bluetooth being off.
@Suite("Offering again in CoreBluetooth", .serialized, .timeLimit(.minutes(2)))
struct RepublishingTests {
  private let notified = CBMutableCharacteristic(
    type: CBUUID(string: "0001"), properties: [.read, .notify], value: nil, permissions: .readable)

  /// Subscribes, and waits until the delegate is called.
  private func subscribe(
    to characteristic: CBCharacteristic, of peripheral: CBPeripheral, _ fixture: ServingFixture
  )
    async -> CBCentral?
  {
    peripheral.setNotifyValue(true, for: characteristic)
    return await fixture.delegate.first { event -> CBCentral? in
      if case .subscribed(let central, let other) = event, other === notified { central } else { nil }
    }
  }

  @Test(
    "A service that is taken back loses its subscribers, and the same one subscribes to it again",
    arguments: [false, true])
  func again(takesAllBack: Bool) async throws {
    try await ServingFixture.run { fixture in
      let service = try await fixture.serve([notified])
      let (peripheral, found) = try await fixture.connect()
      let central = await subscribe(to: found[0], of: peripheral, fixture)
      let subscribers = central.map { [$0] }
      #expect(notified.subscribedCentrals == subscribers)
      if takesAllBack { fixture.manager.removeAllServices() } else { fixture.manager.remove(service) }
      let left = await fixture.delegate.first { if case .unsubscribed(let it, _) = $0 { it } else { nil } }
      #expect(left == central)
      #expect(notified.subscribedCentrals == [])
      _ = await fixture.central.delegate.first { if case .modified = $0 { true } else { nil } }
      fixture.manager.add(service)
      let added = await fixture.delegate.first {
        if case .added(_, let error) = $0 { "\(error as Any)" } else { nil }
      }
      #expect(added == "nil")
      _ = await fixture.central.delegate.first { if case .modified = $0 { true } else { nil } }
      let new = try await fixture.central.characteristics("71DA", of: peripheral)
      #expect(await subscribe(to: new[0], of: peripheral, fixture) == central)
      #expect(notified.subscribedCentrals == subscribers)
      #expect(fixture.manager.updateValue(Data([7]), for: notified, onSubscribedCentrals: nil))
      #expect(await fixture.central.value(of: new[0]).0 == Data([7]))
    }
  }

  @Test("While Bluetooth is off, services stay, and advertising pauses")
  func paused() async throws {
    try await ServingFixture.run { fixture in
      _ = try await fixture.serve([notified])
      let (peripheral, found) = try await fixture.connect()
      let central = await subscribe(to: found[0], of: peripheral, fixture)
      await fixture.bus.simulator.setPowered(false)
      // BlueZ reports the end of the link before or after.
      var (isOff, isUnsubscribed) = (false, false)
      _ = await fixture.delegate.first { event in
        if case .state(.poweredOff) = event { isOff = true }
        if case .unsubscribed = event { isUnsubscribed = true }
        return isOff && isUnsubscribed ? true : nil
      }
      #expect(!fixture.manager.isAdvertising)
      _ = await fixture.central.delegate.first { if case .disconnected = $0 { true } else { nil } }
      await fixture.bus.simulator.setPowered(true)
      _ = await fixture.delegate.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      #expect(fixture.manager.isAdvertising)
      let (again, new) = try await fixture.connect()
      #expect(again === peripheral)
      #expect(await subscribe(to: new[0], of: again, fixture) == central)
    }
  }
}
