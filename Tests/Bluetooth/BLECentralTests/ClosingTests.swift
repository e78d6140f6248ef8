// SPDX-License-Identifier: MIT
import AsyncIO
import BlueZSimulator
import DBus
import Dispatch
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

  @Test("Events and state updates end when their manager is closed, and later ones end at once")
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

  @Test(
    "Reconnecting ends when the manager is closed, even while it waits for bluetoothd, and later fails at once"
  )
  func reconnecting() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.killDaemon()
      let central = try await CentralManager(bus: .address(simulated.address))
      let strap = try #require(BluetoothAddress(Address.strap))
      var states = await central.stateUpdates().makeAsyncIterator()
      #expect(await states.next() == .serviceUnavailable)
      let waiting = Task(executorPreference: central.taskExecutor) { try await central.reconnect(to: strap) }
      await central.close()
      #expect(await failure { try await waiting.value }?.code == .cancelled)
      #expect(await failure { try await central.reconnect(to: strap) }?.code == .cancelled)
    }
  }

  @Test("If the bus was lost before the manager is closed, every failure still names the bus")
  func lostBus() async throws {
    try await withSimulator { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      let strap = try #require(BluetoothAddress(Address.strap))
      try await simulated.simulator.killBus()
      for await _ in await central.stateUpdates() {}
      #expect(await failure { try await central.reconnect(to: strap) }?.code == .busUnavailable)
      await central.close()
      #expect(await failure { try await central.reconnect(to: strap) }?.code == .busUnavailable)
      #expect(await failure { for try await _ in central.scan() {} }?.code == .busUnavailable)
      #expect(await failure { for try await _ in await central.events() {} }?.code == .busUnavailable)
    }
  }

  @Test("A call that is pending when the manager is closed says so, and not that the bus is lost")
  func pendingCall() async throws {
    let (called, end) = (Promise<Void>(), DispatchSemaphore(value: 0))
    let bluez = try FakeBlueZ(answer: { call in
      if call.member == "Set" {
        called.fulfil(())
        end.wait()
      }
      return nil
    })
    defer { end.signal() }
    let central = try await CentralManager(bus: .address(bluez.address))
    let adapter = try await central.currentAdapter()
    let pending = Task { try await central.setPowered(false, adapter: adapter, timeout: nil) }
    await called.value
    await central.close()
    let error = await failure { try await pending.value }
    #expect(error?.code == .cancelled)
    #expect(error?.message == BLEError.managerClosed.message)
  }

  private func failure<Value>(_ body: () async throws -> Value) async -> BLEError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? BLEError
    }
  }
}
