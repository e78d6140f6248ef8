// SPDX-License-Identifier: MIT
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
    #expect(await credits.available() == 3)
    credits.spend(3)
    let waiting = Task { await credits.available() }
    #expect(credits.received([200]))
    #expect(await waiting.value == 200)
    credits.spend(500)
    let cancelled = Task { await credits.available() }
    cancelled.cancel()
    #expect(await cancelled.value == nil)
  }

  @Test("Wrong credits are not believed: too many, none, or a value that is no number")
  func hostile() async throws {
    let credits = SerialCredits(try rules("u-blox"))
    #expect(credits.received([]))
    #expect(credits.received([1, 2]))
    #expect(credits.received([0]))
    #expect(credits.received([0x80]))
    for _ in 0..<100 { #expect(credits.received([127])) }
    #expect(await credits.available() == 1024)
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

@Suite("Known serial services")
struct SerialServiceTests {
  @Test("The table has the services of seven makers, each with its own identifiers")
  func table() {
    #expect(Set(SerialService.all.map(\.uuid)).count == 7)
    #expect(
      SerialService.all.map { "\($0.uuid) \($0.rx) \($0.tx)" } == [
        "6e400001-b5a3-f393-e0a9-e50e24dcca9e 6e400002-b5a3-f393-e0a9-e50e24dcca9e "
          + "6e400003-b5a3-f393-e0a9-e50e24dcca9e", "ffe0 ffe1 ffe1",
        "49535343-fe7d-4ae5-8fa9-9fafd205e455 49535343-8841-43f4-a8d4-ecbe34729bb3 "
          + "49535343-1e4d-4bd9-ba61-23c647249616",
        "2456e1b9-26e2-8f83-e744-f34f01e9d701 2456e1b9-26e2-8f83-e744-f34f01e9d703 "
          + "2456e1b9-26e2-8f83-e744-f34f01e9d703",
        "4880c12c-fdcb-4077-8920-a450d7f9b907 fec26ec4-6d71-4442-9f81-55bc21d658d6 "
          + "fec26ec4-6d71-4442-9f81-55bc21d658d6",
        "fefb 00000001-0000-1000-8000-008025000000 00000002-0000-1000-8000-008025000000",
        "569a1101-b87f-490c-92cb-11ba5ea5167c 569a2001-b87f-490c-92cb-11ba5ea5167c "
          + "569a2000-b87f-490c-92cb-11ba5ea5167c",
      ])
    #expect(
      SerialService.all.compactMap(\.credits).map { "\($0.rx) \($0.tx)" } == [
        "2456e1b9-26e2-8f83-e744-f34f01e9d704 2456e1b9-26e2-8f83-e744-f34f01e9d704",
        "00000003-0000-1000-8000-008025000000 00000004-0000-1000-8000-008025000000",
      ])
  }
}
