// SPDX-License-Identifier: MIT
import BLEFormats
import JSON
import TestSupport
import Testing

@testable import BLEWorld

@Suite("World file")
struct WorldFileTests {
  @Test(
    "A world survives writing and reading",
    arguments: ["builtIn", "update", "contract", "crowd", "flood", "everything", "empty"])
  func worldSurvivesWriting(_ name: String) throws {
    let world = try #require(WorldFileTests.worlds[name])
    let text = String(decoding: world.json, as: UTF8.self)
    let copy = try World(json: world.json, name: "w", load: noLog)
    #expect(String(decoding: copy.json, as: UTF8.self) == text)
    let isSame = copy == world
    #expect(isSame)
  }

  private static let worlds: [String: World] = [
    "builtIn": .builtIn, "update": .update, "contract": .contract, "crowd": .crowd(devices: 40),
    "flood": .flood(notifications: 5),
    "everything": .everything, "empty": World(peripherals: []),
  ]

  @Test("A file omits defaults")
  func fileOmitsDefaults() throws {
    let world = World(peripherals: [
      PeripheralSpec(address: "C0:00:00:00:00:01", advertisement: AdvertisementSpec())
    ])
    #expect(
      String(decoding: world.json, as: UTF8.self)
        == "{\n  \"peripherals\": [{\"address\": \"C0:00:00:00:00:01\"}]\n}\n")
  }

  @Test("Values are read as on the command line; comments and $schema are ignored")
  func valuesReadCommand() throws {
    let text = """
      {"$schema": "world.schema.json", "comment": "all", "peripherals": [
        {"address": "c0:00:00:00:00:01", "comment": "one", "name": "P", "services": [{"uuid": "180F", "characteristics": [
          {"uuid": "2A19", "properties": ["notify", "read"], "value": "u8:87"},
          {"uuid": "2a00", "properties": ["read"], "value": "utf8:Grüße"},
          {"uuid": "2a01", "properties": ["read"], "value": "0x01:02 ff"}]}]}]}
      """
    let world = try World(json: Array(text.utf8), name: "w", load: noLog)
    #expect(world.peripherals[0].address == "C0:00:00:00:00:01")
    let characteristics = world.peripherals[0].services[0].characteristics
    #expect(characteristics.map(\.value) == [[87], Array("Grüße".utf8), [1, 2, 0xFF]])
    #expect(characteristics[0].properties == [.read, .notify])
  }

  @Test("A UUID may be a name of the expected kind")
  func uuidMayName() throws {
    let text = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "services": [{"uuid": "Current Time", "characteristics": [
        {"uuid": "current-time", "properties": ["read"]}]}]}]}
      """
    let services = try World(json: Array(text.utf8), name: "w", load: noLog).peripherals[0].services
    #expect(services[0].uuid == BluetoothUUID(0x1805))
    #expect(services[0].characteristics[0].uuid == BluetoothUUID(0x2A2B))
  }

  @Test("UUIDs and addresses are spelt as on the command line")
  func uuidsAddressesSpelt() throws {
    let text = """
      {"peripherals": [{"address": "c0-00-00-00-00-0a", "advertisement": {"service_data": {"0xFEAA": "01"}},
        "services": [{"uuid": "0x180F", "characteristics": [
          {"uuid": "b1ec00015c0e4b1ea5d26b2f0c7e91aa", "properties": ["read"]}]}]}]}
      """
    let peripheral = try World(json: Array(text.utf8), name: "w", load: noLog).peripherals[0]
    #expect(peripheral.address == "C0:00:00:00:00:0A")
    #expect(peripheral.advertisement.serviceData.map(\.service) == [BluetoothUUID(0xFEAA)])
    #expect(peripheral.services[0].uuid == BluetoothUUID(0x180F))
    let uuid = peripheral.services[0].characteristics[0].uuid
    #expect(uuid == BluetoothUUID(0xB1EC_0001, base: 0x5c0e_4b1e_a5d2_6b2f_0c7e_91aa))
  }

  @Test("A serial port is true, false or an object, and texts in it are no names of one's own")
  func serialPort() throws {
    let text = """
      {"peripherals": [
        {"address": "C0:00:00:00:00:01", "uart": true}, {"address": "C0:00:00:00:00:02", "uart": false},
        {"address": "C0:00:00:00:00:03", "uart": {}},
        {"address": "C0:00:00:00:00:04", "uart": {"service": "hm-10", "answers": {"characteristic": "lamp"}}}]}
      """
    let world = try World(json: Array(text.utf8), name: "w", load: noLog) { _, _ in BluetoothUUID(0x1234) }
    let hm10 = try #require(SerialPortSpec.services.first { $0.word == "hm-10" })
    let ports = world.peripherals.map(\.uart)
    #expect(
      ports == [
        SerialPortSpec(), nil, SerialPortSpec(),
        SerialPortSpec(hm10, answers: [.init("characteristic", "lamp")]),
      ])
    let services = world.peripherals.map { AttributeLayout($0).services.map(\.uuid) }
    #expect(services[0] == [AttributeLayout.genericAccess, SerialService.nordic.uuid])
    #expect(services[1] == [AttributeLayout.genericAccess])
    #expect(String(decoding: world.jsonLine, as: UTF8.self).contains(#""uart":true}"#))
  }

  @Test(
    "A line with an answer contains no end of a line, and is not too long",
    arguments: ["AT\\r", "\\n", String(repeating: "x", count: 513)])
  func answeredLine(_ line: String) throws {
    let text =
      #"{"peripherals": [{"address": "C0:00:00:00:00:01", "uart": {"answers": {"\#(line)": "OK"}}}]}"#
    let error = try #require(throws: WorldFileError.self) {
      try World(json: Array(text.utf8), name: "w", load: noLog)
    }
    #expect(error.description.hasSuffix(#"expected a line of at most 512 bytes without its end (\r, \n)"#))
  }

  @Test("All mistakes of a file are listed, in the order of the file")
  func allMistakesFile() throws {
    let text = """
      {"peripherals": [
        {"address": "C0:00:00:00:00:01", "rssi": "loud", "nmae": "P"},
        {"name": "Q", "services": [{"uuid": "180d", "characteristics": [{"uuid": "heart", "properties": ["raed"]}]}],
         "faults": [{"do": "slow-link", "packet_time": "soon"}]}],
       "events": [{"at": "1s"}]}
      """
    let error = try #require(throws: WorldFileError.self) {
      try World(json: Array(text.utf8), name: "w", load: noLog)
    }
    #expect(error.description == "w: 7 mistakes")
    let places = error.mistakes.map { $0.split(separator: ": expected")[0] }
    #expect(
      places == [
        "w:2:44: /peripherals/0/rssi", "w:2:52: /peripherals/0/nmae", "w:3:3: /peripherals/1",
        "w:3:76: /peripherals/1/services/0/characteristics/0/uuid",
        "w:3:100: /peripherals/1/services/0/characteristics/0/properties/0",
        "w:4:50: /peripherals/1/faults/0/packet_time", "w:5:13: /events/0",
      ])
  }

  @Test("No more than twenty mistakes are listed")
  func noMoreThan() throws {
    let bad = Array(repeating: #"{"address": "here"}"#, count: 30).joined(separator: ",\n")
    let error = try #require(throws: WorldFileError.self) {
      try World(json: Array("{\"peripherals\": [\(bad)]}".utf8), name: "w", load: noLog)
    }
    #expect(error.description == "w: 30 mistakes (first 20 shown)")
    #expect(error.mistakes.count == 20)
    #expect(error.mistakes[19].hasPrefix("w:20:13: /peripherals/19/address: expected an address"))
  }

  @Test("A bad file is refused with the place and the expected value", arguments: BadWorld.all.map(\.name))
  func badFileRefused(_ name: String) throws {
    let world = try #require(BadWorld.all.first { $0.name == name })
    let error = world.readingError()
    #expect(error == "\(name):\(world.error)")
  }

  @Test("The test finds the bad files")
  func badFilesFound() { #expect(BadWorld.all.count > 30) }

  @Test("A log is looked for beside the file that names it")
  func logLookedBeside() async throws {
    let text = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "services": [{"uuid": "ffe0", "characteristics": [
        {"uuid": "ffe1", "properties": ["notify"], "notifies": {"replay": "w.json"}}]}]}]}
      """
    try await TemporaryFile.with(Array(text.utf8), named: "w.json") { file in
      let error = try #require(throws: WorldFileError.self) { try World(file: file.path) }
      #expect(error.description.contains("expected a log of JSON records: w.json:"), "\(error)")
    }
  }

  @Test("A missing file is reported")
  func missingFileReported() {
    #expect(throws: WorldFileError("/nowhere/w.json", cause: "No such file or directory")) {
      try World(file: "/nowhere/w.json")
    }
  }

  @Test(
    "Durations are written in the largest unit that fits",
    arguments: [
      ("1.5s", Duration.milliseconds(1500), "1500ms"), ("0s", .zero, "0s"), ("90m", .seconds(5400), "90m"),
      ("250us", .microseconds(250), "250us"), ("3600s", .seconds(3600), "1h"), ("0.0000001s", .zero, "0s"),
    ])
  func durationsWrittenLargest(
    _ text: String, _ duration: Duration, _ canonical: String
  ) {
    #expect(DurationText.duration(text) == duration)
    #expect(DurationText.text(duration) == canonical)
  }

  @Test(
    "An invalid duration is refused",
    arguments: [
      "", "5", "s", "-1s", "1e3s", ".5s", "1.s", "5 s", "99999999999999999h", "1.2.3s", "367h0m", "9000h",
    ])
  func invalidDurationRefused(_ text: String) { #expect(DurationText.duration(text) == nil) }
}

/// No world here names a log.
private func noLog(_ path: String) throws(WorldFileError) -> [UInt8] {
  throw WorldFileError(path, cause: "none")
}

/// Invalid world files and their errors, as `BadWorlds.txt` keeps them: the error stands last, behind `---- `.
struct BadWorld: Sendable {
  let name: String
  let json: String
  /// The error, without the name of the file.
  let error: String

  static let all: [BadWorld] = NamedTexts("BadWorlds.txt", beside: #filePath).all().map { name, text in
    let parts = text.split(separator: "\n---- ", maxSplits: 1)
    let error = parts.count == 2 ? parts[1].dropLast() : "no error is given"
    return BadWorld(name: name, json: "\(parts[0])\n", error: String(error))
  }.sorted { $0.name < $1.name }

  /// The log that one of them names.
  private static let brokenLog = """
    {"event":"value","time":"2026-04-12T12:34:41.000000Z","characteristic":"ffe1","value":"01"}
    not a record

    """

  /// The error of reading it; nil when it is valid.
  func readingError() -> String? {
    do throws(WorldFileError) {
      _ = try World(json: Array(json.utf8), name: name) { log throws(WorldFileError) in
        log == "broken.ndjson" ? Array(BadWorld.brokenLog.utf8) : try FileBytes.read(log)
      }
      return nil
    } catch {
      return error.description
    }
  }
}
