// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Faults of requests for a characteristic.
@Suite("Answer fault")
struct AnswerFaultTests {
  private static let control = BluetoothUUID(0x2A39)
  private static let location = BluetoothUUID(0x2A38)
  private static let rate = BluetoothUUID(0x2A37)

  private func withStrap(
    timing: SimulatorTiming = .brisk, _ uuid: BluetoothUUID, _ command: CharacteristicAction,
    test: (SimulatedBus, BusClient, String) async throws -> Void
  ) async throws {
    try await withSimulator(timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.strap)
      try await bus.simulator.perform(.characteristic(uuid, of: Address.strap, command))
      try await test(bus, client, try await client.characteristic(uuid.longForm, of: Address.strap))
    }
  }

  @Test(
    "Reads are refused with an ATT error a number of times",
    arguments: [
      (UInt8(0x0C), "NotPermitted Not paired"), (0x08, "NotAuthorized Operation Not Authorized"),
      (0x0E, "Failed Operation failed with ATT error: 0x0e"),
      (0x85, "Failed Operation failed with ATT error: 0x85"),
    ])
  func readsRefusedATT(_ code: UInt8, _ line: String) async throws {
    let fault = AnswerFault(.error(code), to: .read, times: 2)
    try await withStrap(Self.location, .answer(fault)) { _, client, path in
      for _ in 0..<2 { #expect(await failure { try await client.read(path) }?.line == line) }
      let value = try await client.read(path)
      #expect(value == [1])
    }
  }

  @Test("Writes are refused with an ATT error until the fault is undone")
  func writesRefusedATT() async throws {
    try await withStrap(Self.control, .answer(AnswerFault(.error(0x80)))) { bus, client, path in
      for _ in 0..<3 {
        #expect(
          await failure { try await client.write(path, [1]) }?.line
            == "Failed Operation failed with ATT error: 0x80")
      }
      try await bus.simulator.perform(.characteristic(Self.control, of: Address.strap, .heal))
      try await client.write(path, [1])
    }
  }

  @Test("Subscribing is refused with an ATT error")
  func subscribingRefusedATT() async throws {
    let fault = AnswerFault(.error(0x80), to: .subscribe, times: 1)
    try await withStrap(Self.rate, .answer(fault)) { bus, client, path in
      #expect(
        await failure { try await client.gatt("StartNotify", path) }?.line
          == "Failed Operation failed with ATT error: 0x80")
      try await client.gatt("StartNotify", path)
    }
  }

  @Test("An unanswered request ends the link after the ATT timeout")
  func unansweredRequestEnds() async throws {
    var timing = SimulatorTiming.brisk
    timing.attTimeout = .milliseconds(50)
    try await withStrap(timing: timing, Self.location, .answer(AnswerFault(.never))) { _, client, path in
      #expect(
        await failure { try await client.read(path) }?.line == "Failed Operation failed with ATT error: 0x0e")
      #expect(await client.log.first(setting: "Connected", to: .boolean(false)) != nil)
    }
  }

  @Test("A late answer is the right one")
  func lateAnswerRight() async throws {
    try await withStrap(Self.location, .answer(AnswerFault(.late(.milliseconds(5))))) { _, client, path in
      let value = try await client.read(path)
      #expect(value == [1])
    }
  }

  @Test("Nothing precedes a late answer")
  func nothingPrecedesLate() async throws {
    try await withStrap(Self.location, .answer(AnswerFault(.late(.seconds(3600))))) { bus, client, path in
      let start = client.log.end
      let late = await client.beginRead(path)
      try await client.barrier()
      #expect(!client.log.events(from: start).contains(.reply("ReadValue")))
      try await bus.simulator.perform(.peripheral(Address.strap, .dropLink))
      #expect(await late.failure?.line == "Failed Operation failed with ATT error: 0x0e")
    }
  }

  @Test("A value is set and notified")
  func valueSetNotified() async throws {
    try await withStrap(Self.rate, .heal) { bus, client, path in
      try await client.gatt("StartNotify", path)
      try await bus.simulator.perform(.characteristic(Self.rate, of: Address.strap, .setValue([0, 222])))
      #expect(await client.log.first(setting: "Value", to: .bytes([0, 222]), at: path) != nil)
    }
  }

  @Test("Another program that has acquired the notifications blocks others until it releases them")
  func anotherProgramHas()
    async throws
  {
    try await withStrap(Self.rate, .heal) { bus, client, path in
      let reference = CharacteristicReference(device: Address.strap, uuid: Self.rate)
      try await bus.simulator.perform(.otherClient(.hold(reference)))
      #expect(
        await failure { try await client.gatt("StartNotify", path) }?.line == "NotPermitted Notify acquired")
      #expect(await client.log.first(setting: "NotifyAcquired", to: .boolean(true), at: path) != nil)
      try await bus.simulator.perform(.otherClient(.release(reference)))
      #expect(await client.log.first(setting: "NotifyAcquired", to: .boolean(false), at: path) != nil)
      try await client.gatt("StartNotify", path)
      // Each notification is signalled once per subscribed program.
      try await bus.simulator.perform(.otherClient(.subscribe(reference)))
      let start = client.log.end
      try await bus.simulator.perform(.characteristic(Self.rate, of: Address.strap, .setValue([0, 7])))
      try await client.barrier()
      #expect(client.log.events(from: start).filter { $0.sets("Value", to: .bytes([0, 7])) }.count == 2)
      try await bus.simulator.perform(.otherClient(.leave))
    }
  }
}
