// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Intel hex files")
struct IntelHexTests {
  private func bytes(_ text: String) throws -> [UInt8] { try IntelHex(parsing: Array(text.utf8)).bytes }

  /// A line with its checksum.
  private func line(_ hex: String) -> String {
    let bytes = Hex.bytes(hex) ?? []
    return ":\(hex)\(Hex.string([0 &- bytes.reduce(0, &+)]))\n"
  }

  private let end = ":00000001FF\n"

  @Test("A file of another program has its image, at its address")
  func file() throws {
    let hex = try IntelHex(parsing: Array(FirmwareSamples.hex.utf8))
    #expect(hex.start == 0x2fff0 && hex.bytes == FirmwareSamples.unsigned)
  }

  @Test("Lines in any order, in lower case, with CR LF and blanks are read, and gaps are ff")
  func lenient() throws {
    let text =
      "\n" + line("020004001122") + " " + line("0100000033").lowercased().dropLast() + "\r\n" + end + "\n\n"
    #expect(try bytes(text) == [0x33, 0xff, 0xff, 0xff, 0x11, 0x22])
  }

  @Test("Segments of both kinds move the address")
  func segments() throws {
    let text =
      line("020000021000") + line("0100000011") + line("020000040001") + line("0100010022")
      + line("0400000500000000") + line("0400000300000000") + end
    #expect(try bytes(text) == [0x11, 0x22])
  }

  @Test("Faults are refused with the number of the line")
  func faults() {
    let first = line("0100000011")
    let cases: [(String, String)] = [
      (first, "the file is cut off: the line that ends it is missing"), (end, "the file has no bytes"),
      (first + "x\n" + end, "line 2 does not begin with a colon"),
      (":0100000011EF\n", "line 1 has a wrong checksum"),
      (":01000000\n", "line 1 has another length than it says"),
      (":010000001\n", "line 1 has something else than pairs of hexadecimal digits"),
      (":\n", "line 1 has another length than it says"),
      (":01000000g1EE\n", "line 1 has something else than pairs of hexadecimal digits"),
      (line("01000006aa"), "line 1 has the unknown type 6, or a wrong length"),
      (line("0300000400010a"), "line 1 has the unknown type 4, or a wrong length"),
      (first + first + end, "two lines are for the address 0x0"),
      (first + end + first, "line 3 follows the one that ends the file"),
      (
        first + line("020000041000") + first + end,
        "the file has bytes at 0x0 and at 0x10000000: it has more than one program"
      ),
    ]
    for (text, reason) in cases {
      let result = Result { try bytes(text) }
      #expect(throws: FirmwareError(reason)) { try result.get() }
    }
  }
}
