// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Checksums of firmware")
struct FirmwareChecksumTests {
  private let digits = Array("123456789".utf8)

  @Test("A CRC-32 over parts is that of the whole, also when it is continued from a number")
  func parts() {
    for place in 0...digits.count {
      var checksum = CRC32()
      checksum.update(digits[..<place])
      var continued = CRC32(of: checksum.value)
      checksum.update(digits[place...])
      continued.update(Array(digits[place...]))
      #expect(checksum.value == 0xcbf4_3926 && continued == checksum)
    }
    #expect(CRC32().value == 0 && CRC32.of([]) == 0 && CRC32.of(digits) == 0xcbf4_3926)
  }

  @Test("The CRC-16 of Legacy DFU is that of its catalogue")
  func sixteen() {
    #expect(CRC16.of(digits) == 0x29b1 && CRC16.of([]) == 0xffff)
  }
}
