// SPDX-License-Identifier: MIT
import AsyncIO
import DBus
import TestSupport
import Testing

@testable import BLECentral

@Suite("What bluetoothd says together with an answer", .timeLimit(.minutes(1)))
struct ForgettingTests {
  private static let path = FakeBlueZ.devicePath(1)
  private static let objects: [(String, FakeBlueZ.Interfaces)] = [
    FakeBlueZ.adapter, (path, [("org.bluez.Device1", FakeBlueZ.device(1))]),
  ]

  private func withCentral<Result>(
    _ fake: FakeBlueZ, _ body: (CentralManager, Peripheral) async throws -> Result
  ) async throws -> Result {
    let central = try await CentralManager(bus: .address(fake.address))
    let result = try await body(central, try #require(try await central.knownPeripherals().first).peripheral)
    await central.close()
    return result
  }

  @Test("A device that is heard again as soon as BlueZ has forgotten it was forgotten")
  func heardAgain() async throws {
    let fake = try FakeBlueZ(
      Self.objects,
      behind: { call in
        guard call.member == "RemoveDevice" else { return [] }
        return [FakeBlueZ.removed(Self.path), FakeBlueZ.added(Self.path, FakeBlueZ.device(1))]
      })
    try await withCentral(fake) { _, peripheral in try await peripheral.unpair(timeout: .seconds(5)) }
  }

  @Test("A bond whose removal BlueZ refuses is kept")
  func refused() async throws {
    let fake = try FakeBlueZ(
      Self.objects,
      answer: { call in
        guard call.member == "RemoveDevice" else { return nil }
        return Message(errorTo: call, name: "org.bluez.Error.Failed", text: "refused")
      })
    try await withCentral(fake) { central, peripheral in
      await central.perform { $0.sessions.device(peripheral.path).bond.observed(isBonded: true) }
      await #expect(throws: BLEError.self) { try await peripheral.unpair() }
      #expect(await central.perform { $0.sessions.device(peripheral.path).bond.wasBonded })
    }
  }

  @Test("An agent is not registered with a bluetoothd whose end comes together with its answer")
  func endBehindRegistration() async throws {
    let fake = try FakeBlueZ(
      Self.objects,
      behind: { call in
        call.member == "RegisterAgent" ? [FakeBlueZ.ownerChanged(from: FakeBlueZ.name, to: "")] : []
      })
    try await withCentral(fake) { central, _ in
      let error = await #expect(throws: BLEError.self) {
        try await central.answerPairings(using: RefusingAgent(), isDefault: false)
      }
      #expect(error?.code == .serviceUnavailable)
      #expect(await central.perform { $0.agent.registration == nil })
    }
  }
}
