// SPDX-License-Identifier: MIT
import BLECentral
import Glibc

/// Finds a wristband, lists what it offers, and follows the heart rate for five beats.
@main
struct Wristband {
  static func main() async {
    do {
      let central = try await CentralManager()
      try await follow(on: central)
      await central.close()
    } catch {
      print("Wristband: \(error)")
      exit(1)
    }
  }

  /// Does the whole job; from the start again when the link drops.
  static func follow(on central: CentralManager) async throws {
    while true {
      do {
        // The scan ends as soon as this has found the wristband.
        let found = try await central.firstPeripheral(
          matching: ScanFilter(name: { $0.contains("MI Band 2") }))
        print("found \(found.name ?? "?") at \(found.address)")
        return try await central.withConnection(to: found.peripheral) { band in
          try await list(band)
          try await listen(to: band)
        }
      } catch let error as BLEError where [.disconnected, .connectionFailed].contains(error.code) {
        print("\(error); connecting again")
      }
    }
  }

  static func list(_ band: Peripheral) async throws {
    for service in try await band.discoverServices() {
      print("service \(service.uuid)")
      for characteristic in service.characteristics {
        print("  \(characteristic.uuid)  \(characteristic.properties)")
      }
    }
    let revision = try await band.readValue(for: band.characteristic(.softwareRevision))
    print("software revision \(String(decoding: revision, as: UTF8.self))")
  }

  static func listen(to band: Peripheral) async throws {
    let measurement = try await band.characteristic(.heartRateMeasurement)
    for try await beat in try await band.notifications(for: measurement).prefix(5) {
      // Flags, then the rate: in one byte here, since the lowest flag is not set.
      guard beat.value.count > 1, beat.value[0] & 1 == 0 else { continue }
      print("\(beat.time.local)  \(beat.value[1]) beats per minute")
    }
  }
}
