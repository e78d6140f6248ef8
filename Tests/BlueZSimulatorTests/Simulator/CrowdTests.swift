// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@testable import BlueZSimulator

@Suite struct CrowdTests {
  @Test func `Ten thousand devices are heard in a scan, listed, and let go`() async throws {
    let count = 10_000
    var world = World.crowd(devices: count)
    for index in world.peripherals.indices { world.peripherals[index].advertisement.isConnectable = true }
    try await withSimulator(world: world) { bus in
      // A plain connection: one that writes every signal down would take longer than the simulation.
      let connection = try await Connection.open(BusAddress(bus.address))
      let left = Lock(count)
      let isComplete = Promise<Void>()
      _ = await connection.subscribe(
        MatchRule(sender: "org.bluez", interface: StandardInterface.objectManager, member: "InterfacesAdded")
      ) { _ in
        let isLast = left.withLock { left in
          left -= 1
          return left == 0
        }
        if isLast { isComplete.fulfil(()) }
      }
      func call(_ member: String, _ interface: String, _ path: String) async throws -> Message {
        try await connection.call(
          Message(call: member, of: interface, at: path, to: "org.bluez"), timeout: .seconds(60))
      }
      _ = try await call("StartDiscovery", "org.bluez.Adapter1", BusClient.adapterPath)
      await isComplete.value
      let objects = try await call("GetManagedObjects", StandardInterface.objectManager, "/")
      guard case .dictionary(_, _, let entries) = objects.values.first else {
        Issue.record("no objects")
        return
      }
      #expect(entries.count == count + 2)  // the adapter and /org/bluez
      _ = try await call("StopDiscovery", "org.bluez.Adapter1", BusClient.adapterPath)
      await bus.simulator.setPowered(false)
      let rest = try await call("GetManagedObjects", StandardInterface.objectManager, "/")
      guard case .dictionary(_, _, let entries) = rest.values.first else { return }
      #expect(entries.count == 2)
    }
  }
}
