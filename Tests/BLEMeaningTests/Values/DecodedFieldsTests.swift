// SPDX-License-Identifier: MIT
import BLEMeaning
import Testing

@Suite struct DecodedFieldsTests {
  @Test func `Text has labels, values and units in order`() {
    var fields = DecodedFields()
    fields.add("heart_rate_bpm", 79, unit: "bpm")
    fields.add("rr_intervals_ms", .list([976, 992]), label: "RR", unit: "ms")
    fields.add("sensor_contact", true, label: "contact")
    #expect(fields.text == "79 bpm, RR 976 992 ms, contact yes")
    #expect(fields["heart_rate_bpm"] == 79)
    #expect(fields["weight_kg"] == nil)
  }

  @Test func `Words have no unit, and empty lists are not mentioned`() {
    var fields = DecodedFields()
    fields.add("temperature_celsius", "unknown", unit: "°C")
    fields.add("statuses", .list([]), label: "status")
    #expect(fields.text == "unknown")
  }

  @Test func `What is wrong stands at the end`() {
    var fields = DecodedFields()
    fields.add("battery_level_percent", .decimal(DecimalNumber(mantissa: 3660, exponent: -2)), unit: "%")
    fields.rest = [1, 0xff]
    fields.problems = ["2 bytes missing for energy_expended_kj", "reserved"]
    #expect(
      fields.text == "36.60 %, rest 01ff (2 bytes missing for energy_expended_kj; reserved)")
    #expect(!fields.isComplete)
  }

  @Test func `Records within records have braces`() {
    var inner = DecodedFields()
    inner.add("x", 1)
    var fields = DecodedFields()
    fields.add("records", .list([.fields(inner), .fields(inner)]))
    fields.add("key", .bytes([0xab]), label: "key")
    #expect(fields.text == "{1}, {1}, key ab")
  }
}
