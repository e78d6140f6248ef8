// SPDX-License-Identifier: MIT
internal import JSON
internal import Testing

@testable import BLEFormats

@Suite("Names to numbers")
struct NameSearchTests {
  @Test(
    "Case, spaces, hyphens, underscores and dots do not count",
    arguments: [
      "heart-rate-measurement", "Heart Rate Measurement", "heart_rate_measurement", "HEART.RATE.MEASUREMENT",
      "heartratemeasurement", " Heart  Rate Measurement ",
    ])
  func tolerance(_ name: String) {
    #expect(AssignedNumbers.named(name).map(\.uuid) == [BluetoothUUID(short: 0x2a37)])
    #expect(BluetoothUUID(name: name) == .heartRateMeasurement)
  }

  @Test(
    "The older names of Generic Access and Generic Attribute are known too",
    arguments: ["gap", "generic-access"])
  func otherNames(_ name: String) {
    #expect(BluetoothUUID(name: name, kinds: [.service]) == BluetoothUUID(short: 0x1800))
  }

  @Test("Where a name stands for things of several kinds, the wanted kind goes first")
  func context() {
    #expect(
      AssignedNumbers.named("Reconnection Configuration").map(\.kind) == [.service])
    let both = AssignedNumbers.named("Appearance")
    #expect(both.map(\.kind) == [.characteristic])
    #expect(
      BluetoothUUID(name: "nordic-uart-service") == BluetoothUUID("6e400001-b5a3-f393-e0a9-e50e24dcca9e"))
    #expect(AssignedNumbers.named("Bond Management").map(\.kind) == [.service])
    #expect(BluetoothUUID(name: "Weight Scale", kinds: [.service]) == BluetoothUUID(short: 0x181d))
    #expect(AssignedNumbers.named("Weight Scale").map(\.kind) == [.service, .appearance])
  }

  @Test("A name of several UUIDs does not name a UUID")
  func ambiguity() {
    #expect(AssignedNumbers.named("google-llc", kinds: [.member]).count > 3)
    #expect(BluetoothUUID(name: "google-llc") == nil)
    #expect(BluetoothUUID(name: "") == nil)
    #expect(BluetoothUUID(name: "---") == nil)
    #expect(BluetoothUUID(name: "no such thing") == nil)
  }

  @Test("A part of a name finds all that contain it, the best first")
  func parts() {
    let found = AssignedNumbers.containing("heart-rate", kinds: [.service, .characteristic, .appearance])
    #expect(found.first?.name == "Heart Rate")
    #expect(found.contains { $0.name == "Heart Rate Measurement" && $0.kind == .characteristic })
    #expect(found.contains { $0.name == "Heart Rate Belt" && $0.number == .value(0x0341) })
    #expect(found.contains { $0.name == "Resting Heart Rate" })
    let beginnings = found.prefix { NameKey($0.name).bytes.starts(with: NameKey("heartrate").bytes) }
    #expect(!found.dropFirst(beginnings.count).contains { $0.name.hasPrefix("Heart Rate") })
    #expect(AssignedNumbers.containing("").isEmpty)
  }

  @Test(
    "A typing mistake is understood",
    arguments: [
      ("hart-rate", "heart-rate"), ("heartrat", "heart-rate"), ("Haert Rate", "heart-rate"),
      ("device-infomation", "device-information"), ("baterry", "battery"),
    ])
  func suggestions(_ typed: String, _ meant: String) {
    #expect(AssignedNumbers.suggestions(for: typed, kinds: [.service]).first == meant)
  }

  @Test(
    "Initials are understood",
    arguments: [("hr", "heart-rate-measurement"), ("HRM", "heart-rate-measurement"), ("bl", "battery-level")])
  func initials(_ typed: String, _ meant: String) {
    #expect(AssignedNumbers.suggestions(for: typed, kinds: [.characteristic]).contains(meant))
  }

  @Test(
    "A word that resembles nothing brings no suggestion",
    arguments: ["", "x", "qqqqqqqqqq", String(repeating: "heart", count: 100)])
  func noSuggestions(_ typed: String) {
    #expect(AssignedNumbers.suggestions(for: typed, kinds: AssignedNumber.Kind.allCases).isEmpty)
  }

  @Test(
    "Suggested names can be typed, and are what they were made of",
    arguments: [AssignedNumber.Kind.service, .characteristic])
  func suggestedNames(_ kind: AssignedNumber.Kind) {
    kind.visit { line, _ in
      let name = AssignedNumbers.hyphenated(line.nameText)
      #expect(NameKey(name) == NameKey(utf8: line.name))
      #expect(!name.contains(" "))
    }
  }

  @Test(
    "The search by the first letter finds what a look at every name finds",
    arguments: [
      "heart-rate", "a", "e", "1", "180d", "180D Heart Rate", "dheart", "ü", "é", "@", "z", "4b", "apple",
      "ltd", "q w",
    ])
  func everyName(text: String) {
    let key = NameKey(text)
    var found: [NameKey.Fit: [AssignedNumber]] = [:]
    for kind in AssignedNumber.Kind.allCases {
      kind.visit { line, origin in
        if let fit = key.fit(line.name) { found[fit, default: []].append(kind.assigned(line, origin)) }
      }
    }
    #expect(
      AssignedNumbers.containing(text)
        == (found[.exact] ?? []) + (found[.beginning] ?? []) + (found[.part] ?? []))
  }
}

@Suite("Spelling")
struct SpellingTests {
  @Test(
    "The nearest word is guessed",
    arguments: [
      ("rsi", "rssi"), ("adress", "address"), ("advertisment", "advertisement"), ("RSSI", "rssi"),
      ("sri", "rssi"),
      ("x", nil), ("zebra", nil), ("", nil),
    ])
  func nearestWordGuessed(_ text: String, _ word: String?) {
    #expect(Spelling.nearest(to: text, among: ["rssi", "address", "advertisement", "services"]) == word)
  }

  @Test("A single letter is another word, unless only its case differs")
  func singleLetters() {
    #expect(Spelling.advice(for: "e", among: ["A", "G", "on"]) == nil)
    #expect(Spelling.advice(for: "g", among: ["A", "G"]) == "did you mean G?")
  }

  @Test(
    "Letters that are changed, added, left out or swapped with the next one count one each",
    arguments: [
      ("", "", 0), ("scan", "scan", 0), ("scna", "scan", 1), ("scam", "scan", 1), ("can", "scan", 1),
      ("scann", "scan", 1), ("", "scan", 4), ("Tnermometer", "Thermometer", 1),
    ])
  func lettersChangedAdded(
    _ left: String, _ right: String, _ count: Int
  ) {
    #expect(Spelling.distance(Array(left.utf8), Array(right.utf8)) == count)
    #expect(Spelling.distance(Array(right.utf8), Array(left.utf8)) == count)
  }

  @Test("All words that are equally near are reported, in their order, and each once")
  func allWordsEqually() {
    let words = ["Sensor 2", "Piano", "Sensor 1", "Sensor 2"]
    #expect(Spelling.candidates(for: "sensor 3", among: words) == ["Sensor 2", "Sensor 1"])
    #expect(Spelling.candidates(for: "Sensor 1", among: words) == ["Sensor 1"])
  }

  @Test(
    "A part of a name is enough to find what was meant",
    arguments: [
      ("Hart", "did you mean Heart Strap?"), ("Strp", "did you mean Heart Strap?"),
      ("mi bnad", "did you mean MI Band 2?"), ("Tnermometer", "did you mean Thermometer?"),
      ("xyzzy", nil), ("", nil), ("MI Band 3", nil), ("mi band 10", nil),
      ("MI Bond 3", "did you mean MI Band 2?"),
    ])
  func partNameEnough(_ text: String, _ advice: String?) {
    let names = ["Heart Strap", "MI Band 2", "Thermometer"]
    #expect(Spelling.advice(for: text, amongNames: names) == advice)
  }

  @Test(
    "Names that a last letter tells apart are those of other devices",
    arguments: [
      ("Strap A", nil), ("strap c", nil), ("SensorA", nil), ("Stra B", "did you mean Strap B?"),
      ("Gardem", "did you mean Garden?"),
    ])
  func siblings(_ text: String, _ advice: String?) {
    #expect(Spelling.advice(for: text, amongNames: ["Strap B", "SensorB", "Garden"]) == advice)
  }

  @Test("A very long word takes no time")
  func whatVeryLong() {
    let long = String(repeating: "a", count: 100_000)
    #expect(Spelling.candidates(for: long, among: [long, "b"]) == [long])
  }
}
