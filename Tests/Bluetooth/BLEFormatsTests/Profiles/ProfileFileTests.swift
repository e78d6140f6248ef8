// SPDX-License-Identifier: MIT
internal import JSON
internal import TestSupport
internal import Testing

@testable internal import BLEFormats

@Suite("Profile file")
struct ProfileFileTests {
  private static let climate = "b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa"

  private static let complete = """
    {
      "$schema": "https://example.org/profile.schema.json", "comment": "All keys.",
      "devices": [{"name": "Attic", "address": "C8:0F:10:01:02:03", "notes": "behind the beam"}, {"name": "Tag", "identity": "tag"}],
      "services": [{"uuid": "fff0", "name": "Motion"}, {"uuid": "180f", "name": "Charge", "replaces": true}],
      "characteristics": [
        {"uuid": "\(climate)", "name": "climate", "layout": "temperature=i16*0.01°C humidity=u8*0.5%"},
        {"uuid": "fff1", "service": "fff0", "device": "Sensor-*", "name": "imu", "layout": [
          {"name": "flags", "format": "u16", "bits": [
            {"name": "mode", "bits": "0-1", "values": ["slow", "fast"]}, {"name": "has_time", "bits": 4},
            {"name": "gain", "bits": "8-11", "signed": true, "scale": 0.5, "unit": "dB"}]},
          "rate=u16Hz",
          {"format": "_", "count": 2},
          {"name": "state", "format": "u8", "values": {"0": "off", "0xff": "error"}},
          {"name": "level", "format": "u16", "scale": 3.3, "divisor": 4096, "offset": -0.1, "unit": "V", "specials": {"65535": "unknown"}},
          {"name": "at", "format": "unix", "when": "has_time"},
          {"name": "boost", "format": "u8", "when": {"mode": "fast", "has_time": false}},
          {"name": "samples", "format": "i16be", "count": "u8", "optional": true}]},
        {"uuid": "2a19", "name": "charge", "layout": "u8%", "replaces": true}
      ],
      "descriptors": [{"uuid": "fff2", "name": "label", "layout": "utf8"}],
      "advertisements": [
        {"company": "ffff", "prefix": "01 02", "name": "Our sensor", "layout": "temperature=i16*0.01°C"},
        {"service": "fff0", "device": "Lab*", "name": "Beacon", "type": "lab", "layout": ["u8", {"format": "hex", "count": "rest"}]}
      ]
    }
    """

  @Test("Every key is read")
  func everyKey() throws {
    let profile = try Profile(parsing: Self.complete.utf8, source: "a.json")
    let profiles = Profiles([profile])
    #expect(profile.devices.map(\.name) == ["Attic", "Tag"])
    #expect(profile.devices[1].identity == "tag")
    #expect(profiles.name(ofService: .batteryService) == "Charge")
    let uuid = try #require(BluetoothUUID(Self.climate))
    let climate = try #require(profiles.layout(for: uuid))
    #expect(climate.name == "climate")
    #expect(climate.decode([0x34, 0x08, 0x5e]).text == "temperature 21.00 °C, humidity 47.0 %")
    let sensor = ProfileSubject(names: ["Sensor-4"])
    let imu = try #require(
      profiles.layout(
        for: BluetoothUUID(short: 0xfff1), service: BluetoothUUID(short: 0xfff0), device: sensor))
    let bytes: [UInt8] = [0x11, 0x0f, 100, 0, 9, 9, 0xff, 0xff, 0xff, 0, 0, 0, 0, 2, 0, 1, 0xff, 0xff]
    #expect(
      imu.decode(bytes).text
        == "mode fast, has time yes, gain -0.5 dB, rate 100 Hz, state error, level unknown, at 1970-01-01 00:00:00 UTC, samples 1 -1"
    )
    #expect(imu.keys.contains("level_v"))
    #expect(profiles.layout(forDescriptor: BluetoothUUID(short: 0xfff2))?.keys == ["value"])
    #expect(profiles.decode(.manufacturer(0xffff, [1, 2, 0x34, 8]))?.text == "Our sensor 21.00 °C")
    #expect(
      profiles.decode(
        .service(BluetoothUUID(short: 0xfff0), [1, 2]), in: AdvertisedContext(localName: "Lab 1"))?.type
        == "lab")
  }

  @Test("A file that is read when it is needed has the same entries, and tells its mistakes once")
  func lazily() throws {
    let told = ToldErrors()
    let good = try ProfileFile(Array(Self.complete.utf8), source: "a.json") { told.add($0) }
    let bad = try ProfileFile(
      Array(#"{"characteristics": [{"uuid": "fff7", "name": "x", "layout": "u61"}], "devices": 1}"#.utf8),
      source: "b.json"
    ) { told.add($0) }
    let profiles = Profiles([], files: [bad, good])
    #expect(profiles.name(ofCharacteristic: try #require(BluetoothUUID(Self.climate))) == "climate")
    #expect(profiles.characteristics(named: "Climate").map(\.description) == [Self.climate])
    #expect(profiles.name(ofService: BluetoothUUID(short: 0xfff0)) == "Motion")
    #expect(told.errors.isEmpty)
    #expect(profiles.layout(for: BluetoothUUID(short: 0xfff7)) == nil)
    #expect(profiles.devices.count == 2)
    #expect(told.errors.map(\.description) == ["b.json: 2 mistakes"])
    #expect(throws: ProfileError.self) { try ProfileFile([0x7b], source: "c.json") { told.add($0) } }
  }

  @Test("What a file means is the same after it was written")
  func written() throws {
    let document = try ObjectCodec<ProfileDocument>.profile.read(try JSONReader.read(Self.complete.utf8))
    var json = JSONWriter(layout: .indented)
    ObjectCodec<ProfileDocument>.profile.codec.write(document, &json)
    let again = try ObjectCodec<ProfileDocument>.profile.read(try JSONReader.read(json.bytes))
    #expect(again.devices == document.devices && again.services == document.services)
    #expect(again.characteristics.map(\.name) == document.characteristics.map(\.name))
    #expect(again.characteristics[0] == document.characteristics[0])
    #expect(again.characteristics[2] == document.characteristics[2])
    #expect(again.descriptors == document.descriptors)
    #expect(again.advertisements == document.advertisements)
  }

  private static func characteristic(_ rest: String) -> String {
    #"{"characteristics": [{"uuid": "fff1", "name": "x", "# + rest + "}]}"
  }

  private static let hostile: [(text: String, mistakes: [String])] = [
    ("", ["1:1: expected a value, found the end of the text"]),
    ("[]", ["1:1: expected an object, found an array"]),
    ("{\"devices\": [],}", ["1:16: expected a key in quotes, found \"}\""]),
    (
      #"{"devices": [], "devices": []}"#,
      ["1:17: /devices: expected each key once, found \"devices\" again (first at 1:2)"]
    ),
    (
      #"{"charakteristics": []}"#,
      [
        "1:2: /charakteristics: expected a key of a profile, found \"charakteristics\": did you mean \"characteristics\"?"
      ]
    ),
    (#"{"devices": {}}"#, ["1:13: /devices: expected an array of devices, found an object"]),
    (
      #"{"devices": [{"name": "A"}]}"#,
      ["1:14: /devices/0: expected the key \"address\" or \"identity\", found neither"]
    ),
    (
      #"{"devices": [{"name": "A", "address": "C8:0F"}]}"#,
      ["1:39: /devices/0/address: expected an address such as \"C8:0F:10:01:02:03\", found \"C8:0F\""]
    ),
    (
      #"{"devices": [{"name": "C8:0F:10:01:02:03", "identity": "a"}]}"#,
      [
        "1:23: /devices/0/name: expected a name of at most 248 bytes that is no address, found \"C8:0F:10:01:02:03\""
      ]
    ),
    (
      #"{"devices": [{"name": "A", "identity": "a"}, {"name": "A", "identity": "b"}]}"#,
      ["1:55: /devices/1/name: expected each name once, found \"A\" again (first at /devices/0)"]
    ),
    (
      #"{"characteristics": [{"uuid": "imu", "name": "x"}]}"#,
      [
        "1:31: /characteristics/0/uuid: expected a UUID such as \"fff1\" or \"b1ec0001-5c0e-4b1e-a5d2-6b2f0c7e91aa\", found \"imu\""
      ]
    ),
    (
      #"{"characteristics": [{"uuid": "fff1"}, {"name": "x"}]}"#,
      [
        "1:22: /characteristics/0: expected the key \"name\", which is missing",
        "1:40: /characteristics/1: expected the key \"uuid\", which is missing",
      ]
    ),
    (
      #"{"characteristics": [{"uuid": "2a19", "name": "charge"}]}"#,
      [
        "1:31: /characteristics/0/uuid: expected \"replaces\": true with it, since 2a19 is the standard characteristic Battery Level"
      ]
    ),
    (
      #"{"characteristics": [{"uuid": "fff1", "name": "battery-level"}]}"#,
      [
        "1:47: /characteristics/0/name: expected a name of your own, found \"battery-level\", the standard name of 2a19"
      ]
    ),
    (
      #"{"characteristics": [{"uuid": "fff1", "name": "abcd"}]}"#,
      [
        "1:47: /characteristics/0/name: expected a name of at most 64 bytes that is no UUID, begins with no \"@\" and has no \"/\", found \"abcd\""
      ]
    ),
    (
      #"{"characteristics": [{"uuid": "fff1", "name": "a\u001b[2J"}]}"#,
      [
        "1:47: /characteristics/0/name: expected a name of at most 64 bytes that is no UUID, begins with no \"@\" and has no \"/\", found \"a\\u001b[2J\""
      ]
    ),
    (
      #"{"characteristics": [{"uuid": "fff1", "name": "x"}, {"uuid": "FFF1", "name": "y"}]}"#,
      [
        "1:62: /characteristics/1/uuid: expected each uuid once, found \"FFF1\" again (first at /characteristics/0)"
      ]
    ),
    (
      characteristic(#""layout": "u16 u61""#),
      [
        "1:62: /characteristics/0/layout: expected a layout, found a wrong word: 'u61' is not a format; did you mean u16, or u64?"
      ]
    ),
    (
      characteristic(#""layout": 5"#),
      [
        "1:62: /characteristics/0/layout: expected a layout: a text such as \"temperature=i16*0.01°C battery=u8%\", or an array of fields, found 5"
      ]
    ),
    (
      characteristic(#""layout": []"#),
      [
        "1:62: /characteristics/0/layout: expected a layout: a text such as \"temperature=i16*0.01°C battery=u8%\", or an array of fields, found an array"
      ]
    ),
    (
      characteristic(#""layout": [{"name": "a"}, "b=u8", "b=u8*"]"#),
      [
        "1:63: /characteristics/0/layout/0: expected the key \"format\", which is missing",
        "1:86: /characteristics/0/layout/2: expected a field, found a wrong word: 'b=u8*' has no number as its scale",
      ]
    ),
    (
      characteristic(#""layout": ["a=u8", {"name": "a", "format": "u8"}]"#),
      [
        "1:80: /characteristics/0/layout/1/name: expected a possible layout; this field has the name 'a' of another field"
      ]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "scale": "half"}]"#),
      ["1:89: /characteristics/0/layout/0/scale: expected a number, found \"half\""]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "scale": 0}]"#),
      [
        "1:89: /characteristics/0/layout/0/scale: expected a possible layout; this field has the scale 0, with which all numbers are equal"
      ]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "count": 0}]"#),
      [
        "1:89: /characteristics/0/layout/0/count: expected a number from 1 to 512, \"rest\", \"u8\", \"u16\" or \"u16be\", found 0"
      ]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "bits": [{"name": "a", "bits": "7-8"}]}]"#),
      [
        "1:89: /characteristics/0/layout/0/bits/0: expected a possible layout; this field 'a' has bits outside of 0 to 7"
      ]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "bits": [{"name": "a", "bits": "3-1"}]}]"#),
      [
        "1:111: /characteristics/0/layout/0/bits/0/bits: expected a bit such as 4, or bits such as \"0-3\", found \"3-1\""
      ]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "when": "flag"}]"#),
      [
        "1:88: /characteristics/0/layout/0/when: expected a possible layout; this field depends on 'flag', which is no earlier integer, nor bits of one; a condition names an earlier integer"
      ]
    ),
    (
      characteristic(#""layout": [{"format": "u8", "values": {"one": "on"}}]"#),
      [
        "1:91: /characteristics/0/layout/0/values/one: expected a number such as \"255\" or \"0xff\", found \"one\""
      ]
    ),
    (
      #"{"advertisements": [{"name": "A", "layout": "u8"}]}"#,
      ["1:21: /advertisements/0: expected the key \"company\" or \"service\", found neither"]
    ),
    (
      #"{"advertisements": [{"name": "A", "layout": "u8", "company": "xyz"}]}"#,
      [
        "1:62: /advertisements/0/company: expected a company identifier of four hexadecimal digits such as \"0157\", found \"xyz\""
      ]
    ),
    (
      #"{"advertisements": [{"name": "A", "company": "ffff", "prefix": "0"}]}"#,
      [
        "1:21: /advertisements/0: expected the key \"layout\", which is missing",
        "1:64: /advertisements/0/prefix: expected at most 31 bytes in hexadecimal, found \"0\"",
      ]
    ),
    (
      String(repeating: "[", count: 1000),
      [
        "1:65: /" + String(repeating: "0/", count: 63)
          + "0: expected at most 64 arrays and objects within each other"
      ]
    ),
  ]

  @Test("A wrong file is refused with all its mistakes and their places", arguments: hostile.indices)
  func refused(_ index: Int) throws {
    let (text, mistakes) = Self.hostile[index]
    let error = #expect(throws: ProfileError.self) { try Profile(parsing: text.utf8, source: "p.json") }
    let found = try #require(error)
    let lines = found.mistakes.isEmpty ? [found.description] : found.mistakes
    #expect(lines == mistakes.map { "p.json:\($0)" })
  }

  @Test("Many mistakes are counted, and twenty are listed")
  func many() {
    let text = "{\"devices\": [" + Array(repeating: "1", count: 30).joined(separator: ",") + "]}"
    let error = #expect(throws: ProfileError.self) { try Profile(parsing: text.utf8) }
    #expect(error?.description == "30 mistakes (first 20 shown)")
    #expect(error?.mistakes.count == 20)
  }

  /// `BLECTL_RECORD=1 swift test --filter ProfileFileTests` writes the file again.
  @Test("The published schema is that of the reader")
  func schema() throws {
    let path = RecordedFile.path("docs/profile.schema.json")
    let schema = String(
      decoding: Schema.document(ObjectCodec<ProfileDocument>.profile.schema, title: "A profile for blectl"),
      as: UTF8.self)
    if RecordedFile.isRecording { try RecordedFile.write(schema, path) }
    #expect(RecordedFile.read(path) == schema)
  }
}

/// The errors that were told.
private final class ToldErrors: @unchecked Sendable {
  private(set) var errors: [ProfileError] = []

  func add(_ error: ProfileError) { errors.append(error) }
}
