// SPDX-License-Identifier: MIT
import BLECentral
import Testing

@Suite("ATTError")
struct ATTErrorTests {
  @Test(
    "a code is described by its number and its name",
    arguments: [
      (UInt8(0x01), "ATT 0x01 invalid handle"), (0x02, "ATT 0x02 read not permitted"),
      (0x03, "ATT 0x03 write not permitted"), (0x05, "ATT 0x05 insufficient authentication"),
      (0x06, "ATT 0x06 request not supported"), (0x07, "ATT 0x07 invalid offset"),
      (0x08, "ATT 0x08 insufficient authorization"), (0x0a, "ATT 0x0a attribute not found"),
      (0x0b, "ATT 0x0b attribute not long"), (0x0c, "ATT 0x0c encryption key size too short"),
      (0x0d, "ATT 0x0d invalid attribute value length"), (0x0e, "ATT 0x0e unlikely error"),
      (0x0f, "ATT 0x0f insufficient encryption"), (0x11, "ATT 0x11 insufficient resources"),
      (0x12, "ATT 0x12 database out of sync"), (0x13, "ATT 0x13 value not allowed"),
      (0x14, "ATT 0x14 reserved error"), (0x00, "ATT 0x00 reserved error"),
      (0x80, "ATT 0x80 application error"),
      (0x9f, "ATT 0x9f application error"), (0xa0, "ATT 0xa0 reserved error"),
      (0xe0, "ATT 0xe0 common profile error"), (0xfc, "ATT 0xfc write request rejected"),
      (0xff, "ATT 0xff out of range"),
    ])
  func descriptions(code: UInt8, text: String) {
    #expect(ATTError(code: code).description == text)
  }

  @Test("the constants are their codes")
  func constants() {
    #expect(ATTError.readNotPermitted.name == "read not permitted")
    #expect(ATTError.invalidOffset.name == "invalid offset")
    #expect(ATTError.unlikelyError.name == "unlikely error")
    #expect(ATTError.insufficientEncryption.name == "insufficient encryption")
    #expect(ATTError.invalidAttributeValueLength.name == "invalid attribute value length")
  }
}
