// SPDX-License-Identifier: MIT
import BLEFormats
import JSON
import Testing

@testable import BLEWorld

@Suite("Values by a layout")
struct LayoutRuleTests {
  /// The rule that a world file describes by this object.
  private func rule(_ json: String) throws -> LayoutRule {
    let text = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "services": [{"uuid": "ffe0", "characteristics": [
        {"uuid": "ffe1", "properties": ["notify"], "notifies": \(json)}]}]}]}
      """
    let world = try World(json: Array(text.utf8), name: "w") { log throws(WorldFileError) in
      throw WorldFileError(log, cause: "none")
    }
    let notifying = world.peripherals[0].services[0].characteristics[0].notifying
    guard case .generate(.layout(let rule), _) = notifying else { throw FormatError(json, "is no layout") }
    return rule
  }

  private func values(_ rule: LayoutRule, _ count: Int) -> [[UInt8]] {
    var sequence = ValueSequence(.layout(rule)) { CivilTime(microseconds: 86_400_000_000) }
    return (0..<count).compactMap { _ in sequence.next() }
  }

  /// What the values mean by their own layout; wrong checksums are among the problems.
  private func texts(_ rule: LayoutRule, _ count: Int) -> [String] {
    values(rule, count).map { value in
      let decoded = rule.layout.layout.decode(value)
      return ([decoded.text] + decoded.problems).joined(separator: "; ")
    }
  }

  @Test("Each field changes by its own rule, and the checksum is that of the bytes before it")
  func fields() throws {
    let rule = try rule(
      """
      {"layout": "temp=i16*0.01°C n=u8 crc16-modbus", "fields": {
        "temp": {"sine": {"middle": 21, "amplitude": 5, "period": 4}}, "n": {"counter": {"from": 254}}}}
      """)
    #expect(
      values(rule, 5).map { Hex.string($0) } == [
        "3408feb64e", "280affb728", "3408feb64e", "4006ff33f4", "3408feb64e",
      ])
  }

  @Test(
    "Every checksum of a layout fits the values",
    arguments: ["xor8", "sum8", "crc8", "crc16-modbusbe", "crc16-ccitt", "crc32", "crc32be"])
  func checksums(_ word: String) throws {
    let rule = try rule(
      #"{"layout": "level=u16 \#(word) tail=u8", "fields": {"level": {"random": {"least": 0, "greatest": 65535}}}}"#
    )
    let layout = rule.layout.layout
    let values = values(rule, 50)
    #expect(values.allSatisfy { layout.decode($0).problems.isEmpty })
    #expect(Set(values).count > 40)
    var wrong = values[0]
    wrong[0] ^= 1
    #expect(!layout.decode(wrong).problems.isEmpty)
  }

  @Test("Fields without a rule are zero, empty or left out, also behind flags")
  func others() throws {
    let zero = try rule(
      #"{"layout": ["a=i16+36.5", "name=utf8[3]", "_[2]", "list=u8[u8]", {"name": "end", "format": "u8", "optional": true}]}"#
    )
    #expect(values(zero, 1) == [[0, 0, 0, 0, 0, 0, 0, 0]])
    let flags =
      #"{"name": "flags", "format": "u8", "bits": [{"name": "mode", "bits": "0-1", "values": ["slow", "fast"]}]}"#
    let boost = #"{"name": "boost", "format": "u8", "when": {"mode": "fast"}}"#
    let mode = try rule(
      #"{"layout": [\#(flags), \#(boost), "n=u8"], "fields": {"mode": {"list": ["slow", "fast"]}, "n": 7}}"#)
    #expect(values(mode, 3) == [[0, 7], [1, 0, 7], [0, 7]])
    let given = try rule(#"{"layout": [\#(flags), \#(boost), "n=u8"], "fields": {"boost": 9}}"#)
    #expect(values(given, 1) == [[1, 9, 0]])
  }

  @Test("The numbers of a rule fill a list, and an array gives each element its own rule")
  func lists() throws {
    let wave = try rule(
      #"{"layout": "wave=i8[3]", "fields": {"wave": {"ramp": {"from": -2, "to": 2, "period": 5}}}}"#)
    #expect(texts(wave, 3) == ["-2 -1 0", "1 2 -2", "-1 0 1"])
    let accel = try rule(
      """
      {"layout": "accel=i16[3]*0.001g", "fields": {"accel":
        [{"counter": {"step": 0.5, "to": 1}}, {"list": [-1, 1]}, 0.98]}}
      """)
    #expect(
      texts(accel, 4) == [
        "0.000 -1.000 0.980 g", "0.500 1.000 0.980 g", "1.000 -1.000 0.980 g", "0.000 1.000 0.980 g",
      ])
    let texts = try rule(#"{"layout": "points=u8[]", "fields": {"points": {"list": ["1,2", "3"]}}}"#)
    #expect(values(texts, 3) == [[1, 2], [3], [1, 2]])
  }

  @Test("An open counter restarts where its field has no room, in a list, too")
  func counters() throws {
    let rule = try rule(
      """
      {"layout": "half=u8*0.5 list=u8[2] pair=u8[2]", "fields": {"half": {"counter": {"from": 127}},
        "list": {"counter": {"from": 253}}, "pair": [{"counter": {"from": 255}}, 4]}}
      """)
    #expect(values(rule, 2) == [[254, 253, 254, 255, 4], [254, 255, 253, 255, 4]])
  }

  @Test("Random numbers stay within their bounds, and depend only on their seed")
  func random() throws {
    func random(_ seed: Int) throws -> [[UInt8]] {
      let rule = try rule(
        #"{"layout": "level=u8", "fields": {"level": {"random": {"least": 10, "greatest": 20, "seed": \#(seed)}}}}"#
      )
      return values(rule, 200)
    }
    let first = try random(1)
    #expect(try random(1) == first)
    #expect(try random(2) != first)
    #expect(first.allSatisfy { (10...20).contains($0[0]) })
    #expect(Set(first).count == 11)
  }

  @Test("A word now is the time of each value")
  func now() throws {
    let rule = try rule(#"{"layout": "at=unix n=u8", "fields": {"at": "now", "n": {"counter": {}}}}"#)
    #expect(values(rule, 2) == [[0x80, 0x51, 1, 0, 0], [0x80, 0x51, 1, 0, 1]])
  }

  @Test("Before the first notification, a value is the first one of its layout, unless the file gives one")
  func initialValue() throws {
    let rule = try rule(#"{"layout": "n=u8", "fields": {"n": {"counter": {"from": 7}}}}"#)
    let notifying = NotifyBehaviour.generate(.layout(rule), every: .seconds(1))
    let uuid = BluetoothUUID(0xFFE1)
    #expect(CharacteristicSpec(uuid, 0x12, notifying: notifying).initialValue == [7])
    #expect(CharacteristicSpec(uuid, 0x12, value: [1], notifying: notifying).initialValue == [1])
    #expect(CharacteristicSpec(uuid, 0x12).initialValue == [0])
  }

  @Test("Names of one's own do not change the names of fields")
  func ownNames() throws {
    let text = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "services": [{"uuid": "ffe0", "characteristics": [
        {"uuid": "lamp", "properties": ["notify"], "notifies": {
          "layout": [{"name": "service", "format": "u8", "values": ["lamp", "fan"]}], "fields": {"service": "fan"}}}]}]}]}
      """
    let world = try World(json: Array(text.utf8), name: "w", load: { _ throws(WorldFileError) in [] }) {
      name, _ in
      ["lamp", "fan"].contains(name) ? BluetoothUUID(0xFFE1) : nil
    }
    let lamp = world.peripherals[0].services[0].characteristics[0]
    #expect(lamp.uuid == BluetoothUUID(0xFFE1))
    #expect(lamp.initialValue == [1])
  }
}
