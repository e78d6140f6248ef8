// SPDX-License-Identifier: MIT
import TestSupport
internal import Testing

@testable import BLEFormats

@Suite("BTHome")
struct BTHomeTests {
  /// The examples of bthome.io/format, each as one object in an unencrypted advertisement.
  private static let examples: [(object: String, key: String, text: String)] = [
    ("0009", "packet_id", "9"), ("0161", "battery_percent", "97"), ("02ca09", "temperature_celsius", "25.06"),
    ("03bf13", "humidity_percent", "50.55"), ("04138a01", "pressure_hpa", "1008.83"),
    ("05138a14", "illuminance_lux", "13460.67"), ("065e1f", "mass_kg", "80.30"),
    ("073e1d", "mass_lb", "74.86"),
    ("08ca06", "dew_point_celsius", "17.38"), ("0960", "count", "96"), ("0a138a14", "energy_kwh", "1346.067"),
    ("0b021b00", "power_w", "69.14"), ("0c020c", "voltage_v", "3.074"), ("0d120c", "pm2_5_ug_per_m3", "3090"),
    ("0e021c", "pm10_ug_per_m3", "7170"), ("12e204", "co2_ppm", "1250"), ("133301", "tvoc_ug_per_m3", "307"),
    ("14020c", "moisture_percent", "30.74"), ("2e23", "humidity_percent", "35"),
    ("2f23", "moisture_percent", "35"),
    ("3d0960", "count", "24585"), ("3e2a2c0960", "count", "1611213866"),
    ("3f020c", "rotation_degrees", "307.4"),
    ("400c00", "distance_mm", "12"), ("414e00", "distance_m", "7.8"), ("424e3400", "duration_s", "13.390"),
    ("434e34", "current_a", "13.390"), ("444e34", "speed_m_per_s", "133.90"),
    ("451101", "temperature_celsius", "27.3"),
    ("4632", "uv_index", "5.0"), ("478756", "volume_l", "2215.1"), ("48dc87", "volume_ml", "34780"),
    ("49dc87", "flow_m3_per_h", "34.780"), ("4a020c", "voltage_v", "307.4"),
    ("4b138a14", "gas_m3", "1346.067"),
    ("4c41018a01", "gas_m3", "25821.505"), ("4d12138a14", "energy_kwh", "344593.170"),
    ("4e87562a01", "volume_l", "19551.879"), ("4f87562a01", "water_l", "19551.879"),
    ("505d396164", "timestamp_s", "1684093277"),
    ("518756", "acceleration_m_per_s2", "22.151"), ("528756", "gyroscope_degrees_per_s", "22.151"),
    ("530c48656c6c6f20576f726c6421", "text", "Hello World!"),
    ("540c48656c6c6f20576f726c6421", "raw", "48656c6c6f20576f726c6421"),
    ("57ea", "temperature_celsius", "-22"), ("58ea", "temperature_celsius", "-7.70"),
    ("59ea", "count", "-22"),
    ("5d02ea", "current_a", "-5.630"), ("5e9f8c", "direction_degrees", "359.99"),
    ("2d01", "window", "yes"), ("1500", "battery_low", "no"), ("2101", "motion", "yes"),
    ("3a01", "button", "press"), ("3a80", "button", "hold press"), ("3a77", "button", "event 119"),
    ("3c0103", "dimmer", "-3"), ("3c020a", "dimmer", "10"), ("3c0000", "dimmer", "none"),
    ("f00100", "device_type", "1"), ("f100010204", "firmware", "4.2.1.0"), ("f2000106", "firmware", "6.1.0"),
  ]

  @Test("The examples of the format's description come out as they should", arguments: examples.indices)
  func objects(_ index: Int) throws {
    let (object, key, text) = Self.examples[index]
    let data = hex("40" + object)
    let format = try #require(
      AdvertisedFormats.decode(service: BluetoothUUID(short: 0xfcd2), data: data) as? BTHome)
    #expect(format.objects.map(\.key) == [key])
    #expect(format.objects.first?.value.text == text)
    #expect(format.fields.isComplete)
    // One byte less is no value, and no crash.
    #expect(BTHome(data: Array(data.dropLast()))?.fields.problems == ["the last object is cut off"])
  }

  @Test("Several objects stand in one advertisement, and those of one kind are numbered")
  func several() throws {
    // bthome.io/format: temperature 25.06, humidity 50.55; and a second temperature.
    let format = try #require(BTHome(data: hex("40 02ca09 03bf13 02d007")))
    #expect(
      format.fields.fields.map(\.key) == ["temperature_celsius", "humidity_percent", "temperature_celsius_2"])
    #expect(format.text == "BTHome 25.06 °C, humidity 50.55 %, 20.00 °C")
    #expect(BTHome(data: hex("44 3a01"))?.isTriggered == true)
    // Without a unit, the whole name says what it is.
    #expect(
      BTHome(data: hex("40 002a 1500 0d120c"))?.text == "BTHome packet 42, battery low no, PM2.5 3090 µg/m³")
  }

  @Test("The state of a problem has another key than the reason for bytes that cannot be decoded")
  func problem() throws {
    let format = try #require(BTHome(data: hex("40 2601 ff9381")))
    #expect(format.fields.fields.map(\.key) == ["problem_detected"])
    #expect(format.fields["problem_detected"] == true)
    #expect(format.fields.problems == ["object 0xff is not known"])
    // Either name can be typed.
    #expect(try BTHome(parsing: "problem=yes").data == hex("40 2601"))
    #expect(try BTHome(parsing: "problem_detected=yes").data == hex("40 2601"))
  }

  @Test("Encrypted data is named, and not taken for measurements")
  func encrypted() throws {
    // The encrypted example of bthome.io/encryption.
    let format = try #require(BTHome(data: hex("41a47266c95f730011223378237214")))
    #expect(format.type == "bthome-encrypted")
    #expect(format.objects.isEmpty)
    #expect(format.rest == hex("a47266c95f730011223378237214"))
  }

  @Test("From an unknown object or version on, the bytes are kept, and this is reported")
  func unknown() {
    let object = BTHome(data: hex("40 0161 99 0203"))
    #expect(object?.objects.map(\.key) == ["battery_percent"])
    #expect(object?.fields.problems == ["object 0x99 is not known"])
    #expect(object?.rest == hex("990203"))
    // Some implementations set bit 1 where the address stands before the objects.
    let reserved = BTHome(data: hex("42 0164020a0b0c02ca09"))
    #expect(
      reserved?.text
        == "BTHome rest 0164020a0b0c02ca09 (reserved bits 0x02 of the device information are set)")
    #expect(reserved?.data == hex("42 0164020a0b0c02ca09"))
    #expect(BTHome(data: hex("60 0161"))?.fields.problems == ["version 3 is not known"])
    #expect(BTHome(data: []) == nil)
    #expect(BTHome(data: hex("40"))?.fields.isComplete == true)
  }
}

/// docs/adverts.md has a table of the values of BTHome, made from the kinds.
///
/// `BLECTL_RECORD=1` writes it again.
@Suite("Document of BTHome")
struct BTHomeDocumentTests {
  private static let path = RecordedFile.path("docs/adverts.md")

  private static let mark = "| key | objects | values |\n|---|---|---|\n"

  private static var table: String {
    var (keys, states): ([String], [(key: String, number: String)]) = ([], [])
    for (number, kind) in BTHomeKind.all where !keys.contains(kind.key) {
      if case .state = kind.shape {
        states.append(("`\(kind.key)`", Hex.string([number])))
      } else {
        keys.append(kind.key)
      }
    }
    let rows = keys.map { key in
      let kinds = BTHomeKind.all.filter { $0.kind.key == key }
      let numbers = kinds.map { Hex.string([$0.identifier]) }.joined(separator: ", ")
      var values: [String] = []
      for (_, kind) in kinds where !values.contains(kind.values) { values.append(kind.values) }
      return "| `\(key)` | \(numbers) | \(values.joined(separator: "; ")) |\n"
    }
    let ofStates = [states.map(\.key), states.map(\.number)].map { $0.joined(separator: ", ") }
    return mark + rows.joined() + "| \(ofStates[0]) | \(ofStates[1]) | `yes` or `no` |\n"
  }

  @Test("The document lists every key with its values")
  func document() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: Self.mark).first?.lowerBound)
    let end = try #require(text[start...].ranges(of: "\n\n").first?.lowerBound)
    let updated = text[..<start] + Self.table.dropLast() + text[end...]
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1")
    }
  }
}

extension BTHomeKind {
  /// The values that can be given, for people.
  fileprivate var values: String {
    switch shape {
    case .number(let shape):
      let range = shape.range
      let unit = symbol.isEmpty ? "" : " \(symbol)"
      return "\(shape.value(of: range.lowerBound).text) to \(shape.value(of: range.upperBound).text)\(unit)"
    case .state: return "`yes` or `no`"
    case .event(let names):
      return names.sorted { $0.key < $1.key }.map { "`\($0.value)`" }.joined(separator: ", ")
    case .dimmer: return "-255 to 255 steps, or `none`"
    case .command:
      let words = Self.commands.sorted { $0.key < $1.key }.map { "`\($0.value)`" }
      return words.joined(separator: ", ") + ", and up to 31 bytes"
    case .text: return "text"
    case .raw: return "bytes"
    case .version(let count): return "\(count) numbers with points between them"
    }
  }
}
