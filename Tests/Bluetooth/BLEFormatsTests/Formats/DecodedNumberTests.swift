// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import Testing

@Suite("Numbers of decoded values")
struct DecodedNumberTests {
  @Test("A decoded number is a Double; words, lists and flags are none")
  func numbers() throws {
    let decoded = try ValueLayout(compact: "t=i16*0.01°C n=u8 on=bool l=u8[2]").decode([
      0x34, 0x08, 5, 1, 1, 2,
    ])
    #expect(decoded["t_celsius"]?.number == 21)
    #expect(decoded["n"]?.number == 5)
    #expect(decoded["on"]?.number == nil)
    #expect(decoded["l"]?.number == nil)
    #expect(DecodedValue.text("unknown").number == nil)
  }
}
