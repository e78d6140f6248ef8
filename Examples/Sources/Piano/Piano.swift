// SPDX-License-Identifier: MIT
import BLECentral
import Glibc

/// Lights the lamps of a piano one after another, and prints each key as it comes.
@main
struct Piano {
  static let keys = BluetoothUUID(short: 0xffe2)
  static let lamps = BluetoothUUID(short: 0xffe3)
  static let lampCount = 115

  static func main() async {
    do {
      let central = try await CentralManager()
      var lit = 0
      while lit < lampCount {
        do {
          let piano = try await central.firstPeripheral(matching: ScanFilter(name: { $0 == "Piano" }))
          try await central.withConnection(to: piano.peripheral) { try await play($0, &lit) }
        } catch let error as BLEError where [.disconnected, .connectionFailed].contains(error.code) {
          print("\(error); connecting again")
        }
      }
      await central.close()
    } catch {
      print("Piano: \(error)")
      exit(1)
    }
  }

  /// Lights the lamps that are not lit yet; a key answers each of them.
  static func play(_ piano: Peripheral, _ lit: inout Int) async throws {
    let keys = try await piano.notifications(for: piano.characteristic(Piano.keys))
    let answers = keys.prefix(lampCount - lit)
    async let printing: Void = {
      for try await key in answers { print(key.time.local, key) }
    }()
    let lamp = try await piano.characteristic(lamps)
    while lit < lampCount {
      try await piano.writeValue([0xf0, 0x3d, 0x3d, UInt8(lit), 0x02, 0xf7], for: lamp)
      lit += 1
    }
    try await printing
  }
}
