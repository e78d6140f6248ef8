// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@testable internal import BLEFormats

@Suite("Own layout")
struct OwnLayoutTests {
  private static func field(_ word: String, _ change: (inout OwnField) -> Void = { _ in }) throws -> OwnField
  {
    var field = try CompactField(word).parse()
    change(&field)
    return field
  }

  private static func bits(
    _ name: String, _ range: ClosedRange<Int>, _ change: (inout OwnBits) -> Void = { _ in }
  )
    -> OwnBits
  {
    var bits = OwnBits(name, range)
    change(&bits)
    return bits
  }

  private static func decoded(_ layout: ValueLayout, _ hex: String) -> String {
    let decoded = layout.decode(Hex.bytes(hex) ?? [])
    let words = decoded.fields.map { "\($0.key)=\($0.value.text)" } + decoded.problems.map { "(\($0))" }
    return words.joined(separator: " ")
  }

  /// Flags, and fields that depend on them.
  private static func motion() throws -> ValueLayout {
    try ValueLayout(
      name: "motion",
      [
        field("flags=u16be") {
          $0.bits = [
            bits("mode", 0...1) { $0.values = [0: "slow", 1: "fast", 2: "off"] }, bits("has_battery", 4...4),
            bits("gain", 8...11) {
              $0.isSigned = true
              ($0.scale, $0.unit) = (DecimalNumber(mantissa: 5, exponent: -1), "dB")
            },
          ]
        },
        field("rate=u16Hz"),
        field("boost=u8") { $0.conditions = [OwnCondition(name: "mode", value: "fast")] },
        field("battery=u8%") { $0.conditions = [OwnCondition(name: "has_battery", value: "true")] },
        field("idle=u8s") {
          $0.conditions = [
            OwnCondition(name: "mode", value: "2"), OwnCondition(name: "has_battery", value: "false"),
          ]
        },
      ])
  }

  @Test("Fields that are not given are zero, or missing at the end, and names need no unit")
  func zeros() throws {
    let layout = try ValueLayout(
      name: "",
      [
        Self.field("temp=i16*0.01°C"), Self.field("n=u8"), Self.field("crc8"),
        Self.field("end=u8") { $0.isOptional = true },
      ])
    func hex(_ fields: (name: String, text: String)...) throws -> String {
      Hex.string(try layout.encode(fields: fields))
    }
    #expect(try hex() == "00000000")
    #expect(try hex(("temp", "21"), ("n", "1")) == "340801e5")
    #expect(try hex(("temp_celsius", "0"), ("end", "5")) == "0000000005")
    for (fields, reason) in [
      ([("tmp", "1")], "is no field of the layout; did you mean temp?"),
      ([("temp", "1"), ("temp_celsius", "1")], "has a value already"),
      ([("n", "256")], "is out of range: 0 to 255 (n)"),
    ] as [([(name: String, text: String)], String)] {
      let error = try #require(throws: FormatError.self) { try layout.encode(fields: fields) }
      #expect(error.reason == reason)
    }
  }

  @Test("A list has a fixed number of elements, or none that is known")
  func elements() throws {
    let layout = try ValueLayout(compact: "a=u8 b=i16[3] c=f32[2]*0.5g d=bool[4] e=utf8[9] f=u8[u8]")
    #expect(
      ["a", "b", "c", "c_g", "d", "e", "f", "g"].map { layout.elementCount(of: $0) } == [
        1, 3, 2, 2, 4, 1, nil, 1,
      ])
  }

  @Test(
    "Bits are fields of their own, and decide which fields follow",
    arguments: [
      ("00006400", "mode=slow has_battery=no gain_db=0.0 rate_hz=100"),
      ("0f11640007 5f", "mode=fast has_battery=yes gain_db=-0.5 rate_hz=100 boost=7 battery_percent=95"),
      ("00026400 1e", "mode=off has_battery=no gain_db=0.0 rate_hz=100 idle_s=30"),
      ("08036400", "mode=unknown 3 has_battery=no gain_db=-4.0 rate_hz=100"),
      ("f0e06400", "mode=slow has_battery=no gain_db=0.0 rate_hz=100"),
    ])
  func bitsDecide(_ hex: String, _ expected: String) throws {
    let decoded = Self.decoded(try Self.motion(), hex.filter { $0 != " " })
    #expect(decoded == expected)
  }

  @Test(
    "The flags are determined by the fields that are given",
    arguments: [
      ("rate=100", "00006400"), ("rate=100 mode=fast boost=7", "0001640007"),
      ("rate=100 boost=7", "0001640007"),
      ("rate=100 battery=95", "001064005f"), ("rate=100 battery_percent=95 gain=-0.5", "0f1064005f"),
      ("rate=100 mode=off idle=30", "000264001e"), ("rate=100 mode=off battery=9", "0012640009"),
      ("mode=0 rate=1 has_battery=no", "00000100"), ("mode=unknown3 rate=1", "00030100"),
    ])
  func determined(_ text: String, _ hex: String) throws {
    let bytes = Hex.string(try Self.motion().encode(text))
    #expect(bytes == hex)
  }

  @Test(
    "Fields that exclude each other are refused",
    arguments: [
      ("rate=100 mode=fast", "'motion' needs boost"),
      ("rate=100 mode=slow boost=7", "'boost' does not go with the fields before it"),
      ("rate=100 battery=9 idle=3", "'idle_s' does not go with the fields before it"),
      ("rate=100 has_battery=yes", "'motion' needs battery_percent"),
      ("rate=100 gain=4", "'4' is out of range: -4.0 to 3.5 (gain_db)"),
      ("rate=100 mode=loud", "'loud' is none of: slow, fast, off (mode)"),
      ("mode=fast boost=1", "'motion' needs rate_hz"),
    ])
  func excluded(_ text: String, _ message: String) throws {
    let layout = try Self.motion()
    let error = #expect(throws: FormatError.self) { try layout.encode(text) }
    let shown = try #require(error).description
    #expect(shown == message)
  }

  /// A type in the first byte, and what follows for each.
  private static func message() throws -> ValueLayout {
    try ValueLayout(
      name: "message",
      [
        field("type=u8") { $0.values = [1: "reading", 7: "error"] },
        field("value=i16*0.1") { $0.conditions = [OwnCondition(name: "type", value: "reading")] },
        field("code=u8") { $0.conditions = [OwnCondition(name: "type", value: "error")] },
        field("text=utf8") { $0.conditions = [OwnCondition(name: "type", value: "7")] },
      ])
  }

  @Test("A whole field decides what follows, and must be given or follow from the others")
  func wholeField() throws {
    let layout = try Self.message()
    let texts = ["01e803", "070568616c74", "0900"].map { Self.decoded(layout, $0) }
    #expect(texts == ["type=reading value=100.0", "type=error code=5 text=halt", "type=unknown 9"])
    let bytes = try ["type=1 value=100", "value=100", "code=5 text=halt", "type=9"].map {
      Hex.string(try layout.encode($0))
    }
    #expect(bytes == ["01e803", "01e803", "070568616c74", "09"])
    let error = #expect(throws: FormatError.self) { try layout.encode("") }
    #expect(error?.description == "'' is not KEY=VALUE; the keys are type, value, code, text")
    let empty = #expect(throws: FormatError.self) { try layout.encode(DecodedFields()) }
    #expect(empty?.description == "'message' needs type")
  }

  @Test("Names and special values are words in both directions, in lists, too")
  func words() throws {
    let layout = try ValueLayout(
      name: "words",
      [
        Self.field("state=u8") { $0.values = [0: "off", 1: "on"] },
        Self.field("history=i8[2]") { $0.values = [-1: "lost", 0: "off"] },
        Self.field("level=u16*0.1%") { $0.specials = [0xffff: "unknown"] },
        Self.field("spare=u8") { $0.isOptional = true },
      ])
    let texts = ["01ff00ffff", "05fe000a0007"].map { Self.decoded(layout, $0) }
    #expect(
      texts == [
        "state=on history=lost, off level_percent=unknown",
        "state=unknown 5 history=unknown -2, off level_percent=1.0 spare=7",
      ])
    let bytes = try ["state=on history=lost,off level=unknown", "state=5 history=unknown -2,-1 level=1"].map {
      Hex.string(try layout.encode($0))
    }
    #expect(bytes == ["01ff00ffff", "05feff0a00"])
  }

  @Test("What motions and messages decode to, they encode to the same fields")
  func bothWays() throws {
    var generator = SeededGenerator(seed: 3)
    for layout in [try Self.motion(), try Self.message()] {
      var complete = 0
      for _ in 0..<2000 {
        let bytes = (0..<Int.random(in: 2...6, using: &generator)).map { _ in
          UInt8.random(in: 0...9, using: &generator)
        }
        let decoded = layout.decode(bytes)
        guard decoded.isComplete else { continue }
        complete += 1
        let again = layout.decode(try layout.encode(decoded))
        #expect(again == decoded, "\(Hex.string(bytes))")
      }
      #expect(complete > 100)
    }
  }

  private static func flagged(_ name: String) throws -> OwnField {
    try field("flags=u8") { $0.bits = [bits(name, 0...3)] }
  }

  private static let mistakes: [(@Sendable () throws -> [OwnField], String, String?, String)] = [
    (
      { [try field("x=i8") { $0.bits = [bits("a", 0...0)] }] }, "0", "bits",
      "has bits, so its format must be one of u8 to u64"
    ),
    (
      { [try field("x=u8*2") { $0.bits = [bits("a", 0...0)] }] }, "0", "bits",
      "has bits, so scale, unit, values and count belong to those"
    ),
    ({ [try field("x=u8") { $0.bits = [bits("a", 7...8)] }] }, "0", "bits", "'a' has bits outside of 0 to 7"),
    (
      { [try field("x=u8") { $0.bits = [bits("a", 0...3), bits("b", 3...4)] }] }, "0", "bits",
      "'b' shares bits with another field"
    ),
    (
      { [try field("x=u8") { $0.bits = [bits("A", 0...3)] }] }, "0", "bits",
      "has the name 'A', which is not of lower-case letters, digits and '_'; write a"
    ),
    (
      { [try field("x=u8"), try field("y=u8") { $0.conditions = [OwnCondition(name: "z", value: "1")] }] },
      "1",
      "when",
      "depends on 'z', which is no earlier integer, nor bits of one; a condition names an earlier integer"
    ),
    (
      {
        [try flagged("mode"), try field("y=u8") { $0.conditions = [OwnCondition(name: "node", value: "1")] }]
      }, "1",
      "when",
      "depends on 'node', which is no earlier integer, nor bits of one; a condition names an earlier integer"
    ),
    (
      {
        [
          try flagged("mode"),
          try field("y=u8") { $0.conditions = [OwnCondition(name: "mode", value: "16")] },
        ]
      }, "1",
      "when", "'16' is out of range: 0 to 15"
    ),
    (
      {
        [try flagged("mode"), try field("y=u8") { $0.conditions = [OwnCondition(name: "mode", value: "x")] }]
      }, "1",
      "when", "'x' is not a number"
    ),
    (
      {
        [
          try flagged("mode"),
          try field("y=u8") {
            $0.conditions = [OwnCondition(name: "mode", value: "1"), OwnCondition(name: "mode", value: "2")]
          },
        ]
      }, "1", "when", "can never be present: its conditions contradict each other"
    ),
    (
      { [try field("x=utf8") { $0.values = [1: "on"] }] }, "0", "values",
      "has names of values, and is not a number"
    ),
    (
      { [try field("x=u8*2") { $0.values = [1: "on"] }] }, "0", "values",
      "has names for its values, so it has neither scale nor unit; use specials"
    ),
    (
      { [try field("x=u8") { $0.values = [256: "on"] }] }, "0", "values",
      "has a name for 256, which does not fit u8"
    ),
    (
      { [try field("x=i8") { $0.specials = [128: "on"] }] }, "0", "specials",
      "has a word for 128, which does not fit i8"
    ),
    (
      { [try field("x=f32") { $0.specials = [1: "on"] }] }, "0", "specials",
      "names values, and is not an integer"
    ),
    (
      { [try field("x=u8") { $0.isOptional = true }, try field("y=u8")] }, "1", nil,
      "follows a field that may be missing, so it may be missing, too"
    ),
  ]

  @Test("A mistake is told with the field and its property", arguments: mistakes.indices)
  func mistake(_ index: Int) throws {
    let (fields, field, key, reason) = Self.mistakes[index]
    let described = try fields()
    let error = #expect(throws: OwnLayoutError.self) { try ValueLayout(name: "x", described) }
    #expect(error?.field == Int(field))
    #expect(error?.key == key)
    #expect(error?.reason == reason)
  }
}
