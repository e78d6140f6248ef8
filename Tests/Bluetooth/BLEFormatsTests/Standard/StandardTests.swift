// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import BLEFormats

@Suite("Standard vector")
struct StandardVectorTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let number: UInt16
    let bytes: [UInt8]
    let text: String
    var testDescription: String { "\(String(number, radix: 16)) \(Hex.string(bytes))" }
  }

  /// Number, bytes (with `_` for people's eyes), `=`, text.
  static let all: [Vector] = [
    StandardVectors.generic, StandardVectors.timeAndAlerts, StandardVectors.health, StandardVectors.fitness,
    StandardVectors.others,
  ].flatMap { table in
    table.split(separator: "\n").map { line in
      let parts = line.split(separator: " = ", maxSplits: 1)
      let words = parts[0].split(separator: " ")
      let bytes = words.count > 1 ? Hex.bytes(words[1].replacing("_", with: "")) : []
      return Vector(number: UInt16(words[0], radix: 16) ?? 0, bytes: bytes ?? [], text: String(parts[1]))
    }
  }

  @Test("Bytes mean what the specification says", arguments: all)
  func bytesMeanWhat(_ vector: Vector) throws {
    let layout = try #require(ValueLayout(for: vector.number))
    #expect(layout.decode(vector.bytes).text == vector.text)
  }

  @Test("There are vectors for most groups of layouts")
  func vectorsMostGroups() {
    #expect(Self.all.count >= 150)
    #expect(Set(Self.all.map(\.number)).count >= 100)
  }

  @Test(
    "Keys have the unit, and numbers the digits that were sent",
    arguments: [
      (0x2a37, "104fe803", ["heart_rate_bpm": "79", "rr_intervals_ms": "976.6"]),
      (0x2a6e, "6608", ["temperature_celsius": "21.50"]),
      (0x2a1c, "006c0e00fe", ["temperature_celsius": "36.92"]),
      (
        0x2a18, "030100ea070b150506070a005ab011",
        ["glucose_mg_per_dl": "90", "sample_type": "capillary whole blood"]
      ),
      (0x2a01, "4103", ["appearance": "833", "appearance_name": "Heart Rate Belt"]),
      (0x2a2b, "ea070b15050607068005", ["time": "2026-11-21T05:06:07", "fractions_256": "128"]),
    ])
  func keysHaveUnit(
    _ number: Int, _ hex: String, _ expected: [String: String]
  ) throws {
    let layout = try #require(ValueLayout(for: UInt16(number)))
    let bytes = try #require(Hex.bytes(hex))
    let decoded = layout.decode(bytes)
    for (key, text) in expected {
      let value = decoded[key]
      #expect(
        value?.text == text
          || value == .list([.decimal(DecimalNumber(text) ?? .init(mantissa: 0, exponent: 0))]))
    }
  }
}

@Suite("Presentation format")
struct PresentationFormatTests {
  @Test(
    "Format, exponent and unit are applied to the value",
    arguments: [
      // format, exponent, unit, namespace, description: value
      ("0efe2f27010000", "6608", "21.50 °C"), ("0efe2f27010000", "9cff", "-1.00 °C"),
      ("0400ad27010000", "64", "100 %"), ("06ff0027010000", "e803", "100.0"),
      ("08000027010000", "01000000", "1"),
      ("04010027010000", "05", "50"), ("01000027010000", "01", "yes"),
      ("14002f27010000", "0000ac41", "21.5 °C"),
      ("16002f27010000", "6ef1", "36.6 °C"), ("19000027010000", "6869", "hi"),
      ("0d000027010000", "ff0f", "-1"),
    ])
  func formatExponentUnit(
    _ descriptor: String, _ value: String, _ text: String
  ) throws {
    let bytes = try #require(Hex.bytes(descriptor))
    let format = try #require(PresentationFormat(bytes))
    let value = try #require(Hex.bytes(value))
    #expect(format.decode(value)?.text == text)
  }

  @Test("The unit is a field of its own")
  func unitFieldOwn() throws {
    let format = try #require(PresentationFormat([14, 0xfe, 0x2f, 0x27, 1, 0, 0]))
    #expect(format.decode([0x66, 8])?["unit"] == "°C")
    #expect(format.unit == 0x272f)
  }

  @Test("Short descriptors, short values and opaque formats give nothing")
  func shortDescriptorsShort() throws {
    #expect(PresentationFormat([14, 0, 0, 0, 0, 0]) == nil)
    for format in UInt8.min...UInt8.max {
      let described = try #require(PresentationFormat([format, 0x80, 0, 0x27, 1, 0, 0]))
      for count in 0...20 { _ = described.decode(Array(repeating: 0xff, count: count))?.text }
    }
    #expect(PresentationFormat([14, 0, 0, 0, 0, 0, 0])?.decode([1]) == nil)
    #expect(PresentationFormat([27, 0, 0, 0, 0, 0, 0])?.decode([1, 2]) == nil)
  }

  @Test("A valid range has two values of the characteristic")
  func validRangeHas() throws {
    let temperature = try #require(ValueLayout(for: 0x2a6e))
    #expect(temperature.decodeRange([0x60, 0xf0, 0x34, 0x21]).text == "from -40.00 °C, to 85.00 °C")
    #expect(temperature.decodeRange([0x60, 0xf0, 0x34]).problems.count == 1)
    #expect(temperature.decodeRange([]).problems.count == 2)
  }
}

/// docs/characteristics.md has a table of every layout, made from the layouts.
///
/// `BLECTL_RECORD=1` writes it again.
@Suite("Characteristics document")
struct CharacteristicsDocumentTests {
  private static let path = RecordedFile.path("docs/characteristics.md")

  private static let mark = "| characteristic | keys |\n|---|---|\n"

  private static var table: String {
    mark
      + LayoutPropertyTests.all.map { number, layout in
        let name = layout.name + (layout.isWritable ? " ✎" : "")
        let keys = layout.keys.map { "`\($0)`" }.joined(separator: ", ")
        return "| \(String(number, radix: 16)) \(name) | \(keys) |\n"
      }.joined()
  }

  /// The layouts that are not from the GATT Specification Supplement, by their specification, with its sections.
  private static var sources: String {
    var names: [String] = []
    var layouts: [String: [String]] = [:]
    for (number, layout) in LayoutPropertyTests.all {
      guard case .specification(let source) = layout.source,
        let words = source.wholeMatch(of: /(.+?),? (\S+)/)
      else { continue }
      let name = String(words.1)
      if !names.contains(name) { names.append(name) }
      layouts[name, default: []].append("\(String(number, radix: 16)) (\(words.2))")
    }
    let items = names.map { name in "- \(name): \(layouts[name, default: []].joined(separator: ", "))\n" }
    return "\nOther specifications define these, in the sections in parentheses:\n\n" + items.joined()
  }

  @Test("The document lists every layout with its keys and its source")
  func documentListsEvery() throws {
    let text = try #require(RecordedFile.read(Self.path))
    let start = try #require(text.ranges(of: Self.mark).first?.lowerBound)
    let updated = text[..<start] + Self.table + Self.sources
    if RecordedFile.isRecording {
      try RecordedFile.write(String(updated), Self.path)
    } else {
      #expect(text == updated, "record it with BLECTL_RECORD=1")
    }
  }
}
