// SPDX-License-Identifier: MIT
import BLECentral
import Glibc

/// Finds the clock of the other example by its name, reads the date, and prints each date that it sends: three.
@main
struct ClockReader {
  static let date = BluetoothUUID("c10c0002-5c0e-4b1e-a5d2-6b2f0c7e91aa")

  static func main() async {
    guard let date else { return }
    do {
      // An argument names the adapter, such as hci1.
      let central = try await CentralManager(adapter: CommandLine.arguments.dropFirst().first)
      let found = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Desk Clock" }))
      print("found \(found.name ?? "?") at \(found.address)")
      try await central.withConnection(to: found.peripheral) { clock in
        let characteristic = try await clock.characteristic(date)
        print("it is", text(try await clock.readValue(for: characteristic)))
        for try await notification in try await clock.notifications(for: characteristic).prefix(3) {
          print("now it is", text(notification.value))
        }
      }
      await central.close()
    } catch {
      print("ClockReader: \(error)")
      exit(1)
    }
  }

  static func text(_ value: [UInt8]) -> String { String(decoding: value, as: UTF8.self) }
}
