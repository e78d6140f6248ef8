// SPDX-License-Identifier: MIT
import AsyncIO
import BLEFormats
import Testing

@testable import BLEWorld
@testable import PeripheralEmulator

@Suite("Serial ports of peripherals played by a real adapter")
struct EmulatedSerialPortTests {
  /// A played peripheral with a port, on a loop of its own, and what it has sent.
  private final class Stage: @unchecked Sendable {
    let loop = EventLoop(name: "serial")
    let played: EmulatedPeripheral
    let rx: UInt16
    let tx: UInt16
    let isCongested = Lock(false)
    let isSubscribed = Lock(false)
    private let sent = Lock<[[UInt8]]>([])
    private let waiting = Lock<(count: Int, promise: Promise<Void>)?>(nil)

    init(_ port: SerialPortSpec) {
      let spec = PeripheralSpec(
        address: "C0:00:00:00:00:01", advertisement: AdvertisementSpec(name: "Board"), uart: port)
      played = EmulatedPeripheral(spec, events: [], on: loop)
      let characteristics = played.services.flatMap(\.characteristics)
      rx = characteristics.first { $0.spec.uuid == port.service.rx }?.handle ?? 0
      tx = characteristics.first { $0.spec.uuid == port.service.tx }?.handle ?? 0
    }

    /// Runs on the loop.
    func run(_ body: @escaping @Sendable (EmulatedPeripheral) -> Void) async {
      await Task(executorPreference: loop) { body(self.played) }.value
    }

    func start() async {
      await run { [self] played in
        played.start(
          EmulatorOutput(
            send: { [self] in send($1) }, isCongested: { [self] _ in isCongested.withLock { $0 } },
            isSubscribed: { [self] _ in isSubscribed.withLock { $0 } }))
      }
    }

    func write(_ bytes: [UInt8], mtu: Int? = nil) async {
      let rx = rx
      await run { played in
        played.write(rx, bytes, offset: 0, mtu: mtu) { outcome in #expect((try? outcome.get()) != nil) }
      }
    }

    func subscribe() async {
      let tx = tx
      await run { $0.setSubscribed(true, tx) }
    }

    private func send(_ value: [UInt8]) {
      let count = sent.withLock { sent in
        sent.append(value)
        return sent.joined().count
      }
      waiting.withLock { $0.flatMap { $0.count <= count ? $0.promise : nil } }?.fulfil(())
    }

    /// The packets that were sent, as soon as they have `count` bytes.
    func packets(_ count: Int) async -> [[UInt8]] {
      let promise = Promise<Void>()
      waiting.withLock { $0 = (count, promise) }
      if sent.withLock({ $0.joined().count >= count }) { promise.fulfil(()) }
      await promise.value
      return sent.withLock { $0 }
    }
  }

  private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) } }

  @Test("Packets have 20 bytes until a central tells its MTU, and then as many as its link carries")
  func packetSizes() async {
    let stage = Stage(SerialPortSpec(greeting: String(repeating: "a", count: 50)))
    await stage.start()
    await stage.subscribe()
    #expect(await stage.packets(50).map(\.count) == [20, 20, 10])
    await stage.write(bytes(200), mtu: 103)
    #expect(await stage.packets(250).map(\.count) == [20, 20, 10, 100, 100])
  }

  @Test("Everything comes back in order, also while the link takes nothing")
  func congestion() async {
    let stage = Stage(SerialPortSpec())
    await stage.start()
    await stage.subscribe()
    stage.isCongested.withLock { $0 = true }
    let all = bytes(60_000)
    for start in stride(from: 0, to: all.count, by: 200) {
      await stage.write(Array(all[start..<start + 200]), mtu: 247)
    }
    #expect(await stage.packets(0).isEmpty)
    stage.isCongested.withLock { $0 = false }
    let packets = await stage.packets(all.count)
    #expect(packets.flatMap(\.self) == all)
    #expect(packets.allSatisfy { $0.count <= 244 })
  }

  @Test("Both directions may be one characteristic")
  func oneCharacteristic() async throws {
    let hm10 = try #require(SerialPortSpec.services.first { $0.word == "hm-10" })
    let stage = Stage(SerialPortSpec(hm10))
    #expect(stage.rx == stage.tx && stage.rx > 0)
    await stage.start()
    await stage.subscribe()
    await stage.write([1, 2, 3])
    #expect(await stage.packets(3) == [[1, 2, 3]])
  }

  @Test("A central that writes before its subscription is reported gets the answer, and the greeting once")
  func earlyWrite() async {
    let stage = Stage(SerialPortSpec(greeting: "hello", answers: [.init("AT", "OK")]))
    await stage.start()
    // Nobody is subscribed: this is lost.
    await stage.write(Array("AT\r".utf8))
    stage.isSubscribed.withLock { $0 = true }
    await stage.write(Array("AT\r".utf8))
    await stage.subscribe()
    await stage.write(Array("AT\r".utf8))
    #expect(String(decoding: await stage.packets(9).flatMap(\.self), as: UTF8.self) == "helloOKOK")
  }
}
