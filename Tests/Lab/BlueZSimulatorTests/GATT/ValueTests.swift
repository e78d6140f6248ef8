// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite("Value")
struct ValueTests {
  /// Runs a test with the contract bench connected.
  private func withBench(
    timing: SimulatorTiming = .brisk,
    _ body: (BusClient, SimulatedBus, (String) async throws -> String) async throws -> Void
  ) async throws {
    try await withSimulator(world: .contract, timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.bench)
      try await body(client, bus) { try await client.characteristic(benchUUID($0), of: Address.bench) }
    }
  }

  @Test("A read signals the value directly before its reply")
  func readSignalsValue() async throws {
    try await withBench { client, _, path in
      for (number, value) in [("0104", Array("fixed".utf8)), ("0105", [])] {
        let target = try await path(number)
        let start = client.log.end
        #expect(try await client.read(target) == value)
        let events = client.log.events(from: start)
        #expect(events.count == 2)
        #expect(events[0].sets("Value", to: .bytes(value), at: target))
        #expect(events[1] == .reply("ReadValue"))
      }
    }
  }

  @Test("A long value is read whole")
  func longValueRead() async throws {
    try await withBench { client, _, path in
      let value = try await client.read(try await path("0101"))
      #expect(value == (0..<512).map { UInt8(truncatingIfNeeded: $0) })
    }
  }

  @Test(
    "Reads are refused in the words of the daemon",
    arguments: [
      ("0102", "Failed Operation failed with ATT error: 0x85"), ("0103", "NotPermitted Read not permitted"),
      ("0106", "NotPermitted Read not permitted"), ("0109", "NotPermitted Read not permitted"),
    ])
  func readsRefusedWords(_ number: String, _ line: String) async throws {
    try await withBench { client, _, path in
      let target = try await path(number)
      let start = client.log.end
      #expect(await failure { try await client.read(target) }?.line == line)
      #expect(client.log.events(from: start) == [.reply("ReadValue")])
    }
  }

  @Test(
    "Reads from an offset are refused for short values",
    arguments: [
      ("0101", 500, "Failed Operation failed with ATT error: 0x0b"),
      ("0101", 513, "InvalidArguments Invalid offset"),
      ("0104", 2, "Failed Operation failed with ATT error: 0x0b"),
    ])
  func readsOffsetRefused(
    _ number: String, _ offset: UInt16, _ line: String
  ) async throws {
    try await withBench { client, _, path in
      let target = try await path(number)
      #expect(
        await failure { try await client.read(target, options: [("offset", .uint16(offset))]) }?.line == line)
    }
  }

  @Test("Options of other types are refused and unknown ones ignored")
  func optionsOtherTypes() async throws {
    try await withBench { client, _, path in
      let target = try await path("0104")
      let refusal = "InvalidArguments Invalid arguments in method call"
      #expect(
        await failure { try await client.read(target, options: [("offset", .uint32(0))]) }?.line == refusal)
      for options: [(String, DBusValue)] in [[("type", .uint32(1))], [("other", .uint32(1))]] {
        #expect(try await client.read(target, options: options) == Array("fixed".utf8))
      }
      let writable = try await path("0103")
      #expect(
        await failure { try await client.write(writable, [1], options: [("type", .uint32(1))]) }?.line
          == refusal)
    }
  }

  @Test(
    "The type of a write decides",
    arguments: [
      ("0103", nil, nil), ("0103", "request", nil), ("0103", "REQUEST", nil), ("0103", "command", nil),
      ("0103", "reliable", nil), ("0103", "nonsense", "NotSupported Operation is not supported"),
      ("0104", nil, "NotSupported Operation is not supported"), ("0104", "command", nil),
      ("0104", "request", "NotPermitted Write not permitted"),
      ("0102", nil, "Failed Operation failed with ATT error: 0x85"),
    ] as [(String, String?, String?)])
  func typeWriteDecides(_ number: String, _ type: String?, _ line: String?) async throws {
    try await withBench { client, _, path in
      let target = try await path(number)
      let options = type.map { [("type", DBusValue.string($0))] } ?? []
      #expect(await failure { try await client.write(target, [1, 2], options: options) }?.line == line)
    }
  }

  @Test("A written value is kept")
  func whatWrittenKept() async throws {
    try await withBench { client, _, path in
      let target = try await path("0101")
      for value: [UInt8] in [[5, 5, 5], [], Array(repeating: 7, count: 512)] {
        try await client.write(target, value)
        #expect(try await client.read(target) == value)
      }
      #expect(
        await failure { try await client.write(target, Array(repeating: 0, count: 513)) }?.line
          == "InvalidArguments Invalid Length")
      #expect(
        await failure { try await client.write(target, [1], options: [("offset", .uint16(1))]) }?.line
          == "InvalidArguments Invalid offset")
    }
  }

  @Test("A command must fit into a packet")
  func commandMustFit() async throws {
    try await withBench { client, _, path in
      let target = try await path("0106")
      let command = [("type", DBusValue.string("command"))]
      try await client.write(target, Array(repeating: 1, count: 514), options: command)
      #expect(
        await failure { try await client.write(target, Array(repeating: 1, count: 515), options: command) }?
          .line
          == "Failed Failed to initiate write")
      #expect(
        await failure { try await client.write(target, [1], options: command + [("offset", .uint16(1))]) }?
          .line
          == "NotSupported Operation is not supported")
    }
  }

  @Test("Reads of one value share an answer and other offsets are refused")
  func readsOneValue() async throws {
    try await withBench { client, _, path in
      let slow = try await path("010E")
      let first = await client.beginRead(slow)
      let second = await client.beginRead(slow)
      let other = await client.beginRead(slow, options: [("offset", .uint16(1))])
      #expect(await other.failure?.line == "InProgress In Progress")
      for read in [first, second] {
        #expect(try await read.value.get().values == [.bytes(Array("slow".utf8))])
      }
      #expect(client.log.events().filter { $0.sets("Value", to: .bytes(Array("slow".utf8))) }.count == 1)
    }
  }

  @Test("One write at a time goes to a characteristic")
  func oneWriteTime() async throws {
    var timing = SimulatorTiming.brisk
    timing.attResponse = .milliseconds(100)
    try await withBench(timing: timing) { client, _, path in
      let target = try await path("0103")
      let first = await client.beginWrite(target, [1])
      let second = await client.beginWrite(target, [2])
      #expect(await second.failure?.line == "InProgress In Progress")
      #expect(await first.failure == nil)
    }
  }

  @Test("Descriptors are read and written but not the client configuration")
  func descriptorsReadWritten() async throws {
    try await withBench { client, _, path in
      let described = try await path("0110")
      let number = try #require(UInt16(described.suffix(4), radix: 16))
      let label = described + "/desc00" + String(number + 2, radix: 16)
      let own = described + "/desc00" + String(number + 3, radix: 16)
      #expect(try await client.read(label) == Array("A described value".utf8))
      #expect(
        await failure { try await client.write(label, [1]) }?.line == "NotPermitted Write not permitted")
      #expect(try await client.read(own) == [0xCA, 0xFE])
      try await client.write(own, [1, 2, 3])
      #expect(try await client.read(own) == [1, 2, 3])
      let echo = try await path("0107")
      let configuration =
        echo + "/desc00" + String(try #require(UInt16(echo.suffix(4), radix: 16)) + 2, radix: 16)
      #expect(try await client.read(configuration) == [0, 0])
      #expect(
        await failure { try await client.write(configuration, [1, 0]) }?.line
          == "NotPermitted Write not permitted")
      try await client.gatt("StartNotify", echo)
      #expect(try await client.read(configuration) == [1, 0])
    }
  }

  @Test("A stalled request ends the channel and then the link")
  func stalledRequestEnds() async throws {
    var timing = SimulatorTiming.brisk
    timing.attTimeout = .milliseconds(100)
    try await withBench(timing: timing) { client, _, path in
      let stalled = try await path("010D")
      let other = try await path("0104")
      let start = client.log.end
      let first = await client.beginRead(stalled)
      let behind = await client.beginRead(other)
      #expect(await first.failure?.line == "Failed Operation failed with ATT error: 0x0e")
      #expect(await behind.failure?.line == "Failed Operation failed with ATT error: 0x0e")
      #expect(await failure { try await client.read(other) }?.line == "Failed Not connected")
      #expect(await client.log.first(from: start) { $0.sets("Connected", to: .boolean(false)) } != nil)
    }
  }

  @Test("A lost link is signalled before the calls that it ends fail")
  func lostLinkTold() async throws {
    try await withBench { client, bus, path in
      let stalled = try await path("010D")
      let start = client.log.end
      let read = await client.beginRead(stalled)
      try await client.barrier()
      await bus.simulator.dropLink(Address.bench)
      #expect(await read.failure?.line == "Failed Operation failed with ATT error: 0x0e")
      let events = client.log.events(from: start)
      let lost = try #require(events.firstIndex { $0.sets("Connected", to: .boolean(false)) })
      #expect(try #require(events.firstIndex(of: .reply("ReadValue"))) > lost)
      #expect(await failure { try await client.read(stalled) }?.line == "Failed Not connected")
    }
  }

  @Test("A peripheral that hangs up answers first")
  func peripheralHangsUp() async throws {
    try await withBench { client, _, path in
      let start = client.log.end
      try await client.write(try await path("010C"), [1])
      #expect(await client.log.first(from: start) { $0.sets("Connected", to: .boolean(false)) } != nil)
    }
  }

  @Test("A peripheral can hang up after a number of operations")
  func peripheralCanHang() async throws {
    var bench = try #require(World.contract.peripherals.first { $0.address == Address.bench })
    bench.faults = [.dropAfterOperations(3)]
    try await withSimulator(world: World(peripherals: [bench])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Address.bench)
      let target = try await client.characteristic(benchUUID("0104"), of: Address.bench)
      for _ in 0..<3 { _ = try await client.read(target) }
      #expect(await client.log.first { $0.sets("Connected", to: .boolean(false)) } != nil)
    }
  }
}
