// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@Suite("Names and meanings")
struct MeaningTests {
  private let blectl = Blectl(bus: "unix:path=/nonexistent")

  @Test("Uuid looks up numbers and names without Bluetooth")
  func uuid() async throws {
    let heartRate = try await blectl.start(["uuid", "heart-rate"]).result()
    #expect(heartRate.status == 0)
    #expect(
      heartRate.lines.first
        == "180d\tservice\tHeart Rate\tBluetooth SIG\t0000180d-0000-1000-8000-00805f9b34fb")
    #expect(heartRate.lines.contains { $0.contains("2a37\tcharacteristic\tHeart Rate Measurement") })
    let apple = try await blectl.start(["uuid", "0x004c"]).result()
    #expect(apple.text == "004c\tcompany\tApple, Inc.\tBluetooth SIG\t\n")
    let belt = try await blectl.start(["uuid", "--kind", "appearance", "341", "--json"]).result()
    #expect(try belt.records.map { $0["name"]?.text } == ["Heart Rate Belt"])
    let uart = try await blectl.start(["uuid", "6E400001-B5A3-F393-E0A9-E50E24DCCA9E"]).result()
    #expect(uart.text.contains("\tservice\tNordic UART Service\tvendor\t"))
  }

  @Test("An unknown number ends with status 4 and a description of its form")
  func unknown() async throws {
    let short = try await blectl.start(["uuid", "1234"]).result()
    #expect(short.status == 4)
    #expect(short.errorText.contains("a 16-bit UUID") && short.errorText.contains("00001234-0000-1000"))
    let random = try await blectl.start(["uuid", "12345678-1234-4234-8234-123456781234"]).result()
    #expect(random.status == 4 && random.errorText.contains("128-bit UUID, random"))
    let misspelt = try await blectl.start(["uuid", "hart", "rate"]).result()
    #expect(misspelt.status == 4 && misspelt.errorText.contains("hint: blectl uuid heart-rate"))
    #expect(try await blectl.start(["uuid", "--kind", "colour", "red"]).result().status == 64)
  }

  @Test("Decode takes a whole advertisement to pieces")
  func advertisement() async throws {
    let bytes = "0201060916d2fc40016402ca090aff4c00"
    let text = try await blectl.start(["decode", "advert", bytes + "10054b1c6a4200"]).result()
    #expect(
      text.text
        == "flags le-general-discoverable, br-edr-not-supported, Apple Nearby Info, BTHome battery 100 %, 25.06 °C\n"
    )
    let record = try #require(
      try await blectl.start(["decode", "advert", "0916d2fc40016402ca0905", "--json"]).result().records.first)
    let data = record["decoded"]?["service_data"]?[0]
    #expect(data?["type"]?.text == "bthome")
    #expect(data?["decoded"]?["battery_percent"]?.number == 100)
    #expect(record["decoded"]?["rest"]?.text == "05")
  }

  @Test("Decode takes a format or a layout in place of a UUID")
  func decodeAs() async throws {
    let layout = try await blectl.run(
      "decode", "--as", "speed=u16*0.1 temp=i16*0.01°C xor8", "e803", "6608", "xor8")
    #expect(layout.text == "speed 100.0, temp 21.50 °C\n", "\(layout.errorText)")
    #expect(try await blectl.run("decode", "0102", "--as", "u16be").text == "258\n")
    let json = try await blectl.run("decode", "--as", "temp=i16*0.01°C", "6608", "--json")
    #expect(json.text == #"{"name":"Value","value":"6608","decoded":{"temp_celsius":21.50}}"# + "\n")
    let lines = try await blectl.run("decode", "--as", "u8", "--from", "-", input: Array("57\n01\n".utf8))
    #expect(lines.lines == ["87", "1"])
    let misfit = try await blectl.run("decode", "--as", "u16", "57")
    #expect(misfit.status == 1)
    #expect(misfit.errorText == "blectl: cannot show the value as u16: 57 is 1 byte\n")
  }

  @Test("Decode prints what bytes mean, without Bluetooth")
  func decode() async throws {
    let heartRate = try await blectl.start(["decode", "2a37", "164fe803"]).result()
    #expect(heartRate.status == 0)
    #expect(heartRate.text == "79 bpm, RR 0.977 s, contact yes\n")
    let json = try await blectl.start(["decode", "temperature", "6608", "--json"]).result()
    #expect(
      json.text
        == #"{"uuid":"00002a6e-0000-1000-8000-00805f9b34fb","name":"Temperature","value":"6608","#
        + #""decoded":{"temperature_celsius":21.50}}"# + "\n")
    let thermometer = try await blectl.start(["decode", "fcd2", "40016402ca09"]).result()
    #expect(thermometer.text == "BTHome battery 100 %, 25.06 °C\n")
    let tag = try await blectl.start(["decode", "ec88", "0003519e6400", "--json"]).result()
    #expect(
      tag.text
        == #"{"company":"ec88","name":"Govee","type":"govee","value":"0003519e6400","#
        + #""decoded":{"temperature_celsius":21.7,"humidity_percent":50.2,"battery_percent":100}}"# + "\n")
    let encrypted = try await blectl.start(["decode", "181a", "0102030405060708", "--json"]).result()
    #expect(
      encrypted.text
        == #"{"uuid":"0000181a-0000-1000-8000-00805f9b34fb","name":"ATC (encrypted)","type":"atc","#
        + #""value":"0102030405060708","decoded":{"encrypted":true}}"# + "\n")
    let high = try await blectl.start(["decode", "alert-level", "auto:high", "--json"]).result()
    #expect(try high.records.map { $0["value"]?.text } == ["02"])
    #expect(
      try await blectl.start(["decode", "2a00", "utf8:\u{1b}[2J"]).result().text == #"\u{1b}[2J"# + "\n")
  }

  @Test("A subject that decode does not know ends with status 4, a wrong value with 64")
  func undecodable() async throws {
    let unknown = try await blectl.start(["decode", "ffe1", "00"]).result()
    #expect(unknown.status == 4)
    #expect(unknown.errorText.contains("cannot decode ffe1: the meaning of its values is unknown"))
    #expect(try await blectl.start(["decode", "2a06"]).result().status == 64)
    #expect(try await blectl.start(["decode", "2a06", "0"]).result().status == 64)
    let extreme = try await blectl.start(["decode", "2a06", "auto:extreme"]).result()
    #expect(extreme.status == 64 && extreme.errorText.contains("'extreme' is none of: none, mild, high"))
    let handle = try await blectl.start(["write", "Piano", "@000b", "auto:high"]).result()
    #expect(handle.status == 64 && handle.errorText.contains("needs a characteristic with a UUID or a name"))
  }

  @Test("Values that are read have their meaning: in JSON, and with --as auto")
  func decodedValues() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let level = try await blectl.run("read", "Heart Strap", "2a19", "--json")
      #expect(level.text.contains(#""value":"57","decoded":{"battery_level_percent":87},"#))
      #expect(try await blectl.run("read", "Heart Strap", "2a19", "--as", "auto").text == "87 %\t57\n")
      #expect(try await blectl.run("read", "Heart Strap", "2a19").text == "57\n")
      let beats = try await blectl.run("subscribe", "Heart Strap", "2a37", "--count", "1", "--json")
      #expect(beats.text.contains(#""decoded":{"heart_rate_bpm":"#))
      let tree = try await blectl.run("services", "Heart Strap", "--read", "--json")
      #expect(tree.text.contains(#""decoded":{"battery_level_percent":87}"#))
    }
  }

  @Test("A characteristic of one's own is read as its Presentation Format descriptor says")
  func presentationFormat() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Mine", "services": [
        {"uuid": "ffe0", "characteristics": [
          {"uuid": "ffe1", "properties": ["read"], "value": "i16:2150",
           "descriptors": [{"uuid": "2904", "value": "0efe2f27010000"}]},
          {"uuid": "2a6e", "properties": ["read"], "value": "i16:-100",
           "descriptors": [{"uuid": "2906", "value": "60f03421"}]}]}]}]}
      """
    try await TemporaryFile.with(Array(world.utf8)) { file in
      let tree = try await Blectl().run("services", "--simulate=\(file.path)", "Mine", "--read", "--json")
      #expect(tree.text.contains(#""value":"6608","decoded":{"value":21.50,"unit":"°C"}"#), "\(tree.text)")
      #expect(tree.text.contains(#""decoded":{"temperature_celsius":-1.00}"#))
      #expect(
        tree.text.contains(
          #""decoded":{"minimum_temperature_celsius":-40.00,"maximum_temperature_celsius":85.00}"#))
    }
  }

  @Test("Write takes values of standard characteristics as text, also from a file")
  func writtenValues() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Tag", "services": [
        {"uuid": "1803", "characteristics": [{"uuid": "2a06", "properties": ["read", "write"], "value": "00"}]}]}]}
      """
    try await TemporaryFile.with(Array(world.utf8)) { file in
      let script = """
        \(Blectl.path) write Tag alert-level auto:high && \(Blectl.path) read Tag 2a06
        printf 'auto:high\\nauto:mild\\n' | \(Blectl.path) write Tag 2a06 --from - && \(Blectl.path) read Tag 2a06
        """
      let result = try await Blectl().run("simulate", file.path, "--", "/bin/sh", "-c", script)
      #expect(result.text == "02\n01\n", "\(result.errorText)")
    }
  }

  @Test("Names stand for UUIDs wherever one is typed")
  func names() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("read", "Heart Strap", "battery-level", "--as", "u8").text == "87\n")
      #expect(
        try await blectl.run("read", "Heart Strap", "Battery/Battery Level", "--as", "u8").text == "87\n")
      let found = try await blectl.run(
        "scan", "--service", "heart-rate", "--count", "1", "--duration", "60s", "--json")
      #expect(try found.records.map { $0["name"]?.text } == ["Heart Strap"])
      let wrong = try await blectl.run("read", "Heart Strap", "batery-level")
      #expect(wrong.status == 64 && wrong.errorText.contains("did you mean battery-level"))
    }
  }

  @Test("Distances follow the strength at one metre and the path loss that are given")
  func distances() async throws {
    try await withSimulator { simulated in
      let options = ["scan", "--address", "C1:BE:AC:00:00:01", "--count", "1", "--duration", "60s", "--json"]
      let result = try await Blectl(bus: simulated.address)
        .start(options + ["--rssi-at-1m", "-20", "--path-loss", "4"]).result()
      let record = try #require(try result.records.first)
      #expect(record["distance_basis"]?.text == "given")
      // The beacon is heard at -67 dBm, give or take 4.
      #expect((12.0...20.0).contains(record["distance"]?.real ?? 0))
      for wrong in [["--rssi-at-1m", "0"], ["--path-loss", "0"], ["--path-loss", "nan"]] {
        #expect(try await Blectl(bus: simulated.address).start(options + wrong).result().status == 64)
      }
    }
  }
}

@Suite("Names of devices")
struct NameTests {
  @Test("A pattern counts characters, not bytes, whatever the locale", arguments: ["C", "C.UTF-8"])
  func characters(locale: String) async throws {
    let world = #"{"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Café"}]}"#
    try await TemporaryFile.with(Array(world.utf8), named: "world.json") { file in
      let scan = try await Blectl().run(
        "scan", "--name", "Caf?", "--count", "1", "--duration", "60s", "--json", "--simulate=\(file.path)",
        environment: ["LC_ALL": locale])
      #expect(try scan.records.map { $0["name"]?.text } == ["Café"])
      let info = try await Blectl().run(
        "info", "Caf?", "--json", "--simulate=\(file.path)", environment: ["LC_ALL": locale])
      #expect(try info.records.map { $0["name"]?.text } == ["Café"], "\(info.errorText)")
    }
  }
}
