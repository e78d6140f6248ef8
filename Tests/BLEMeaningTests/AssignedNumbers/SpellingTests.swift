// SPDX-License-Identifier: MIT
import Testing

@testable import BLEMeaning

@Suite struct SpellingTests {
  @Test(arguments: [
    ("rsi", "rssi"), ("adress", "address"), ("advertisment", "advertisement"), ("RSSI", "rssi"),
    ("sri", "rssi"),
    ("x", nil), ("zebra", nil), ("", nil),
  ])
  func `The nearest word is guessed`(_ text: String, _ word: String?) {
    #expect(Spelling.nearest(to: text, among: ["rssi", "address", "advertisement", "services"]) == word)
  }

  @Test(arguments: [
    ("", "", 0), ("scan", "scan", 0), ("scna", "scan", 1), ("scam", "scan", 1), ("can", "scan", 1),
    ("scann", "scan", 1), ("", "scan", 4), ("Tnermometer", "Thermometer", 1),
  ])
  func `Letters that are changed, added, left out or swapped with the next one count one each`(
    _ left: String, _ right: String, _ count: Int
  ) {
    #expect(Spelling.distance(Array(left.utf8), Array(right.utf8)) == count)
    #expect(Spelling.distance(Array(right.utf8), Array(left.utf8)) == count)
  }

  @Test func `All words that are equally near are reported, in their order, and each once`() {
    let words = ["Sensor 2", "Piano", "Sensor 1", "Sensor 2"]
    #expect(Spelling.candidates(for: "sensor 3", among: words) == ["Sensor 2", "Sensor 1"])
    #expect(Spelling.candidates(for: "Sensor 1", among: words) == ["Sensor 1"])
  }

  @Test(arguments: [
    ("Hart", "did you mean Heart Strap?"), ("Strp", "did you mean Heart Strap?"),
    ("mi bnad", "did you mean MI Band 2?"), ("Tnermometer", "did you mean Thermometer?"),
    ("xyzzy", nil), ("", nil),
  ])
  func `A part of a name is enough to find what was meant`(_ text: String, _ advice: String?) {
    let names = ["Heart Strap", "MI Band 2", "Thermometer"]
    #expect(Spelling.advice(for: text, amongNames: names) == advice)
  }

  @Test func `What is very long takes no time`() {
    let long = String(repeating: "a", count: 100_000)
    #expect(Spelling.candidates(for: long, among: [long, "b"]) == [long])
  }
}
