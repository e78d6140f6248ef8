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
