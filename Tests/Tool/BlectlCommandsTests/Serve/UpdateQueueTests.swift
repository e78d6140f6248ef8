// SPDX-License-Identifier: MIT
import AsyncIO
import BLEFormats
import BLEWorld
import BlueZSimulator
import TestSupport
import Testing

@testable import BLEPeripheral
@testable import BlectlCommands

@Suite("Values that wait for room", .timeLimit(.minutes(1)))
struct UpdateQueueTests {
  private static let central = "F2:CE:17:00:00:01"

  private func on<Result>(
    _ manager: isolated PeripheralManager, _ body: () -> Result
  ) -> Result { body() }

  @Test("A characteristic whose central does not confirm a value holds no other one up")
  func congestion() async throws {
    try await withSimulator(world: .twoAdapters) { simulated in
      let simulator = simulated.simulator
      let manager = try await PeripheralManager(bus: .address(simulated.address), adapter: "hci0")
      let uuids = [BluetoothUUID(short: 0xfff1), BluetoothUUID(short: 0xfff2)]
      let service = try await manager.add(
        LocalService(
          BluetoothUUID(short: 0xfff0),
          [LocalCharacteristic(uuids[0], .indicate), LocalCharacteristic(uuids[1], .notify)]))
      let (indicated, notified) = (service.characteristics[0], service.characteristics[1])
      try await manager.startAdvertising(Advertisement())
      var events = await manager.events().makeAsyncIterator()
      let adapter = try #require(await manager.adapterAddress)
      #expect(await simulator.connectCentral(Self.central, to: "\(adapter)"))
      for (uuid, bits) in zip(uuids, [2, 1] as [UInt8]) {
        #expect(await simulator.perform(.configure(uuid, bits), byCentral: Self.central) == .done())
        while let event = try await events.next() {
          if case .subscribed = event.kind { break }
        }
      }

      let queue = UpdateQueue(manager)
      await simulator.freeze()
      await on(manager) {
        queue.send([1], of: indicated)
        #expect(!queue.isCongested(indicated))
        queue.send([2], of: indicated)
        queue.send([3], of: notified)
        #expect(queue.isCongested(indicated) && !queue.isCongested(notified))
      }
      await queue.waitUntilSent(notified)
      await simulator.thaw()
      while await on(manager, { queue.isCongested(indicated) }), let event = try await events.next() {
        guard case .isReady(let characteristic) = event.kind else { continue }
        await on(manager) { queue.drain(characteristic) }
      }
      await queue.waitUntilSent(indicated)
      let values = await simulator.received(byCentral: Self.central, uuids[0], atLeast: 2)
      #expect(values == [[1], [2]])
      await manager.close()
    }
  }
}
