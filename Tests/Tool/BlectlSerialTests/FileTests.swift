// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BlectlArguments
// SPDX-License-Identifier: MIT
internal import BlueZClient
internal import Testing

@testable internal import BlectlSerial

@Suite("Files")
struct FileTests {
  @Test("Checksums are those of crc32 and sha256sum; a device has a CRC-32 as a number")
  func checksums() throws {
    let digits = Array("123456789".utf8)
    let crc = try Checksum(.crc32, of: digits)
    #expect(crc.text == "cbf43926")
    #expect(crc.bytes == [0x26, 0x39, 0xf4, 0xcb])
    #expect(crc.label == "CRC-32 cbf43926")
    #expect(crc.described([1, 0, 0, 0]) == "CRC-32 00000001")
    #expect(crc.described([]) == "no bytes")
    #expect(try Checksum(.crc32, of: []).text == "00000000")
    #expect(
      try Checksum(.sha256, of: digits).text
        == "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225")
  }

  @Test("Progress counts the bytes of this run only for the rate, and those of earlier ones for the file")
  func tally() {
    let tally = TransferTally(size: 65_536)
    tally.begin(after: 30_000)
    #expect(tally.transferred == 0)
    #expect(tally.progress.hasPrefix("30.0 of 65.5 kB, 0 B/s"))
    tally.set(certain: 40_000, uncertain: 500)
    #expect((tally.certain, tally.transferred, tally.uncertain) == (40_000, 10_000, 500))
    #expect(tally.summary.hasPrefix("10000 bytes in "))
  }

  @Test("The time of what a device sends is that between its first and last bytes; at once, there is no rate")
  func arrivals() {
    let tally = TransferTally(size: nil)
    let first = Timestamp(seconds: 100, nanoseconds: 500_000_000)
    tally.begin()
    tally.add(20, from: first, to: first)
    let slow = TransferTally(size: nil)
    slow.begin()
    slow.add(60, from: first, to: Timestamp(seconds: 102, nanoseconds: 0))
    slow.end()
    #expect(slow.summary == "60 bytes in 1.5 s, 40 B/s")
    #expect(tally.elapsed == .zero && tally.bytesPerSecond == nil)
    #expect(tally.summary == "20 bytes in 0.0 s")
    tally.add(
      1980, from: Timestamp(seconds: 101, nanoseconds: 0),
      to: Timestamp(seconds: 102, nanoseconds: 500_000_000))
    tally.end()
    #expect(tally.elapsed == .seconds(2) && tally.bytesPerSecond == 1000)
    #expect(tally.summary == "2000 bytes in 2.0 s, 1.0 kB/s")
  }

  @Test("A line of progress has the name of the file, without its folders, and short enough for the numbers")
  func names() {
    #expect("/a/long/path/fw.bin".lastPart == "fw.bin")
    #expect("-".lastPart == "-")
    #expect(String(repeating: "x", count: 60).lastPart.count == 24)
  }

  @Test("Chunks are as large as a packet permits, with their offset in it, and the last one may be shorter")
  func chunks() throws {
    let content = Array(UInt8(0)..<10)
    let plain = try FileChunks(content, of: nil, offsetFormat: nil, into: 4, of: "channel")
    #expect(plain.size == 4)
    #expect(try plain.packets(from: 0, 2).packets == [[0, 1, 2, 3], [4, 5, 6, 7]])
    #expect(try plain.packets(from: 8, 2).packets == [[8, 9]])
    #expect(try plain.packets(from: 8, 2).end == 10)
    #expect(try plain.packets(from: 10, 2).packets == [])
    let format = try ValueFormat(parsing: "u16be")
    let numbered = try FileChunks(content, of: nil, offsetFormat: format, into: 6, of: "channel")
    #expect(try numbered.packets(from: 4, 1).packets == [[0, 4, 4, 5, 6, 7]])
    #expect(try FileChunks(content, of: 3, offsetFormat: format, into: 6, of: "channel").size == 3)
    let error = #expect(throws: CommandError.self) {
      try FileChunks(content, of: 5, offsetFormat: format, into: 6, of: "channel")
    }
    #expect(error?.message == "cannot send chunks of 5 bytes: 4 fit into a packet of this channel")
  }

  @Test("An acknowledgement is a characteristic, and a pattern behind a colon")
  func acknowledgements() throws {
    let plain = try FileSender.Acknowledgement(parsing: "fff2")
    #expect(plain.pattern == nil)
    let wanted = try FileSender.Acknowledgement(parsing: "180a/fff2:01??")
    #expect(wanted.pattern?.matches([1, 9], nil) == true)
    #expect(wanted.pattern?.matches([2, 9], nil) == false)
    #expect(throws: ArgumentError.self) { try FileSender.Acknowledgement(parsing: "fff2:zz") }
    #expect(throws: ArgumentError.self) { try FileSender.Acknowledgement(parsing: ":01") }
  }
}
