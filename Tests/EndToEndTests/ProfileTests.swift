// SPDX-License-Identifier: MIT
internal import TestSupport
internal import Testing

@Suite("Profiles of the command line")
struct ProfileTests {
  private static let world = """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Attic",
      "advertisement": {"manufacturer_data": {"ffff": "0134085e"}}, "services": [
        {"uuid": "fff0", "characteristics": [
          {"uuid": "fff1", "properties": ["read", "write"], "value": "34085e"},
          {"uuid": "fff2", "properties": ["notify"]}]}]}]}
    """

  private static let profile = """
    {"services": [{"uuid": "fff0", "name": "Loft"}],
     "characteristics": [{"uuid": "fff1", "name": "loft climate", "layout": "temperature=i16*0.01°C humidity=u8*0.5%"}],
     "advertisements": [{"company": "ffff", "prefix": "01", "name": "Loft sensor", "layout": "temperature=i16*0.01°C _[]"}]}
    """

  /// Runs a test in a folder with a world and a profile.
  private static func inFolder(_ body: (ToolFolder) async throws -> Void) async throws {
    try await ToolFolder.with { folder in
      try folder.write(world, to: "world.json")
      try folder.write(profile, to: "attic.json")
      try await body(folder)
    }
  }

  @Test("A file is checked, and its examples are decoded")
  func check() async throws {
    try await Self.inFolder { folder in
      let checked = try await folder.run("blectl profile check attic.json")
      #expect(checked.text == "3 entries, no mistakes\n" && checked.status == 0, "\(checked.errorText)")
      let examples = try await folder.run(
        "blectl profile check attic.json --example loft-climate=34085e --example fff1=0000 --example loft-sensor=013408"
      )
      #expect(
        examples.lines == [
          "loft climate: temperature 21.00 °C, humidity 47.0 %",
          "loft climate: temperature 0.00 °C (1 byte missing for humidity_percent)", "Loft sensor: 21.00 °C",
        ], "\(examples.errorText)")
      let unknown = try await folder.run("blectl profile check attic.json --example attic=00")
      #expect(unknown.status == 4)
    }
  }

  @Test("A log is decoded by the layouts of a file, and what it says nothing of is counted")
  func log() async throws {
    try await Self.inFolder { folder in
      let device = #""address":"C0:00:00:00:00:01","name":"Attic""#
      let log = """
        {"event":"connected","time":"2026-04-12T12:34:40.000000Z",\(device)}
        {"event":"value","time":"2026-04-12T12:34:41.000000Z",\(device),"service":"fff0","characteristic":"fff1","value":"34085e"}
        {"event":"value","time":"2026-04-12T12:34:42.000000Z",\(device),"service":"fff0","characteristic":"fff2","value":"01"}
        {"event":"found","time":"2026-04-12T12:34:43.000000Z",\(device),"manufacturer_data":{"ffff":"0134085e","0499":"05"}}
        {"event":"value","time":"2026-04-12T12:34:44.000000Z",\(device),"service":"fff0","characteristic":"fff1","value":"3408"}
        {"event":"value","time":"2026-04-12T12:34:45.000000Z",\(device),"service":"fff0","characteristic":"fff1","offset":2,"value":"5e"}
        """
      try folder.write(log, to: "log.ndjson")
      let text = try await folder.run("blectl profile check attic.json --log log.ndjson")
      #expect(
        text.lines == [
          "2026-04-12T12:34:41.000000Z\tC0:00:00:00:00:01\tloft climate\ttemperature 21.00 °C, humidity 47.0 %",
          "2026-04-12T12:34:43.000000Z\tC0:00:00:00:00:01\tLoft sensor\t21.00 °C",
          "2026-04-12T12:34:44.000000Z\tC0:00:00:00:00:01\tloft climate\ttemperature 21.00 °C (1 byte missing for humidity_percent)",
        ], "\(text.errorText)")
      #expect(text.errorText == "blectl: 3 of 6 values decoded, 1 with bytes that do not fit\n")
      let json = try await folder.run("blectl profile check attic.json --log - --json <log.ndjson")
      let first = try #require(try json.records.first)
      #expect(first["time"]?.text == "2026-04-12T12:34:41.000000Z")
      #expect(first["address"]?.text == "C0:00:00:00:00:01")
      #expect(first["decoded"]?["humidity_percent"]?.real == 47)
      let none = try await folder.run(
        "echo '{\"event\":\"found\"}' | blectl profile check attic.json --log -")
      #expect(none.status == 1)
      #expect(none.errorText.contains("no entry with a layout describes any of its 0 values"))
      let broken = try await folder.run("printf '\\n{]' | blectl profile check attic.json --log -")
      #expect(broken.status == 64)
      #expect(broken.errorText.contains("line 2:2"), "\(broken.errorText)")
    }
  }

  @Test("A world file takes names of profiles in the place of UUIDs, and a snapshot writes them as comments")
  func worldNames() async throws {
    try await Self.inFolder { folder in
      let world = """
        {"peripherals": [{"address": "C0:00:00:00:00:02", "name": "Roof", "advertisement": {"services": ["loft"]},
          "services": [{"uuid": "Loft", "characteristics": [
            {"uuid": "loft climate", "properties": ["read"], "value": "34085e"},
            {"uuid": "fff2", "properties": ["write"], "on_write": {"echo": "fff3"}},
            {"uuid": "fff3", "properties": ["notify"]}]}]}]}
        """
      try folder.write(world, to: "own.json")
      let snapshot = try await folder.run(
        "blectl snapshot Roof --simulate=own.json --profile attic.json --json")
      let device = try #require(try snapshot.records.first?["peripherals"]?[0], "\(snapshot.errorText)")
      #expect(device["comment"] == nil)
      #expect(device["advertisement"]?["services"]?.elements.map(\.text) == ["fff0"])
      let service = try #require(device["services"]?.elements.first { $0["uuid"]?.text == "fff0" })
      #expect(service["comment"]?.text == "Loft")
      #expect(service["characteristics"]?.elements.map { $0["comment"]?.text } == ["loft climate", nil, nil])
      let unknown = try await folder.run("blectl snapshot Roof --simulate=own.json")
      #expect(unknown.status == 64)
      #expect(unknown.errorText.contains("own.json:"))
    }
  }

  @Test("Messages call a characteristic as it was typed, or as a profile does")
  func words() async throws {
    try await Self.inFolder { folder in
      let typed = try await folder.run("blectl read Strap heart-rate-measurement -v --simulate")
      #expect(
        typed.errorText.hasPrefix("blectl: cannot read heart-rate-measurement of Strap: "),
        "\(typed.errorText)")
      #expect(typed.errorText.contains("cause: heart-rate-measurement is 2a37\n"), "\(typed.errorText)")
      let own = try await folder.run(
        "blectl write Attic fff1 00 --reply loft-climate --profile attic.json --simulate=world.json")
      #expect(own.errorText.contains("loft climate"), "\(own.errorText)")
      #expect(!own.errorText.contains("fff1"), "\(own.errorText)")
    }
  }

  @Test("The beginning of a UUID that a profile has stands for it")
  func beginnings() async throws {
    try await Self.inFolder { folder in
      try folder.write(
        """
        {"services": [{"uuid": "7a1c0001-4b6e-4d0a-9f21-0c5e8a7b1200", "name": "Rig"}],
         "characteristics": [{"uuid": "7a1c0005-4b6e-4d0a-9f21-0c5e8a7b1200", "name": "charge", "layout": "charge=u8%"}]}
        """, to: "rig.json")
      let decoded = try await folder.run("blectl decode 7a1c0005 07 --profile rig.json")
      #expect(decoded.text == "7 %\n", "\(decoded.errorText)")
      let scan = "blectl scan --service 7a1c0001 --duration 1s --simulate=world.json"
      #expect(try await folder.run("\(scan) --profile rig.json").status == 0)
      let unknown = try await folder.run(scan)
      #expect(unknown.status == 64)
      #expect(unknown.errorText.contains("is only the beginning of a UUID"), "\(unknown.errorText)")
    }
  }

  @Test("The mistakes of all files are told with their places, with status 64")
  func mistakes() async throws {
    try await Self.inFolder { folder in
      try folder.write("{\"devices\": 1}", to: "bad.json")
      try folder.write("[\n}", to: "worse.json")
      let result = try await folder.run("blectl profile check attic.json bad.json worse.json")
      #expect(result.status == 64 && result.text.isEmpty)
      let lines = result.errorText.split(separator: "\n").map(String.init)
      #expect(
        lines.first
          == "blectl: cannot use a profile: bad.json:1:13: /devices: expected an array of devices, found 1")
      #expect(lines.contains("  worse.json:2:1: /0: expected a value, found \"}\""))
      let named = try await folder.run("blectl uuid battery --profile bad.json")
      #expect(named.status == 64 && named.text.isEmpty)
      #expect(named.errorText.hasPrefix("blectl: cannot use a profile: bad.json:1:13: /devices: "))
    }
  }

  @Test("Own names and layouts are known by an option, a variable, and the folder of the user")
  func places() async throws {
    try await Self.inFolder { folder in
      let read = "blectl read Attic loft-climate --as auto --simulate=world.json"
      let wanted = "temperature 21.00 °C, humidity 47.0 %\t34085e\n"
      let option = try await folder.run("\(read) --profile attic.json")
      #expect(option.text == wanted, "\(option.errorText)")
      let variable = try await folder.run("BLECTL_PROFILE=attic.json \(read)")
      #expect(variable.text == wanted, "\(variable.errorText)")
      let home = try await folder.run(
        "mkdir -p config/blectl/profiles && cp attic.json config/blectl/profiles && XDG_CONFIG_HOME=$PWD/config \(read)"
      )
      #expect(home.text == wanted, "\(home.errorText)")
      let unknown = try await folder.run("XDG_CONFIG_HOME=/nowhere \(read)")
      #expect(unknown.status == 64)
    }
  }

  @Test("A wrong file in the folder of the user is ignored with a warning, when it is needed")
  func ignored() async throws {
    try await Self.inFolder { folder in
      try folder.write(
        "{\"characteristics\": [{\"uuid\": \"fff7\", \"name\": \"odd\", \"layout\": \"u61\"}]}",
        to: "bad.json")
      let prepare =
        "mkdir -p config/blectl/profiles && cp attic.json bad.json config/blectl/profiles && XDG_CONFIG_HOME=$PWD/config"
      let good = try await folder.run("\(prepare) blectl decode fff1 34085e")
      #expect(
        good.text == "temperature 21.00 °C, humidity 47.0 %\n" && good.errorText.isEmpty, "\(good.errorText)")
      let bad = try await folder.run("\(prepare) blectl decode fff7 00")
      #expect(bad.status == 4)
      #expect(bad.errorText.contains("blectl: a profile is ignored: "))
      #expect(bad.errorText.contains("bad.json:1:64: /characteristics/0/layout: "))
      let name = try await folder.run("\(prepare) blectl decode odd 00")
      #expect(name.status == 64)
      #expect(name.errorText.contains("blectl: a profile is ignored: "))
      #expect(!name.errorText.contains("did you mean odd"), "\(name.errorText)")
    }
  }

  @Test("Advertisements are decoded in scans, and numbers are looked up")
  func advertisements() async throws {
    try await Self.inFolder { folder in
      let scan = try await folder.run(
        "blectl scan --simulate=world.json --profile attic.json --name Attic --count 1 --json")
      #expect(
        scan.text.contains("\"beacon\":{\"type\":\"loft-sensor\",\"temperature_celsius\":21.00}"),
        "\(scan.text)")
      let decoded = try await folder.run("blectl decode ffff 013408 --profile attic.json")
      #expect(decoded.text == "Loft sensor 21.00 °C\n", "\(decoded.errorText)")
      let uuid = try await folder.run("blectl uuid loft --profile attic.json")
      #expect(
        uuid.lines.map { $0.split(separator: "\t").prefix(4).joined(separator: " ") } == [
          "fff0 service Loft you", "fff1 characteristic loft climate you",
        ])
    }
  }

  @Test("A device has the name that a profile gives its address, where it is printed and where it is named")
  func device() async throws {
    try await Self.inFolder { folder in
      try folder.write(
        #"{"devices": [{"name": "Beam", "address": "C0:00:00:00:00:01"}]}"#, to: "devices.json")
      let options = "--simulate=world.json --profile devices.json"
      let read = try await folder.run("blectl read Beam fff1 \(options)")
      #expect(read.text == "34085e\n", "\(read.errorText)")
      let reported = try await folder.run("blectl read Attic fff1 \(options)")
      #expect(reported.text == "34085e\n", "\(reported.errorText)")
      let scan = try await folder.run("blectl scan --count 1 --json --name Beam \(options)")
      #expect(scan.text.contains(#""address":"C0:00:00:00:00:01""#) && scan.text.contains(#""name":"Beam""#))
    }
  }

  @Test("What is known is shown with its file, in a pipe and as JSON")
  func show() async throws {
    try await Self.inFolder { folder in
      let text = try await folder.run("blectl profile show --profile attic.json")
      #expect(
        text.lines == [
          "service\tfff0\tLoft\t\t\tattic.json",
          "characteristic\tfff1\tloft climate\ttemperature_celsius humidity_percent\t\tattic.json",
          "advertisement\tffff\tLoft sensor\ttemperature_celsius\tbegins with 01\tattic.json",
        ], "\(text.errorText)")
      let json = try await folder.run("blectl profile show attic.json --json")
      #expect(
        json.lines.last
          == #"{"kind":"advertisement","number":"ffff","name":"Loft sensor","only":["begins with 01"],"keys":["temperature_celsius"],"file":"attic.json"}"#
      )
    }
  }

  @Test("A file begins with the unknown UUIDs of a device, and is a profile")
  func begin() async throws {
    try await Self.inFolder { folder in
      let new = try await folder.run(
        "blectl profile new Attic --simulate=world.json > new.json && blectl profile check new.json && cat new.json"
      )
      #expect(new.status == 0, "\(new.errorText)")
      #expect(new.text.hasPrefix("3 entries, no mistakes\n"))
      #expect(new.text.contains("\"comment\": \"read write; value: 34085e, 3 bytes\""))
      #expect(new.text.contains("\"uuid\": \"fff2\""))
    }
  }
}
