// SPDX-License-Identifier: MIT
internal import Testing

@testable import BLEFormats

@Suite("Init packets of Nordic's bootloaders")
struct InitPacketTests {
  @Test("The forms of Legacy DFU with a CRC, a hash, a signature and neither are read")
  func legacy() throws {
    let start = "5200" + "0100" + "07000000" + "0200" + "b600" + "feff"
    let hash = String(repeating: "11", count: 32)
    let cases: [(String, UInt16?, Int?)] = [
      ("", nil, nil), ("2ffd", 0xfd2f, nil), ("00000000" + "2ffd", 0xfd2f, nil),
      ("01000000" + "40000000" + hash, nil, 64),
      ("02000000" + "40000000" + hash + hash + hash, nil, 64),
    ]
    for (rest, crc16, size) in cases {
      let bytes = try #require(Hex.bytes(start + rest))
      let packet = try #require(LegacyInitPacket(bytes))
      #expect(
        packet.deviceType == 0x52 && packet.deviceRevision == 1 && packet.softDevices == [0xb6, 0xfffe])
      #expect(packet.crc16 == crc16 && packet.firmwareSize.map { Int($0) } == size, "\(rest)")
      #expect((packet.sha256 == nil) == (size == nil))
    }
  }

  @Test("Bytes whose length does not fit their content are not an init packet of Legacy DFU")
  func noLegacy() throws {
    for hex in [
      "", "5200010007000000", "52000100070000000200b600", "52000100070000000000" + "010203",
      "ffffffffffffffffffff",
    ] {
      #expect(LegacyInitPacket(Hex.bytes(hex) ?? [0x0b]) == nil, "\(hex)")
    }
    let secure = try #require(try ZipArchive(FirmwareSamples.securePackage).file("a.dat"))
    #expect(LegacyInitPacket(secure) == nil)
    for count in 0..<secure.count { #expect(SecureInitPacket(Array(secure.prefix(count))) == nil) }
  }

  @Test("An init packet of Secure DFU without a signature is read, with unknown fields in it")
  func unsigned() throws {
    // Packet { command { op_code 1, init { fw_version 5, sd_req 0x101 unpacked, type 2, field 12: "x", is_debug } } }
    let start = "0805" + "188102" + "2002" + "620178" + "4801"
    let bytes = try #require(Hex.bytes("0a100801" + "120c" + start))
    let packet = try #require(SecureInitPacket(bytes))
    #expect(packet.firmwareVersion == 5 && packet.softDevices == [0x101] && packet.type == 2)
    #expect(packet.isDebug && !packet.isSigned && packet.sha256 == nil)
  }

  @Test("Numbers of more than 64 bits, and lengths beyond the end, are refused")
  func hostile() throws {
    for hex in [
      "0a100801120cffffffffffffffffffffff010101", "0affffffffffffffffff01", "0a05080112ff01", "0a0408011201",
      "0a03080112", "1a00",
      "0a040801120103", "0b", "0a0608011202080b0c",
    ] {
      #expect(SecureInitPacket(Hex.bytes(hex) ?? [0x0b]) == nil, "\(hex)")
    }
  }

  @Test("Sizes near the largest number are a problem, not an overflow")
  func overflow() throws {
    // sd_size, bl_size and app_size of 2^63 - 1.
    let most = "ffffffffffffffff7f"
    let sizes = "28" + most + "30" + most + "38" + most
    let bytes = try #require(Hex.bytes("0a20" + "121e" + sizes))
    let packet = try #require(SecureInitPacket(bytes))
    #expect(packet.problems(with: [1], .application).count == 1)
  }
}
