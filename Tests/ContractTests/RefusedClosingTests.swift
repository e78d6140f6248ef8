// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import TestSupport
internal import Testing

/// Refusals that only a simulated BlueZ can be made to give.
@Suite("Links that BlueZ refuses to close", .enabled(if: !Stages.isReal), .timeLimit(.minutes(1)))
struct RefusedClosingTests {
  private func withLink(
    closes: Bool = true, _ body: (SimulatedBus, CentralManager, Peripheral) async throws -> Void
  ) async throws {
    VirtualTime.begin()
    try await withSimulator { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let address = try #require(BluetoothAddress(Address.strap))
      let heard = try await central.hear(
        ScanFilter(addresses: [address]), until: Deadline(after: .seconds(20)))
      let peripheral = try #require(heard?.peripheral)
      try await peripheral.connect()
      try await body(simulated, central, peripheral)
      if closes { await central.close() }
    }
  }

  private func refuse(_ simulated: SimulatedBus, _ error: BlueZError?, times: Int?) async throws {
    try await simulated.simulator.perform(.daemon(.failCalls(CallFault("Disconnect", error, times: times))))
  }

  @Test(
    "A released link is closed, however often BlueZ refuses, and its end is waited for", arguments: [1, 3, 8])
  func released(times: Int) async throws {
    try await withLink { simulated, _, peripheral in
      try await refuse(simulated, times == 3 ? .failed("not now") : nil, times: times)
      await peripheral.releaseAndWait(timeout: nil)
      #expect(await !simulated.simulator.isConnected(Address.strap))
      #expect(await !peripheral.isClosingRefused)
    }
  }

  @Test("A program that ends closes its link, although BlueZ refuses at first")
  func closed() async throws {
    try await withLink(closes: false) { simulated, central, peripheral in
      try await refuse(simulated, nil, times: 1)
      let other = try await CentralManager(bus: .address(simulated.address))
      let info = try #require(try await other.knownPeripheral(withAddress: peripheral.address))
      await central.close()
      try await info.peripheral.waitUntilDisconnected(timeout: .seconds(20))
      #expect(await !simulated.simulator.isConnected(Address.strap))
      await other.close()
    }
  }

  @Test("A link that BlueZ has refused to close is closed by whoever joins it meanwhile")
  func joined() async throws {
    try await withLink { simulated, _, peripheral in
      try await refuse(simulated, nil, times: nil)
      await peripheral.release()
      #expect(await peripheral.isClosingRefused)
      let other = try await CentralManager(bus: .address(simulated.address))
      let info = try #require(try await other.knownPeripheral(withAddress: peripheral.address))
      #expect(try await info.peripheral.connect() == .joined)
      // It has given the link up: the other program uses it.
      await peripheral.releaseAndWait(timeout: nil)
      try await refuse(simulated, nil, times: 0)
      await info.peripheral.releaseAndWait(timeout: nil)
      #expect(await !simulated.simulator.isConnected(Address.strap))
      await other.close()
    }
  }

  @Test("To disconnect is tried again for a moment, then fails with the words of BlueZ")
  func disconnected() async throws {
    try await withLink { simulated, _, peripheral in
      try await refuse(simulated, .failed("not now"), times: nil)
      let error = await #expect(throws: BLEError.self) { try await peripheral.disconnect() }
      #expect(error?.message == "not now")
      try await refuse(simulated, nil, times: 2)
      try await peripheral.disconnect()
      #expect(await !simulated.simulator.isConnected(Address.strap))
    }
  }
}
