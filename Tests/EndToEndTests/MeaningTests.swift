// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import TestSupport
internal import Testing

@Suite("Names and meanings")
struct MeaningTests {
  private let blectl = Blectl(bus: "unix:path=/nonexistent")

  @Test("uuid tells numbers of names and names of numbers, without Bluetooth")
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

  @Test(
    "The quick way of uuid answers as the parsed one does",
    arguments: ["heart", "2a19", "Google LLC", "1234", "nil"])
  func quickWay(_ text: String) async throws {
    let quick = try await blectl.start(["uuid", text]).result()
    let parsed = try await blectl.start(["uuid", text, "--color", "auto"]).result()
    #expect(quick.text == parsed.text)
    #expect(quick.errorText == parsed.errorText)
    #expect(quick.status == parsed.status)
  }

  @Test("What nobody has named ends with status 4, and what form it has is told")
  func unknown() async throws {
    let short = try await blectl.start(["uuid", "1234"]).result()
    #expect(short.status == 4)
    #expect(short.errorText.contains("a 16-bit UUID") && short.errorText.contains("00001234-0000-1000"))
    let random = try await blectl.start(["uuid", "12345678-1234-4234-8234-123456781234"]).result()
    #expect(random.status == 4 && random.errorText.contains("made at random"))
    let misspelt = try await blectl.start(["uuid", "hart", "rate"]).result()
    #expect(misspelt.status == 4 && misspelt.errorText.contains("hint: blectl uuid heart-rate"))
    #expect(try await blectl.start(["uuid", "--kind", "colour", "red"]).result().status == 64)
  }

  @Test("Names stand for UUIDs wherever one is typed")
  func names() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("read", "Heart Strap", "battery-level", "--as", "u8").text == "87\n")
      #expect(
        try await blectl.run("read", "Heart Strap", "Battery/Battery Level", "--as", "u8").text == "87\n")
      let found = try await blectl.run("scan", "--service", "heart-rate", "--count", "1", "--json")
      #expect(try found.records.map { $0["name"]?.text } == ["Heart Strap"])
      let wrong = try await blectl.run("read", "Heart Strap", "batery-level")
      #expect(wrong.status == 64 && wrong.errorText.contains("did you mean battery-level"))
    }
  }

  @Test("Distances follow the strength at one metre and the path loss that are given")
  func distances() async throws {
    try await withSimulator { simulated in
      let options = ["scan", "--address", "C1:BE:AC:00:00:01", "--count", "1", "--json"]
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
