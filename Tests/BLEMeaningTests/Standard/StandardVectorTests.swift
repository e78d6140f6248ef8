// SPDX-License-Identifier: MIT
import Testing

@testable import BLEMeaning

@Suite struct StandardVectorTests {
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

  @Test(arguments: all)
  func `Bytes mean what the specification says`(_ vector: Vector) throws {
    let layout = try #require(ValueLayout(for: vector.number))
    #expect(layout.decode(vector.bytes).text == vector.text)
  }

  @Test func `There are vectors for most groups of layouts`() {
    #expect(Self.all.count >= 150)
    #expect(Set(Self.all.map(\.number)).count >= 100)
  }

  @Test(arguments: [
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
  func `Keys have the unit, and numbers the digits that were sent`(
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
