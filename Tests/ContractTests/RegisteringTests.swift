// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEPeripheral
internal import DBus
internal import Dispatch
internal import TestSupport
internal import Testing

/// Registrations at the moment at which bluetoothd or the program changes its mind, which a simulator does not hit.
@Suite("Registering", .timeLimit(.minutes(1)))
struct RegisteringTests {
  private let service = LocalService(
    ServingStage.short, [LocalCharacteristic(ServingStage.short, .read, value: [7])])

  /// What bluetoothd was called, by the names of the methods.
  private final class Calls: Sendable {
    private let names = Watched<[String]>([])

    func note(_ call: Message) { names.change { $0.append(call.member ?? "") } }

    /// Waits until a method was called that many times.
    func wait(for name: String, times: Int = 1) async {
      await names.wait { names in names.count { $0 == name } >= times }
    }

    func count(_ name: String) -> Int { names.withLock { names in names.count { $0 == name } } }
  }

  /// bluetoothd ends and begins again.
  private static let restart = [
    FakeBlueZ.ownerChanged(from: FakeBlueZ.name, to: ""),
    FakeBlueZ.ownerChanged(from: "", to: FakeBlueZ.name),
  ]

  @Test(
    "What bluetoothd registers just before it ends, or is replaced, is registered again with the next one",
    arguments: [restart, [FakeBlueZ.ownerChanged(from: FakeBlueZ.name, to: ":1.2")]])
  func endBehindReply(_ changes: [Message]) async throws {
    let calls = Calls()
    let bluez = try FakeBlueZ(
      [FakeBlueZ.servingAdapter], heard: calls.note,
      behind: { call in
        call.member == "RegisterApplication" && calls.count("RegisterApplication") == 1 ? changes : []
      })
    let manager = try await PeripheralManager(bus: .address(bluez.address))
    var events = await manager.events().makeAsyncIterator()
    try await manager.add(service)
    try await ServingStage.wait(for: &events) { if case .restored = $0 { true } else { false } }
    #expect(calls.count("RegisterApplication") == 2)
    await manager.close()
  }

  @Test(
    "A service that is removed while bluetoothd registers it again is unregistered, however short the time for that"
  )
  func removal() async throws {
    let calls = Calls()
    let mayAnswer = DispatchSemaphore(value: 0)
    let bluez = try FakeBlueZ(
      [FakeBlueZ.servingAdapter], heard: calls.note,
      answer: { call in
        if call.member == "RegisterApplication", calls.count("RegisterApplication") == 2 { mayAnswer.wait() }
        return nil
      },
      behind: { call in
        call.member == "RegisterApplication" && calls.count("RegisterApplication") == 1 ? Self.restart : []
      })
    let manager = try await PeripheralManager(bus: .address(bluez.address))
    let published = try await manager.add(service)
    await calls.wait(for: "RegisterApplication", times: 2)
    let late = await #expect(throws: BLEError.self) { try await manager.remove(published, timeout: .zero) }
    #expect(late?.code == .timedOut)
    mayAnswer.signal()
    await calls.wait(for: "UnregisterApplication")
    await manager.close()
  }

  @Test("A released manager unregisters its services and ends its events, though its client stays")
  func release() async throws {
    let calls = Calls()
    let bluez = try FakeBlueZ([FakeBlueZ.servingAdapter], heard: calls.note)
    let client = try await BlueZClient(bus: .address(bluez.address))
    let events = try await publish(over: client)
    let end = await #expect(throws: BLEError.self) { for try await _ in events {} }
    #expect(end?.message == "the manager is closed")
    await calls.wait(for: "UnregisterApplication")
    await calls.wait(for: "UnregisterAdvertisement")
    // The bus is still there.
    let manager = await PeripheralManager(sharing: client)
    try await manager.add(service)
    await manager.close()
  }

  /// Publishes with a manager that is released afterwards.
  private func publish(over client: BlueZClient) async throws -> PeripheralEvents {
    let manager = await PeripheralManager(sharing: client)
    try await manager.add(service)
    try await manager.startAdvertising(Advertisement(services: [ServingStage.short]))
    return await manager.events()
  }
}
