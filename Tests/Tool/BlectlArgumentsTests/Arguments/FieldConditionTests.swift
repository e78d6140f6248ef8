// SPDX-License-Identifier: MIT
import Testing

@testable import BLECentral
@testable import BlectlArguments
@testable import ValueStreams

@Suite("Conditions on fields")
struct FieldConditionTests {
  private func holds(_ condition: String, _ values: [String: DecodedValue]) throws -> Bool? {
    try AlarmArgument(parsing: condition).condition.holds { values[$0] }
  }

  @Test(
    "'and' joins more than 'or', 'not' belongs to what follows it, and parentheses change that",
    arguments: [
      ("a > 1", true), ("a>1", true), ("not a > 1", false), ("not not a > 1", true),
      ("a > 1 or b > 1 and c > 1", true), ("(a > 1 or b > 1) and c > 1", false),
      ("not a > 5 and b = 0", true), ("not (a > 5 or b = 0)", false), ("a 1..3 and b 0..0", true),
      ("d = yes", true), ("d = true", true), ("d != no", true), ("d = no", false), ("s = 'not and'", true),
      ("s = \"not and\" and a >= 2", true), ("l > 8", true), ("l > 9", false), ("a = 2.0", true),
      ("a != 2", false), ("a => 2", true), ("a=>3", false), ("a =< 2", true), ("a <> 2", false),
      ("a ≥ 2 and a≤2", true),
    ])
  func truth(_ condition: String, _ expected: Bool) throws {
    let values: [String: DecodedValue] = [
      "a": 2, "b": 0, "c": 0, "d": true, "s": "not and", "l": .list([1, 9]),
    ]
    #expect(try holds(condition, values) == expected)
  }

  @Test(
    "What depends on a missing field is unknown",
    arguments: [
      ("x > 1", nil), ("not x > 1", nil), ("x > 1 or a > 1", true), ("x > 1 and a > 1", nil),
      ("x > 1 and a > 5", false), ("x > 1 or a > 5", nil),
    ] as [(String, Bool?)])
  func missing(_ condition: String, _ expected: Bool?) throws {
    #expect(try holds(condition, ["a": 2]) == expected)
  }

  @Test("An alarm has a time and second bounds")
  func alarms() throws {
    let alarm = try AlarmArgument(parsing: "(t > 25 until < 24 or t < 5 until >= 6) and d = yes for 1.5m")
    #expect(alarm.time == .seconds(90))
    #expect(alarm.condition.names == ["t", "d"])
    #expect(
      alarm.condition.comparisons.map(\.end) == [
        .ordered(.less, 24), .ordered(.atLeast, 6), nil,
      ])
    let comparison = alarm.condition.comparisons[0]
    #expect(comparison.holds(26) == true)
    #expect(comparison.holds(24) == nil)
    #expect(comparison.holds(23) == false)
    #expect(try AlarmArgument(parsing: "t > 25").time == nil)
    #expect(try AlarmArgument(parsing: "My Lamp: t > 25").device == .name(NamePattern("My Lamp")))
    #expect(try AlarmArgument(parsing: "state = \"hot: now\"").device == nil)
    #expect(try AlarmArgument(parsing: "state = a:b").device == nil)
    let close = try AlarmArgument(parsing: "Garden:temperature > -15 until < -16")
    #expect(close.device == .name(NamePattern("Garden")) && close.condition.names == ["temperature"])
    #expect(try AlarmArgument(parsing: "F0:F1:F2:F3:F4:F5:t > 25").device?.description == "F0:F1:F2:F3:F4:F5")
    #expect(throws: ArgumentError.self) { try AlarmArgument(parsing: "F0:F1:F2:F3:F4: t > 25") }
    #expect(try AlarmArgument(parsing: "t > 25 until 20..24").condition.comparisons[0].end == .within(20, 24))
  }

  @Test(
    "A text that is no condition is refused with a reason",
    arguments: [
      ("", "'' is not a condition, such as temperature_celsius > 25"),
      ("t", "'t' needs a comparison behind it, such as '> 25' or '20..25', all in one pair of quotes"),
      ("t > -15°C", "'-15°C' is not a number; write it without a unit, which the field has: -15"),
      ("t < 50%", "'50%' is not a number; write it without a unit, which the field has: 50"),
      ("t 20..25°C", "'25°C' is not a number; write it without a unit, which the field has: 25"),
      ("t > 1,5", "'1,5' is not a number; write it with a point: 1.5"),
      ("t >", "'>' needs a value behind it"), ("t > hot", "'hot' is not a number"),
      (
        "Living Room t > 5", "'Living Room' needs a colon behind it, if it is a device: 'Living Room: t …'"
      ),
      ("t hot", "'t' needs a comparison behind it, such as '> 25' or '20..25'"),
      ("t > 5 and", "'and' needs a comparison behind it, such as temperature_celsius > 25"),
      ("and t > 5", "'and' is not the name of a field"),
      ("> 5 bpm", "'>' needs the name of a field before it, such as temperature_celsius > 25"),
      (
        "t > 5 °C",
        "'°C' is not expected here: the number has the unit of its field; join comparisons with 'and' or 'or'"
      ),
      ("t > 5 u < 3", "'u' is not expected here; join comparisons with 'and' or 'or'"),
      ("(t > 5", "'(' needs a ')' after it"),
      ("t > 5)", "')' is not expected here; join comparisons with 'and' or 'or'"),
      ("5 > t", "'5' is not the name of a field"), ("t = 'x", "''x' has no second quote"),
      ("t > 25 until < 26", "'t' cannot begin and end at once: both bounds hold for 25.5"),
      ("t > 25 until > 24", "'t' cannot begin and end at once: both bounds hold for 26"),
      ("t > 5 for", "'for' needs a duration behind it, such as 5m"),
      ("t > 5 for long", "'long' is not a duration; use 500ms, 10s, 2m, 1h, 1d, or 0 for no limit"),
      ("t > 5 for 5m and u > 3", "'and' stands behind 'for', which is the end of a condition"),
    ])
  func refusals(_ text: String, _ expected: String) {
    let error = #expect(throws: ArgumentError.self) { try AlarmArgument(parsing: text) }
    #expect(error?.description == expected)
  }

  @Test("A condition may be nested, but not for ever")
  func depth() {
    let deep = String(repeating: "(", count: 10_000) + "t > 5"
    let error = #expect(throws: ArgumentError.self) { try AlarmArgument(parsing: deep) }
    #expect(error?.description == "'(' is nested too deeply")
    #expect(throws: Never.self) { try AlarmArgument(parsing: String(repeating: "not ", count: 40) + "t > 5") }
  }

  @Test(
    "'expect' takes conditions, and texts behind a FORMAT to the end",
    arguments: [
      ("heart_rate_bpm > 40 and heart_rate_bpm < 60", 0x2a37, ["0029"], ["0028", "003c", "00"]),
      ("not heart_rate_bpm 40..60", 0x2a37, ["0027"], ["0028", "00"]),
      ("(heart_rate_bpm = 1 or heart_rate_bpm = 2)", 0x2a37, ["0001", "0002"], ["0003"]),
      ("sensor_contact = yes and heart_rate_bpm > 5", 0x2a37, ["0628"], ["0428", "0028"]),
      ("sensor_contact = true", 0x2a37, ["0628"], ["0428"]),
      ("utf8 = up and (down)", 0xffe2, ["757020616e642028646f776e29"], ["7570"]),
    ] as [(String, UInt16, [String], [String])])
  func patterns(_ text: String, _ uuid: UInt16, _ good: [String], _ bad: [String]) throws {
    let attribute = AttributeIdentity(BluetoothUUID(short: uuid))
    let pattern = try ValuePattern([text], for: attribute)
    let meaning = ValueMeaning(of: attribute)
    for digits in good { #expect(pattern.matches(try #require(Hex.bytes(digits)), meaning), "\(digits)") }
    for digits in bad { #expect(!pattern.matches(try #require(Hex.bytes(digits)), meaning), "\(digits)") }
  }

  @Test(
    "'expect' takes neither times nor second bounds, and no unknown fields",
    arguments: [
      ("heart_rate_bpm > 5 and heart_rate_bpm > 9 until < 8", "'until' is only for alarms (--when)"),
      (
        "heart_rate_bpm > 5 and heart_rat > 9",
        "'heart_rat' is not a field of 2a37; did you mean heart_rate_bpm?"
      ),
    ])
  func patternRefusals(_ text: String, _ expected: String) {
    let attribute = AttributeIdentity(BluetoothUUID(short: 0x2a37))
    let error = #expect(throws: ArgumentError.self) { try ValuePattern([text], for: attribute) }
    #expect(error?.description == expected)
  }

  @Test("What was compared is shown: all fields of a condition, and those that are missing")
  func shown() throws {
    let attribute = AttributeIdentity(BluetoothUUID(short: 0x2a37))
    let pattern = try ValuePattern(["heart_rate_bpm > 40 and energy_expended_kj > 5"], for: attribute)
    let meaning = ValueMeaning(of: attribute)
    #expect(pattern.shown([0, 30], meaning) == "heart_rate_bpm 30 (001e)")
    #expect(pattern.shown([8, 30, 7, 0], meaning) == "heart_rate_bpm 30, energy_expended_kj 7 (081e0700)")
    #expect(pattern.shown([], nil) == "no bytes, without heart_rate_bpm and energy_expended_kj")
  }
}
