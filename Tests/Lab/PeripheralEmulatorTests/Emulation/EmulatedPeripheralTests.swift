// SPDX-License-Identifier: MIT
import AsyncIO
import BLEFormats
import TestSupport
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("Peripherals played by a real adapter")
struct EmulatedPeripheralTests {
  private static let address = "C0:00:00:00:00:01"
  private static let one = BluetoothUUID(0xFFE1)
  private static let two = BluetoothUUID(0xFFE2)

  /// A played peripheral with its values, on a loop of its own.
  private final class Stage: @unchecked Sendable {
    let loop = EventLoop(name: "played")
    let played: EmulatedPeripheral
    /// The characteristic with a subscription that is not reported yet.
    let early = Lock<UInt16>(0)
    private let sent = Lock<[[UInt8]]>([])
    /// When each value was sent.
    let times = Lock<[ContinuousClock.Instant]>([])
    private let waiting = Lock<(count: Int, promise: Promise<Void>)?>(nil)

    init(_ characteristics: [CharacteristicSpec], events: [WorldEvent] = [], faults: [PeripheralAction] = [])
    {
      played = EmulatedPeripheral(
        PeripheralSpec(
          address: EmulatedPeripheralTests.address, advertisement: AdvertisementSpec(name: "Lamp"),
          services: [ServiceSpec(BluetoothUUID(0xFFE0), characteristics)], mtu: 23, faults: faults),
        events: events, on: loop)
    }

    /// Runs on the loop.
    func run<Result: Sendable>(
      _ body: @escaping @Sendable (EmulatedPeripheral) throws -> Result
    ) async throws -> Result {
      try await Task(executorPreference: loop) { try body(self.played) }.value
    }

    func start() async throws {
      try await run { played in
        played.start(
          EmulatorOutput(
            send: { self.send($1) }, isCongested: { _ in false },
            isSubscribed: { [self] handle in early.withLock { $0 } == handle }))
      }
    }

    private func send(_ value: [UInt8]) {
      times.withLock { $0.append(LoopClock.now) }
      let count = sent.withLock { sent in
        sent.append(value)
        return sent.count
      }
      waiting.withLock { $0.flatMap { $0.count <= count ? $0.promise : nil } }?.fulfil(())
    }

    /// The first values that were sent, as soon as there are `count`.
    func values(_ count: Int) async -> [[UInt8]] {
      let promise = Promise<Void>()
      waiting.withLock { $0 = (count, promise) }
      if sent.withLock({ $0.count >= count }) { promise.fulfil(()) }
      await promise.value
      return Array(sent.withLock { $0 }.prefix(count))
    }

    func handle(_ uuid: BluetoothUUID) -> UInt16 {
      played.services[0].characteristics.first { $0.spec.uuid == uuid }?.handle ?? 0
    }

    func read(_ uuid: BluetoothUUID) async throws -> [UInt8]? {
      let handle = handle(uuid)
      return try await run { played in
        var value: [UInt8]?
        played.read(handle) { value = try? $0.get() }
        return value
      }
    }
  }

  @Test("Generated values are sent while a central is subscribed, and a second central does not restart them")
  func generated() async throws {
    let stage = Stage([
      CharacteristicSpec(
        Self.one, 0x10,
        notifying: .generate(
          .numbers(.counter(Counter()), NumberFormat(try ValueFormat(parsing: "u8"))),
          every: .milliseconds(1)))
    ])
    try await stage.start()
    let handle = stage.handle(Self.one)
    try await stage.run { $0.setSubscribed(true, handle) }
    let first = await stage.values(2)
    try await stage.run { $0.setSubscribed(true, handle) }
    #expect(first == [[0], [1]])
    #expect(await stage.values(4) == [[0], [1], [2], [3]])
  }

  @Test("Values by a layout are sent with their checksums")
  func layout() async throws {
    let layout = try OwnLayout(compact: "temp=i16*0.01°C n=u16 crc32")
    let rule = LayoutRule(
      layout,
      [
        FieldSpec("temp", .numbers(.random(RandomNumbers(within: -40...85)))),
        FieldSpec("n", .numbers(.counter(Counter()))),
      ])
    let stage = Stage([
      CharacteristicSpec(Self.one, 0x12, notifying: .generate(.layout(rule), every: .milliseconds(1)))
    ])
    try await stage.start()
    let handle = stage.handle(Self.one)
    let before = try await stage.read(Self.one)
    try await stage.run { $0.setSubscribed(true, handle) }
    let values = await stage.values(50)
    #expect(values.first == before)
    let decoded = values.map { layout.layout.decode($0) }
    #expect(decoded.map { $0["n"] } == (0..<50).map { .integer($0) })
    #expect(decoded.allSatisfy { $0.problems.isEmpty })
  }

  @Test("Values keep their schedule: a late one does not delay those after it")
  func schedule() async throws {
    VirtualTime.begin()
    let (count, interval) = (200, Duration.milliseconds(20))
    let stage = Stage([CharacteristicSpec(Self.one, 0x10, notifying: .cycle([[1], [2]], every: interval))])
    try await stage.start()
    let handle = stage.handle(Self.one)
    let start = try await stage.run { played in
      let now = LoopClock.now
      played.setSubscribed(true, handle)
      return now
    }
    _ = await stage.values(count)
    let times = stage.times.withLock { $0 }.prefix(count).enumerated()
    let lateness = times.map { $0.element - (start + interval * ($0.offset + 1)) }
    #expect(lateness.allSatisfy { $0 >= .zero })
    // If delays added up, each value would be at least as late as the one before it.
    #expect(zip(lateness, lateness.dropFirst()).contains { $0 > $1 })
  }

  @Test("A value is sent whole: its length is limited by the link of the central, not by that of the world")
  func length() async throws {
    let stage = Stage([CharacteristicSpec(Self.one, 0x10)])
    try await stage.start()
    let (handle, value) = (stage.handle(Self.one), [UInt8](0..<200) + [UInt8](0..<200) + [UInt8](0..<112))
    try await stage.run { played in
      played.setSubscribed(true, handle)
      played.setValue(value, of: handle)
    }
    #expect(await stage.values(1) == [value])
  }

  @Test("A write is answered on another characteristic")
  func answer() async throws {
    let stage = Stage([
      CharacteristicSpec(Self.one, 0x10),
      CharacteristicSpec(
        Self.two, 0x08, writing: .answer([WriteAnswer(to: [1, nil], with: [9, nil], on: Self.one)])),
    ])
    try await stage.start()
    let (source, target) = (stage.handle(Self.one), stage.handle(Self.two))
    try await stage.run { played in
      played.setSubscribed(true, source)
      played.write(target, [1, 7], offset: 0) { _ in }
    }
    #expect(await stage.values(1) == [[9, 7]])
  }

  @Test("A write is answered before the subscription of its central is reported")
  func earlyWrite() async throws {
    let stage = Stage([
      CharacteristicSpec(Self.one, 0x10),
      CharacteristicSpec(
        Self.two, 0x08, writing: .answer([WriteAnswer(to: [nil], with: [9, nil], on: Self.one)])),
    ])
    try await stage.start()
    let (source, target) = (stage.handle(Self.one), stage.handle(Self.two))
    stage.early.withLock { $0 = source }
    try await stage.run { $0.write(target, [2], offset: 0) { _ in } }
    #expect(await stage.values(1) == [[9, 2]])
  }

  @Test("An event of the world happens at its operation, and what is for another device does not")
  func events() async throws {
    let set = { (value: UInt8) in CharacteristicAction.setValue([value]) }
    let stage = Stage(
      [CharacteristicSpec(Self.one, 0x12, value: [0])],
      events: [
        WorldEvent(.operations(device: Self.address, 2), .characteristic(Self.one, of: Self.address, set(5))),
        WorldEvent(.time(.zero), .characteristic(Self.one, of: "C0:00:00:00:00:02", set(6))),
        WorldEvent(.connected(device: Self.address), .characteristic(Self.one, of: Self.address, set(7))),
      ])
    try await stage.start()
    let handle = stage.handle(Self.one)
    try await stage.run { $0.setSubscribed(true, handle) }
    let before = try await stage.read(Self.one)
    #expect(before == [0])
    #expect(await stage.values(1) == [[5]])
    try await stage.run { $0.setConnected(true) }
    #expect(await stage.values(2) == [[5], [7]])
  }

  @Test("A command for a real adapter's part is refused, and says why")
  func refusals() async throws {
    let stage = Stage([CharacteristicSpec(Self.one, 0x02)])
    let commands: [(ControlCommand, String)] = [
      (.peripheral(Self.address, .dropLink), "/do: BlueZ leaves it to the central to close the link"),
      (.adapter(.switchOff), "/do: only a simulated BlueZ can do that"),
      (
        .characteristic(Self.one, of: Self.address, .answer(AnswerFault(.never, to: .subscribe))),
        "/do: BlueZ answers subscriptions by itself"
      ),
      (
        .characteristic(Self.two, of: Self.address, .setValue([1])),
        "/characteristic: \(Self.address) has no characteristic ffe2"
      ),
    ]
    for (command, message) in commands {
      let found = try await stage.run { played in
        do throws(ControlError) {
          try played.perform(command)
          return ""
        } catch {
          return error.description
        }
      }
      #expect(found == message)
    }
  }

  @Test("Lost advertisements come back when the fault is healed")
  func adverts() async throws {
    let stage = Stage([], faults: [.loseAdverts()])
    let seen = Lock<[Bool]>([])
    try await stage.run { played in
      played.onAdvertising = { isHeard in seen.withLock { $0.append(isHeard) } }
      #expect(!played.isHeard)
      try played.perform(.peripheral(Self.address, .heal))
      #expect(played.isHeard)
      try played.perform(.peripheral(Self.address, .loseAdverts()))
    }
    #expect(seen.withLock { $0 } == [true, false])
  }
}
