// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

@Suite("Fields of advertised formats")
struct AdvertisedFieldsTests {
  @Test("Every value of every format is a known field of its type, with that type")
  func known() {
    var (missing, others, types): (Set<String>, Set<String>, Set<String>) = ([], [], [])
    var kinds: [String: [String: FieldKind]] = [:]
    for type in AdvertisedFormats.types {
      kinds[type] = Dictionary(AdvertisedFormats.fields(of: type).map { ($0.key, $0.kind) }) { $1 }
    }
    SampleFormats.forEach { format in
      types.insert(format.type)
      for field in format.fields.fields where !AdvertisedFormats.isUnknownObject(field.key) {
        let known = kinds[format.type]?[field.key] ?? kinds[format.type]?[Self.withoutNumber(field.key)]
        if known == nil { missing.insert("\(format.type): \(field.key)") }
        // A word can stand in the place of another value.
        if let known, known != field.value.kind, field.value.kind != .text {
          others.insert("\(format.type): \(field.key) is \(field.value)")
        }
      }
    }
    #expect(missing.sorted() == [])
    #expect(others.sorted() == [])
    #expect(types == Set(AdvertisedFormats.types))
  }

  @Test("Every value of every format is one that its field can have")
  func values() {
    var wrong: Set<String> = []
    let fields = Dictionary(
      uniqueKeysWithValues: AdvertisedFormats.types.map { type in
        (type, Dictionary(uniqueKeysWithValues: AdvertisedFormats.fields(of: type).map { ($0.key, $0) }))
      })
    SampleFormats.forEach { format in
      for field in format.fields.fields where !AdvertisedFormats.isUnknownObject(field.key) {
        let known = fields[format.type]?[field.key] ?? fields[format.type]?[Self.withoutNumber(field.key)]
        guard let known else { continue }
        for value in field.value.elements where !known.values.contains(value.text) {
          wrong.insert("\(format.type): \(field.key) is \(value.text), and should be \(known.values)")
        }
      }
    }
    #expect(wrong.sorted() == [])
  }

  @Test("Every value of every standard characteristic is one that its field can have")
  func standardValues() {
    var wrong: Set<String> = []
    var random = SeededGenerator(seed: 7)
    for number in ValueLayout.numbers {
      guard let layout = ValueLayout(for: BluetoothUUID(short: number)) else { continue }
      let fields = Dictionary(uniqueKeysWithValues: layout.knownFields.map { ($0.key, $0.values) })
      for count in 0..<200 {
        let bytes = (0..<count % 24).map { _ in UInt8.random(in: 0...255, using: &random) }
        for field in layout.decode(bytes).fields {
          for value in field.value.elements where fields[field.key]?.contains(value.text) == false {
            wrong.insert("\(number): \(field.key) is \(value.text)")
          }
        }
      }
    }
    #expect(wrong.sorted() == [])
  }

  private static func withoutNumber(_ key: String) -> String {
    guard let end = key.lastIndex(of: "_"), Int(key[key.index(after: end)...]) != nil else { return key }
    return String(key[..<end])
  }

  @Test("No value of any format has the key of another one, or one with another meaning in JSON")
  func unique() {
    var wrong: Set<String> = []
    SampleFormats.forEach { format in
      let keys = format.namedFields.fields.map(\.key)
      if Set(keys).count != keys.count { wrong.insert("\(format.type): \(keys)") }
      for key in keys where DecodedFields.reservedAdvertisedKeys.contains(key) {
        wrong.insert("\(format.type): \(key)")
      }
    }
    #expect(wrong.sorted() == [])
  }

  @Test("A key that is reserved, or that stands already, gets a number that no other field has")
  func numbers() {
    var fields = DecodedFields()
    for key in ["type", "a", "rssi_dbm", "a", "a_2", "type_2"] { fields.add(key, .text(key)) }
    let unique = fields.withUniqueKeys(besides: DecodedFields.reservedAdvertisedKeys)
    #expect(unique.fields.map(\.key) == ["type_3", "a", "rssi_dbm_2", "a_3", "a_2", "type_2"])
    #expect(unique.fields.map(\.value) == fields.fields.map(\.value))
  }

  @Test(
    "A field is named by its key, or by its key without the unit",
    arguments: [
      ("temperature_celsius", "temperature"), ("pm2_5_ug_per_m3", "pm2_5"), ("battery_percent", "battery"),
      ("rssi_at_1m_dbm", "rssi_at_1m"), ("volume_flow_rate_m3_per_h", "volume_flow_rate"),
    ])
  func names(_ key: String, _ name: String) {
    let field = DecodedFields.Field(key: key, value: 1, label: "", unit: "")
    #expect(field.isNamed(key))
    #expect(field.isNamed(name))
    #expect(!field.isNamed(String(name.dropLast())))
    #expect(KnownField(key, .number).alias == name)
  }

  @Test("Standard values have their fields without the unit, too, unless several have that name")
  func standard() throws {
    let temperature = try #require(ValueLayout(for: 0x2a6e))
    #expect(temperature.key(named: "temperature") == "temperature_celsius")
    #expect(temperature.key(named: "temp") == nil)
    let own = try ValueLayout(compact: "a=u8mV b=u8 a_percent=u8")
    #expect(own.key(named: "a") == "a_mv")
    #expect(own.key(named: "b") == "b")
  }
}

extension DecodedValue {
  fileprivate var elements: [DecodedValue] { if case .list(let values) = self { values } else { [self] } }
}
