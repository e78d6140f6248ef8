// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@Suite("Keys")
struct KeysTests {
  private static let key = "231d39c1d7cc1ab1aee224cd096db932"
  private static let irk = "ec0234a357c8ad05341010a60a397d9b"
  private static let sensor = "54:48:E6:8F:80:A5"

  /// The encrypted sensor of the documentation of BTHome, and a phone with a private address.
  private static let world = World(peripherals: [
    PeripheralSpec(
      address: sensor, isAddressPublic: true,
      advertisement: AdvertisementSpec(
        serviceData: [
          .init(
            service: BTHome.service,
            bytes: [0x41, 0xa4, 0x72, 0x66, 0xc9, 0x5f, 0x73, 0, 0x11, 0x22, 0x33, 0x78, 0x23, 0x72, 0x14])
        ])),
    PeripheralSpec(
      address: "C8:0F:10:00:00:01", privateAddress: "70:81:94:0D:FB:AA",
      advertisement: AdvertisementSpec(name: "iThing")),
  ])

  /// Runs a test with a configuration of its own, whose keys file does not exist yet.
  private func withKeys<Result>(
    _ body: (Blectl, [String: String?], ScratchDirectory) async throws -> Result
  ) async throws -> Result {
    try await withSimulator(world: Self.world) { simulated in
      let scratch = try ScratchDirectory()
      let variables = ["XDG_CONFIG_HOME": scratch.path]
      let result = try await body(Blectl(bus: simulated.address), variables, scratch)
      unlink("\(scratch.path)/blectl/keys.json")
      rmdir("\(scratch.path)/blectl")
      return result
    }
  }

  private func addKeys(_ blectl: Blectl, _ environment: [String: String?]) async throws {
    let bind = try await blectl.run(
      "keys", "add", Self.sensor, environment: environment, input: Array("\(Self.key)\n".utf8))
    #expect(bind.status == 0, "\(bind.errorText)")
    #expect(bind.errorText == "added the bind key of \(Self.sensor)\n")
    let identity = try await blectl.run(
      "keys", "add", "Phone", "--json", environment: environment, input: Array("\(Self.irk)\n".utf8))
    #expect(identity.text == "{\"event\":\"added\",\"kind\":\"identity\",\"name\":\"Phone\"}\n")
  }

  @Test("Keys are added, listed without the keys, and removed")
  func ring() async throws {
    try await withKeys { blectl, environment, scratch in
      try await addKeys(blectl, environment)
      var status = stat()
      #expect(stat("\(scratch.path)/blectl/keys.json", &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      let list = try await blectl.run("keys", environment: environment)
      #expect(list.text == "bind-key\t\(Self.sensor)\t\nidentity\t\tPhone\n")
      let removed = try await blectl.run("keys", "remove", Self.sensor, "Phone", environment: environment)
      #expect(removed.errorText == "removed the bind key of \(Self.sensor)\nremoved Phone\n")
      #expect(try await blectl.run("keys", environment: environment).text.isEmpty)
      let missing = try await blectl.run("keys", "remove", "Phone", environment: environment)
      #expect(missing.status == 4)
    }
  }

  @Test(
    "A key as an argument is refused, and not repeated", arguments: [key, irk, "7AI0o1fIrQU0EBCmCjl9mw=="])
  func argument(_ text: String) async throws {
    for words in [["add", text], ["add", "Phone", text], ["remove", text]] {
      let result = try await Blectl().start(["keys"] + words).result()
      #expect(result.status == 64)
      #expect(result.errorText.contains("must not be an argument"))
      #expect(!result.errorText.contains(text))
    }
  }

  @Test("With its key, a sensor is decoded by every command that shows it; without, that is told once")
  func decrypted() async throws {
    try await withKeys { blectl, environment, _ in
      let before = try await blectl.run("scan", "--duration", "2s", "--duplicates", environment: environment)
      #expect(before.text.contains("BTHome (encrypted)"))
      let hint =
        "\(Self.sensor) sends encrypted data; to decode it, store its key: blectl keys add \(Self.sensor)\n"
      #expect(before.errorText == hint)
      try await addKeys(blectl, environment)
      let commands = [
        ["scan", "--duration", "2s"], ["info", Self.sensor],
        ["decode", "fcd2", "41a47266c95f730011223378237214", "--address", Self.sensor],
      ]
      for words in commands {
        let result = try await blectl.start(words, environment: environment).result()
        #expect(result.text.contains("BTHome 25.06 °C, humidity 50.55 %"), "\(words) \(result.errorText)")
        let json = try await blectl.start(words + ["--json"], environment: environment).result()
        #expect(json.text.contains("\"temperature_celsius\":25.06"))
      }
      let monitor = try await blectl.run(
        "monitor", "--scan", "--rssi", "--address", Self.sensor, "--count", "1", "--json",
        environment: environment)
      #expect(try monitor.records.first?["beacon"]?["decryption"]?.text == "ok")
    }
  }

  @Test("A wrong key is an error of its device, once, and the command goes on")
  func wrong() async throws {
    try await withKeys { blectl, environment, _ in
      _ = try await blectl.run(
        "keys", "add", Self.sensor, environment: environment, input: Array("\(Self.irk)\n".utf8))
      let scan = try await blectl.run("scan", "--duration", "2s", "--duplicates", environment: environment)
      #expect(scan.status == 0)
      #expect(
        scan.errorText == "blectl: cannot decrypt the data of \(Self.sensor): the key does not fit the data\n"
      )
      #expect(scan.text.contains(", wrong key"))
      let decode = try await blectl.run(
        "decode", "fcd2", "41a47266c95f730011223378237214", "--address", Self.sensor, environment: environment
      )
      #expect(decode.status == 1)
      #expect(decode.errorText.contains("the key does not fit the data"))
    }
  }

  @Test("A device with a private address is shown and found by the name of its key")
  func identity() async throws {
    try await withKeys { blectl, environment, _ in
      try await addKeys(blectl, environment)
      for device in ["Phone", "iThing", "70:81:94:0D:FB:AA"] {
        let info = try await blectl.run("info", device, "--json", environment: environment)
        let record = try #require(try info.records.first, "\(info.errorText)")
        #expect(record["name"]?.text == "Phone")
        #expect(record["identity"]?.text == "Phone")
        #expect(record["address_kind"]?.text == "resolvable")
      }
      let unknown = try await blectl.run("info", "iThing", "--json")
      let record = try #require(try unknown.records.first)
      #expect(record["name"]?.text == "iThing")
      #expect(record["identity"] == nil)
    }
  }

  @Test(
    "A file that others can read is refused: a given one ends the command, another one is told, and not used")
  func permissions() async throws {
    try await withKeys { blectl, environment, scratch in
      try await addKeys(blectl, environment)
      let path = "\(scratch.path)/blectl/keys.json"
      chmod(path, 0o644)
      let refusal =
        "blectl: cannot use the keys in \(path): others can read or change it (mode 644)\nhint: chmod 600 \(path)\n"
      let scan = try await blectl.run("scan", "--duration", "1s", "-q", environment: environment)
      #expect(scan.status == 0)
      #expect(scan.errorText == refusal)
      #expect(scan.text.contains("BTHome (encrypted)"))
      let given = try await blectl.run("scan", "--duration", "1s", "--keys", path)
      #expect(given.status == 64)
      #expect(given.errorText == refusal)
      let none = try await blectl.run("scan", "--keys", "\(scratch.path)/none.json")
      #expect(none.status == 64)
      #expect(none.errorText.contains("there is no such file"))
    }
  }

  @Test("No key is ever in the output, the errors, the traffic, a log or the arguments of a process")
  func secrecy() async throws {
    try await withKeys { blectl, environment, scratch in
      try await addKeys(blectl, environment)
      try scratch.write("theengs.json", Array("{\"bindkeys\": {\"\(Self.sensor)\": \"\(Self.key)\"}}".utf8))
      let logs = ["log.ndjson", "log.csv"].map { "\(scratch.path)/\($0)" }
      let child = #"env; tr '\0' ' ' < /proc/$PPID/cmdline; cat"#
      var all = ""
      let commands: [(words: [String], input: String)] = [
        (["scan", "--duration", "2s", "--json", "-vv", "--log", logs[0]], ""),
        (["info", "Phone", "-vv"], ""),
        (["monitor", "--scan", "--rssi", "--count", "4", "-vv", "--log", logs[1]], ""),
        (["monitor", "--scan", "--rssi", "--count", "2", "-vv", "--exec", child], ""),
        (["read", "Phone", "2a00", "-vv", "--json", "--timeout", "5s"], ""),
        (["devices", "-vv", "--json"], ""),
        (["run", "Phone", "-", "-vv", "--timeout", "5s"], "info\n"), (["doctor", "-vv"], ""),
        (["keys", "-vv"], ""), (["keys", "--json"], ""), (["keys", "remove", "Nobody", "-vv"], ""),
        (["keys", "add", Self.sensor, "-vv"], Self.key),
        (["keys", "add", Self.sensor, "-vv"], Self.key + "0"),
        (["keys", "add", "Phone", "-vv", "--json"], Self.irk),
        (["keys", "import", "\(scratch.path)/theengs.json", "-vv"], ""),
        (["decode", "fcd2", "41a47266c95f730011223378237214", "--address", Self.sensor, "-vv"], ""),
      ]
      for (words, input) in commands {
        let result = try await blectl.start(
          words, environment: environment, input: Array("\(input)\n".utf8)
        ).result()
        all += result.text + result.errorText
      }
      all += scratch.read("log.ndjson") + scratch.read("log.csv")
      #expect(all.contains("BLECTL_") && all.contains("--exec"))
      let running = try blectl.start(
        ["scan", "--duration", "0", "--json"], environment: environment)
      #expect(await running.waitForOutput { $0.contains("Phone") })
      all += RecordedFile.read("/proc/\(running.process)/cmdline") ?? ""
      all += RecordedFile.read("/proc/\(running.process)/environ") ?? ""
      running.send(signal: SIGINT)
      all += await running.result().text
      #expect(all.contains("Phone"))
      #expect(all.contains("25.06"))
      let reversed = String(Self.irk.reversed())
      for secret in [Self.key, Self.irk, reversed] {
        #expect(!all.lowercased().contains(secret.prefix(12)))
      }
    }
  }

  @Test("Keys are imported from the folder of bluetoothd, and from files of other programs")
  func imports() async throws {
    try await withKeys { blectl, environment, scratch in
      try scratch.write("theengs.json", Array("{\"bindkeys\": {\"\(Self.sensor)\": \"\(Self.key)\"}}".utf8))
      let file = try await blectl.run(
        "keys", "import", "\(scratch.path)/theengs.json", "--json", environment: environment)
      #expect(file.text == "{\"event\":\"added\",\"kind\":\"bind-key\",\"address\":\"\(Self.sensor)\"}\n")
      let again = try await blectl.run(
        "keys", "import", "\(scratch.path)/theengs.json", environment: environment)
      #expect(again.errorText == "nothing new\n")
      try scratch.write("empty.json", Array("{}".utf8))
      let empty = try await blectl.run(
        "keys", "import", "\(scratch.path)/empty.json", environment: environment)
      #expect(empty.status == 1)
      #expect(empty.errorText.contains("it has no keys that are understood"))
      let scan = try await blectl.run("scan", "--duration", "2s", environment: environment)
      #expect(scan.text.contains("25.06 °C"))
    }
  }

  @Test("The alias that a user set in BlueZ is the device's name")
  func alias() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      _ = try await blectl.run("connect", Address.strap)
      let path = "/org/bluez/hci0/dev_" + Address.strap.replacing(":", with: "_")
      let set = try await ToolRun(
        "/usr/bin/env",
        [
          "dbus-send", "--bus=\(simulated.address)", "--dest=org.bluez", "--print-reply", path,
          "org.freedesktop.DBus.Properties.Set", "string:org.bluez.Device1", "string:Alias",
          "variant:string:Chest belt",
        ]
      ).result()
      #expect(set.status == 0, "\(set.errorText)")
      let devices = try await blectl.run("devices", "--json")
      #expect(try devices.records.compactMap { $0["name"]?.text }.contains("Chest belt"))
      for device in ["Chest belt", "Heart Strap"] {
        let result = try await blectl.run("read", device, "2a38", "--json")
        #expect(try result.records.first?["name"]?.text == "Chest belt", "\(result.errorText)")
      }
    }
  }
}
