// SPDX-License-Identifier: MIT
import BLEPeripheral
import Glibc

/// Offers the current date as text: each read returns it, and who has subscribed gets it every second.
@main
struct Clock {
  static let service = BluetoothUUID("c10c0001-5c0e-4b1e-a5d2-6b2f0c7e91aa")
  static let date = BluetoothUUID("c10c0002-5c0e-4b1e-a5d2-6b2f0c7e91aa")

  static func main() async {
    guard let service, let date else { return }
    do {
      // An argument names the adapter, such as hci0.
      let manager = try await PeripheralManager(adapter: CommandLine.arguments.dropFirst().first)
      let events = await manager.events()
      let clock = try await manager.add(
        LocalService(
          service, [LocalCharacteristic(date, [.read, .notify], reading: .immediate { _ in now() })]))
      try await manager.startAdvertising(Advertisement(name: "Desk Clock", services: [service]))
      async let ticking: Void = tick(clock.characteristics[0])
      for try await event in events { report(event) }
      try await ticking
    } catch {
      print("Clock: \(error)")
      exit(1)
    }
  }

  /// The date and the time, such as `2026-04-12 12:34:41`.
  static func now() -> [UInt8] { Array(Timestamp.now.local.prefix(19).utf8) }

  /// Sends the date every second; waits while BlueZ has no room for more.
  static func tick(_ characteristic: PublishedCharacteristic) async throws {
    while true {
      try await characteristic.send(now())
      try await Task.sleep(for: .seconds(1))
    }
  }

  static func report(_ event: PeripheralEvent) {
    switch event.kind {
    case .connected(let central): print("\(central.address) has connected")
    case .disconnected(let central): print("\(central.address) has gone")
    case .subscribed: print("a central has subscribed")
    case .unsubscribed: print("nobody is subscribed any more")
    case .read(let access): print("\(access.central.address) has read \(access.uuid)")
    default: break
    }
    fflush(nil)
  }
}
