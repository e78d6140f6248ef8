// SPDX-License-Identifier: MIT
internal import Testing

@testable internal import BLEFormats

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

  @Test("Each has a word for files")
  func words() {
    #expect(
      SerialService.all.map(\.word) == [
        "nordic", "hm-10", "microchip", "u-blox", "silicon-labs", "telit", "laird",
      ])
  }
}

@Suite("Packets of a served serial port")
struct PacketSizeTests {
  @Test("They have 20 bytes until a central has written, then the size of the smallest link")
  func smallest() {
    var size = PacketSize()
    #expect(size.bytes == 20)
    size.note(mtu: 517, longest: 512)
    #expect(size.bytes == 512)
    size.note(mtu: 185, longest: 512)
    #expect(size.bytes == 182)
    size.note(mtu: 247, longest: 512)
    #expect(size.bytes == 182)
    size.note(mtu: 5, longest: 512)
    #expect(size.bytes == 20)
  }
}
