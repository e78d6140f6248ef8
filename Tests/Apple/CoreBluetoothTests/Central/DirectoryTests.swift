// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@testable internal import CoreBluetooth

@Suite("Directory of devices in CoreBluetooth", .timeLimit(.minutes(1)))
struct DirectoryTests {
  @Test("The latest of the devices that BlueZ forgot are kept, and those that it knows again")
  func forgotten() async throws {
    try await withSimulator { bus in
      let central = try await CentralManager(bus: .address(bus.address))
      var infos: [PeripheralInfo] = []
      for try await event in central.scan() {
        infos.append(event.info)
        if infos.count == 5 { break }
      }
      let directory = DeviceDirectory(limit: 2)
      let identifiers = infos.map { directory.note($0).identifier }
      let kept = { identifiers.map { directory[$0] != nil } }
      #expect(kept() == [true, true, true, true, true])
      for info in infos[..<3] { directory.note(info, isKnown: false) }
      directory.note(infos[2], isKnown: false)
      #expect(kept() == [false, true, true, true, true])
      directory.note(infos[1])
      directory.note(infos[3], isKnown: false)
      directory.note(infos[4], isKnown: false)
      #expect(kept() == [false, true, false, true, true])
      #expect(directory.note(infos[0]).identifier == identifiers[0])
      await central.close()
    }
  }
}
