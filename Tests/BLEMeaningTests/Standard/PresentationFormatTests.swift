// SPDX-License-Identifier: MIT
import Testing

@testable import BLEMeaning

@Suite struct PresentationFormatTests {
  @Test(arguments: [
    // format, exponent, unit, namespace, description: value
    ("0efe2f27010000", "6608", "21.50 °C"), ("0efe2f27010000", "9cff", "-1.00 °C"),
    ("0400ad27010000", "64", "100 %"), ("06ff0027010000", "e803", "100.0"),
    ("08000027010000", "01000000", "1"),
    ("04010027010000", "05", "50"), ("01000027010000", "01", "yes"),
    ("14002f27010000", "0000ac41", "21.5 °C"),
    ("16002f27010000", "6ef1", "36.6 °C"), ("19000027010000", "6869", "hi"), ("0d000027010000", "ff0f", "-1"),
  ])
  func `Format, exponent and unit are applied to the value`(
    _ descriptor: String, _ value: String, _ text: String
  ) throws {
    let bytes = try #require(Hex.bytes(descriptor))
    let format = try #require(PresentationFormat(bytes))
    let value = try #require(Hex.bytes(value))
    #expect(format.decode(value)?.text == text)
  }

  @Test func `The unit is a field of its own`() throws {
    let format = try #require(PresentationFormat([14, 0xfe, 0x2f, 0x27, 1, 0, 0]))
    #expect(format.decode([0x66, 8])?["unit"] == "°C")
    #expect(format.unit == 0x272f)
  }

  @Test func `Short descriptors, short values and opaque formats give nothing`() throws {
    #expect(PresentationFormat([14, 0, 0, 0, 0, 0]) == nil)
    for format in UInt8.min...UInt8.max {
      let described = try #require(PresentationFormat([format, 0x80, 0, 0x27, 1, 0, 0]))
      for count in 0...20 { _ = described.decode(Array(repeating: 0xff, count: count))?.text }
    }
    #expect(PresentationFormat([14, 0, 0, 0, 0, 0, 0])?.decode([1]) == nil)
    #expect(PresentationFormat([27, 0, 0, 0, 0, 0, 0])?.decode([1, 2]) == nil)
  }

  @Test func `A valid range has two values of the characteristic`() throws {
    let temperature = try #require(ValueLayout(for: 0x2a6e))
    #expect(temperature.decodeRange([0x60, 0xf0, 0x34, 0x21]).text == "from -40.00 °C, to 85.00 °C")
    #expect(temperature.decodeRange([0x60, 0xf0, 0x34]).problems.count == 1)
    #expect(temperature.decodeRange([]).problems.count == 2)
  }
}
