// SPDX-License-Identifier: MIT
import Testing

@testable import BLEUpdate

@Suite("Firmware")
struct FirmwareTests {
  @Test("A file that is no firmware is read, has no method, and says why")
  func unknown() throws {
    let firmware = try Firmware(Array("hello".utf8), named: "notes.txt")
    #expect(firmware.methods.isEmpty)
    #expect(!firmware.problems.isEmpty)
    #expect(firmware.size == 5)
    #expect(firmware.version == nil)
    #expect(firmware.parts.map(\.size) == [5])
  }

  @Test("A damaged file is unfit, and the error names it")
  func damaged() {
    do {
      _ = try Firmware([0x3d, 0xb8, 0xf3, 0x96, 0, 0], named: "cut.bin")
      Issue.record("it was read")
    } catch {
      #expect(error.code == .unfit)
      #expect(error.message.hasPrefix("cut.bin: "))
    }
  }
}
