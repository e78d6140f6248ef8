// SPDX-License-Identifier: MIT
import Testing

@testable import BLEFormats

@Suite("Values that are set by hand")
struct LayoutControlTests {
  private func kind(_ layout: String) throws -> LayoutControl.Kind? {
    try ValueLayout(compact: layout).control?.kind
  }

  private func number(_ least: String, _ greatest: String, _ step: String) throws -> LayoutControl.Kind {
    .number(
      least: try #require(DecimalNumber(least)).reduced,
      greatest: try #require(DecimalNumber(greatest)).reduced,
      step: try #require(DecimalNumber(step)).reduced)
  }

  @Test("A single number has the limits and steps of its format and its scale")
  func numbers() throws {
    #expect(try kind("level=u8%") == number("0", "255", "1"))
    #expect(try kind("level=i16*0.01°C") == number("-327.68", "327.67", "0.01"))
    #expect(try kind("level=i8*-2") == number("-254", "256", "2"))
    #expect(try kind("level=u8 _") == number("0", "255", "1"))
  }

  @Test("Each limit and step of a number can be encoded")
  func encoding() throws {
    for text in ["level=u8%", "level=i16*0.01°C", "level=i8*-2"] {
      let layout = try ValueLayout(compact: text)
      let control = try #require(layout.control)
      guard case .number(let least, let greatest, _) = control.kind else { continue }
      for end in [least, greatest] {
        #expect(throws: Never.self) { try layout.encode("\(control.key)=\(end)") }
      }
    }
  }

  @Test("A field with two states is a switch, one with a single state a button")
  func choices() throws {
    #expect(try kind("lit=bool") == .toggle(off: "no", on: "yes", isTruth: true))
    #expect(
      ValueLayout("", parts: [.choice("mode", Choice("slow", "fast"))]).control?.kind
        == .toggle(off: "slow", on: "fast", isTruth: false))
    #expect(
      ValueLayout("", parts: [.choice("do", Choice(own: [7: "identify"]))]).control?.kind
        == .press("identify"))
    #expect(ValueLayout("", parts: [.choice("mode", Choice("a", "b", "c"))]).control == nil)
  }

  @Test(
    "Values with several fields, texts, lists, quotients and eight bytes are not set by hand",
    arguments: ["a=u8 b=u8", "text=utf8", "all=u8[]", "part=u16/3", "count=u64"])
  func others(layout: String) throws {
    #expect(try kind(layout) == nil)
  }
}
