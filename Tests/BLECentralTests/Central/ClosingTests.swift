// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLECentral

@Suite("A closed manager", .timeLimit(.minutes(1)))
struct ClosingTests {
  /// Reads to the end.
  private func rest(of states: AsyncStream<BluetoothState>) async -> [BluetoothState] {
    var all: [BluetoothState] = []
    for await state in states { all.append(state) }
    return all
  }

  private func expectEnd(of events: CentralEvents) async {
    let error = await #expect(throws: BLEError.self) { for try await _ in events {} }
    #expect(error?.message == BLEError.managerClosed.message)
  }

  @Test("what follows it ends when it is closed, and at once from then on")
  func followers() async throws {
    let bluez = try FakeBlueZ()
    let central = try await CentralManager(bus: .address(bluez.address))
    let (events, states) = (await central.events(), await central.stateUpdates())
    await central.close()
    #expect(await rest(of: states).first == .poweredOn)
    await expectEnd(of: events)
    #expect(await rest(of: central.stateUpdates()).count == 1)
    await expectEnd(of: central.events())
  }
}
