// SPDX-License-Identifier: MIT
import BLEFormats
import DBus
import TestSupport
import Testing

@testable import BLEWorld
@testable import BlueZSimulator

/// The behaviour of world files, seen from the bus.
@Suite("Behaviour")
struct BehaviourTests {
  private static let address = "C0:00:00:00:00:01"

  /// Connects to a peripheral with these characteristics in a service FF00; the log `log.ndjson` has 01, 02 and 03.
  private func withCharacteristics(
    _ characteristics: String,
    _ body: (BusClient, SimulatedBus, (String) async throws -> String) async throws -> Void
  ) async throws {
    let text = """
      {"peripherals": [{"address": "\(Self.address)", "services": [
        {"uuid": "ff00", "characteristics": [\(characteristics)]}]}]}
      """
    let log = (1...3).map {
      "{\"event\":\"value\",\"time\":\"2026-04-12T12:34:41.00\($0)000Z\",\"characteristic\":\"ff01\",\"value\":\"0\($0)\"}\n"
    }.joined()
    let world = try World(json: Array(text.utf8), name: "w") { _ throws(WorldFileError) in Array(log.utf8) }
    try await withSimulator(world: world) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Self.address)
      try await body(client, bus) { try await client.characteristic($0, of: Self.address) }
    }
  }

  /// The first values of a subscription to FF01.
  private func notified(_ notifies: String, count: Int) async throws -> [[UInt8]] {
    var values: [[UInt8]] = []
    try await withCharacteristics(
      "{\"uuid\": \"ff01\", \"properties\": [\"read\", \"notify\"], \"notifies\": \(notifies)}"
    ) { client, _, path in
      let target = try await path("ff01")
      var position = client.log.end
      try await client.gatt("StartNotify", target)
      while values.count < count {
        let found = await client.log.first(from: position) { $0.bytes("Value", at: target) != nil }
        position = try #require(found) + 1
        values.append(try #require(client.log.events()[position - 1].bytes("Value", at: target)))
      }
    }
    return values
  }

  @Test(
    "Generated values are notified in order",
    arguments: [
      (#"{"list": ["01", "", "utf8:abc"], "every": "5ms"}"#, [[1], [], [97, 98, 99], [1]]),
      (
        #"{"counter": {"format": "u16", "from": 254, "to": 256}, "every": "5ms"}"#,
        [[254, 0], [255, 0], [0, 1], [254, 0]]
      ),
      (
        #"{"counter": {"format": "u8", "from": 1, "step": -1, "prefix": "00"}, "every": "5ms"}"#,
        [[0, 1], [0, 0], [0, 1]]
      ),
      (
        #"{"sine": {"format": "i8", "middle": 0, "amplitude": 100, "period": 4}, "every": "5ms"}"#,
        [[0], [100], [0], [156], [0]]
      ),
      (
        #"{"layout": "on=bool n=u16be xor8", "every": "5ms", "fields": {"on": {"list": [true, false]}, "n": {"ramp": {"from": 9, "to": 8, "period": 2}}}}"#,
        [[1, 0, 9, 8], [0, 0, 8, 8], [1, 0, 9, 8]]
      ),
      (#"{"replay": "log.ndjson"}"#, [[1], [2], [3]]),
      (#"{"replay": "log.ndjson", "every": "5ms", "repeats": true}"#, [[1], [2], [3], [1], [2]]),
    ])
  func generatedValuesNotified(_ notifies: String, _ values: [[UInt8]]) async throws {
    #expect(try await notified(notifies, count: values.count) == values)
  }

  @Test("A random walk stays within its bounds and depends only on its seed")
  func randomWalkStays() async throws {
    func walk(_ seed: Int) async throws -> [[UInt8]] {
      try await notified(
        #"{"walk": {"format": "u8", "from": 100, "step": 9, "least": 95, "greatest": 105, "seed": \#(seed)}, "every": "5ms"}"#,
        count: 12)
    }
    let first = try await walk(1)
    #expect(try await walk(1) == first)
    #expect(try await walk(2) != first)
    #expect(first.allSatisfy { (95...105).contains($0[0]) } && Set(first).count > 2)
    #expect(first[0] == [100])
  }

  @Test("A read returns the next value, and a clock the time")
  func readReturnsNext() async throws {
    try await withCharacteristics(
      """
      {"uuid": "ff01", "properties": ["read"], "on_read": {"counter": {"format": "u8", "from": 7}}},
      {"uuid": "ff02", "properties": ["read"], "on_read": {"clock": "text"}},
      {"uuid": "ff03", "properties": ["read"], "on_read": {"clock": "current-time"}}
      """
    ) { client, _, path in
      let counter = try await path("ff01")
      for value in UInt8(7)...9 { #expect(try await client.read(counter) == [value]) }
      let text = String(decoding: try await client.read(try await path("ff02")), as: UTF8.self)
      #expect(text.wholeMatch(of: /20\d\d-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:[0-5]\d/) != nil)
      #expect(try await client.read(try await path("ff03")).count == 10)
    }
  }

  @Test("A read returns the last notified value")
  func readReturnsLast() async throws {
    try await withCharacteristics(
      #"{"uuid": "ff01", "properties": ["read", "notify"], "value": "ff", "notifies": {"replay": "log.ndjson", "every": "1ms"}}"#
    ) { client, _, path in
      let target = try await path("ff01")
      #expect(try await client.read(target) == [0xFF])
      try await client.gatt("StartNotify", target)
      _ = await client.log.first { $0.sets("Value", to: .bytes([3]), at: target) }
      #expect(try await client.read(target) == [3])
    }
  }

  @Test("Writes are answered, echoed, refused and limited as the file says")
  func writesAnsweredEchoed() async throws {
    try await withCharacteristics(
      """
      {"uuid": "ff01", "properties": ["write"],
       "on_write": {"answers": [{"request": "f0??02", "response": "9f??", "from": "ff05"}]}},
      {"uuid": "ff02", "properties": ["write"], "on_write": {"echo": "ff05"}},
      {"uuid": "ff03", "properties": ["write"], "on_write": {"error": "0x81"}},
      {"uuid": "ff04", "properties": ["read", "write"], "max_length": 4},
      {"uuid": "ff05", "properties": ["notify"]}
      """
    ) { client, _, path in
      let source = try await path("ff05")
      try await client.gatt("StartNotify", source)
      try await client.write(try await path("ff01"), [0xF0, 0x36, 0x02])
      #expect(await client.log.first { $0.sets("Value", to: .bytes([0x9F, 0x36]), at: source) } != nil)
      try await client.write(try await path("ff02"), [1, 2])
      #expect(await client.log.first { $0.sets("Value", to: .bytes([1, 2]), at: source) } != nil)
      let refused = try await path("ff03")
      #expect(
        await failure { try await client.write(refused, [1]) }?.line
          == "Failed Operation failed with ATT error: 0x81")
      let short = try await path("ff04")
      try await client.write(short, [1, 2, 3, 4])
      #expect(
        await failure { try await client.write(short, [1, 2, 3, 4, 5]) }?.line
          == "InvalidArguments Invalid Length")
      #expect(try await client.read(short) == [1, 2, 3, 4])
    }
  }

  @Test("A serial port greets, and sends back what it gets in packets that the link carries whole")
  func serialPort() async throws {
    let text = """
      {"peripherals": [{"address": "\(Self.address)", "mtu": 23, "uart": {"greeting": "hello"}}]}
      """
    let world = try World(json: Array(text.utf8), name: "w") { path throws(WorldFileError) in [] }
    try await withSimulator(world: world) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open(Self.address)
      let (rx, tx) = (SerialService.nordic.rx.description, SerialService.nordic.tx.description)
      let (input, output) = (
        try await client.characteristic(rx, of: Self.address),
        try await client.characteristic(tx, of: Self.address)
      )
      try await client.gatt("StartNotify", output)
      let greeted = try #require(
        await client.log.first { $0.sets("Value", to: .bytes(Array("hello".utf8)), at: output) })
      // A long write.
      let sent = [UInt8](0..<50)
      try await client.write(input, sent)
      let last = try #require(
        await client.log.first(from: greeted) { $0.sets("Value", to: .bytes(Array(sent[40...])), at: output) }
      )
      let values = client.log.events()[(greeted + 1)...last].compactMap { $0.bytes("Value", at: output) }
      #expect(values == [Array(sent[..<20]), Array(sent[20..<40]), Array(sent[40...])])
    }
  }

  @Test("A peripheral appears and vanishes when the file says so")
  func peripheralAppearsVanishes() async throws {
    let text = """
      {"peripherals": [
        {"address": "C0:00:00:00:00:02", "vanishes_after": "1ms"},
        {"address": "C0:00:00:00:00:03", "appears_after": "1h"},
        {"address": "\(Self.address)", "appears_after": "50ms"}]}
      """
    let world = try World(json: Array(text.utf8), name: "w") { path throws(WorldFileError) in [] }
    try await withSimulator(world: world) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      _ = try #require(await client.log.first { $0.path == BusClient.devicePath(Self.address) })
      // The vanishing peripheral is gone before its first report.
      let others = ["C0:00:00:00:00:02", "C0:00:00:00:00:03"].map { BusClient.devicePath($0) }
      #expect(!client.log.events().contains { others.contains($0.path ?? "") })
    }
  }
}
