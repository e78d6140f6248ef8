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
    to characteristic: CBCharacteristic, of peripheral: CBPeripheral, _ scene: ServingScene
  )
    async -> CBCentral?
  {
    peripheral.setNotifyValue(true, for: characteristic)
    return await scene.watcher.first { event -> CBCentral? in
      if case .subscribed(let central, let other) = event, other === notified { central } else { nil }
    }
  }

  @Test(
    "A service that is taken back loses its subscribers, and the same one subscribes to it again",
    arguments: [false, true])
  func again(takesAllBack: Bool) async throws {
    try await ServingScene.run { scene in
      let service = try await scene.serve([notified])
      let (peripheral, found) = try await scene.connect()
      let central = await subscribe(to: found[0], of: peripheral, scene)
      let subscribers = central.map { [$0] }
      #expect(notified.subscribedCentrals == subscribers)
      if takesAllBack { scene.manager.removeAllServices() } else { scene.manager.remove(service) }
      let left = await scene.watcher.first { if case .unsubscribed(let it, _) = $0 { it } else { nil } }
      #expect(left == central)
      #expect(notified.subscribedCentrals == [])
      _ = await scene.central.watcher.first { if case .modified = $0 { true } else { nil } }
      scene.manager.add(service)
      let added = await scene.watcher.first {
        if case .added(_, let error) = $0 { "\(error as Any)" } else { nil }
      }
      #expect(added == "nil")
      _ = await scene.central.watcher.first { if case .modified = $0 { true } else { nil } }
      let new = try await scene.central.characteristics("71DA", of: peripheral)
      #expect(await subscribe(to: new[0], of: peripheral, scene) == central)
      #expect(notified.subscribedCentrals == subscribers)
      #expect(scene.manager.updateValue(Data([7]), for: notified, onSubscribedCentrals: nil))
      #expect(await scene.central.value(of: new[0]).0 == Data([7]))
    }
  }

  @Test("While Bluetooth is off, services stay, and advertising pauses")
  func paused() async throws {
    try await ServingScene.run { scene in
      _ = try await scene.serve([notified])
      let (peripheral, found) = try await scene.connect()
      let central = await subscribe(to: found[0], of: peripheral, scene)
      await scene.bus.simulator.setPowered(false)
      // BlueZ reports the end of the link before or after.
      var (isOff, isUnsubscribed) = (false, false)
      _ = await scene.watcher.first { event in
        if case .state(.poweredOff) = event { isOff = true }
        if case .unsubscribed = event { isUnsubscribed = true }
        return isOff && isUnsubscribed ? true : nil
      }
      #expect(!scene.manager.isAdvertising)
      _ = await scene.central.watcher.first { if case .disconnected = $0 { true } else { nil } }
      await scene.bus.simulator.setPowered(true)
      _ = await scene.watcher.first { if case .state(.poweredOn) = $0 { true } else { nil } }
      #expect(scene.manager.isAdvertising)
      let (again, new) = try await scene.connect()
      #expect(again === peripheral)
      #expect(await subscribe(to: new[0], of: again, scene) == central)
    }
  }
}
