// SPDX-License-Identifier: MIT
internal import BLECentral
internal import BLEPeripheral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// One adapter beside another one.
  @Suite("Two adapters")
  struct TwoAdapters {
    @Test("A scan whose adapter is switched off ends with the reason, although another adapter is on")
    func scan() async throws {
      let stage = try await Stages.twoAdapters.value
      let neighbour = try await PeripheralManager(bus: .address(stage.address), adapter: "hci1")
      try await neighbour.startAdvertising(Advertisement(name: "Neighbour"))
      let running = try Blectl(bus: stage.address).start(
        ["scan", "-i", "hci0", "--duration", "0", "--duplicates"], limit: .seconds(120))
      #expect(await running.waitForLines(1))
      try await stage.switchOff()
      let result = await running.result()
      try await stage.switchOn()
      await neighbour.close()
      #expect(result.status == 3)
      #expect(result.errorText.contains("cannot scan: the adapter hci0 is off"), "\(result.errorText)")
    }
  }
}
