// SPDX-License-Identifier: MIT
import BLETesting
import CoreBluetooth
import Testing

/// A program that says which names it has heard.
private final class Listener: NSObject, CBCentralManagerDelegate {
  let heard: AsyncStream<String>.Continuation

  init(_ heard: AsyncStream<String>.Continuation) { self.heard = heard }

  func centralManagerDidUpdateState(_ central: CBCentralManager) {
    if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
  }

  func centralManager(
    _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
    rssi RSSI: NSNumber
  ) {
    if let name = peripheral.name { heard.yield(name) }
  }
}

@Suite("The system bus of a test") struct SystemBusTests {
  @Test("A program of CoreBluetooth uses the simulation without an option", arguments: ["Lamp", "Clock"])
  func coreBluetooth(_ name: String) async throws {
    try await withSimulatedBlueZ(SimulatedWorld(peripherals: [SimulatedPeripheral(name)])) { _ in
      let (names, heard) = AsyncStream.makeStream(of: String.self)
      let listener = Listener(heard)
      let manager = CBCentralManager(delegate: listener, queue: DispatchQueue(label: "listener"))
      #expect(await names.first { _ in true } == name)
      manager.stopScan()
    }
  }
}
