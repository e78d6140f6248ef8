// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@testable internal import BlectlSerial

@Suite("Credits of a serial port")
struct SerialCreditsTests {
  private func rules(_ name: String) throws -> SerialService.Credits {
    try #require(SerialService.all.first { $0.name.hasPrefix(name) }?.credits)
  }

  @Test("Packets are sent while the device takes them, and no longer")
  func sending() async throws {
    let credits = SerialCredits(try rules("Telit"))
    #expect(credits.received([3]))
    #expect(credits.count == 3)
    credits.spend(3)
    let waiting = Task { await credits.waitUntilAvailable() }
    #expect(credits.received([200]))
    await waiting.value
    #expect(credits.count == 200)
    credits.spend(500)
    let cancelled = Task { await credits.waitUntilAvailable() }
    cancelled.cancel()
    await cancelled.value
    #expect(credits.count == 0)
  }

  @Test("Wrong credits are not believed: too many, none, or a value that is no number")
  func hostile() throws {
    let credits = SerialCredits(try rules("u-blox"))
    #expect(credits.received([]))
    #expect(credits.received([1, 2]))
    #expect(credits.received([0]))
    #expect(credits.received([0x80]))
    for _ in 0..<100 { #expect(credits.received([127])) }
    #expect(credits.count == 1024)
    #expect(!credits.received([0xff]))
  }

  @Test("The device gets credits for the packets that there is room for, rather many at once")
  func granting() throws {
    let credits = SerialCredits(try rules("u-blox"))
    #expect(credits.due(room: 100) == 32)
    #expect(credits.due(room: 100) == 0)
    credits.arrived(15)
    #expect(credits.due(room: 100) == 0)
    credits.arrived(1)
    #expect(credits.due(room: 100) == 16)
    credits.arrived(40)
    #expect(credits.due(room: 0) == 0)
    #expect(credits.due(room: 3) == 3)
  }
}
