// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  /// The scale for beehives of the examples: the first adapter serves it, the second uses it by the names of its profile.
  @Suite("Own devices")
  struct OwnDevices {
    private static let folder = RecordedFile.path("Examples/hive")

    @Test(
      "A device pattern of a profile applies to the advertised name, and to the one that a connected central reads"
    )
    func pattern() async throws {
      let tool = Blectl(bus: try await Stages.twoAdapters.value.address)
      let serving = try tool.start(
        ["serve", Self.folder + "/world.json", "-i", "hci0", "--json"], input: nil, limit: .seconds(400))
      #expect(await serving.waitForOutput { $0.contains(#""event":"advertising""#) })
      for pattern in ["Hive*", "Hive Scale"] {
        let profile = """
          {"characteristics": [{"uuid": "b33f0002-6869-4765-8f01-5ca1ab1e0001", "device": "\(pattern)", "name": "Weather",
            "layout": "inside=i16*0.01°C outside=u8*0.5% _[]"}]}
          """
        try await TemporaryFile.with(Array(profile.utf8)) { file in
          let read = try await tool.run(
            "read", "Hive Scale", "weather", "--json", "-i", "hci1", "--timeout", "60s", "--profile",
            file.path,
            limit: .seconds(400))
          #expect(read.status == 0, "\(read.errorText)")
          #expect(try read.records.first?["decoded"]?["inside_celsius"] != nil, "\(read.text)")
        }
      }
      serving.send(signal: SIGINT)
      _ = await serving.result()
    }

    @Test("A device is served, read, written and expected by the fields of its profile")
    func hive() async throws {
      let tool = Blectl(bus: try await Stages.twoAdapters.value.address)
      let environment = ["BLECTL_PROFILE": Self.folder + "/profile.json", "XDG_CONFIG_HOME": Self.folder]
      let serving = try tool.start(
        ["serve", Self.folder + "/world.json", "-i", "hci0", "--json"], environment: environment, input: nil,
        limit: .seconds(400))
      #expect(await serving.waitForOutput { $0.contains(#""event":"advertising""#) })
      let script = """
        read climate state history identity --as auto
        write config rate=100 mode=fast trim=2.5
        expect config.mode = fast --read
        expect imu.ax > 3
        expect visits bees = 70000
        expect climate [0..2] i16 < 0
        """
      let result = try await tool.start(
        ["run", "Hive Scale", "-", "-i", "hci1", "--timeout", "60"], environment: environment,
        input: Array(script.utf8), limit: .seconds(400)
      ).result()
      serving.send(signal: SIGINT)
      let records = try JSONRecord.parse(await serving.result().lines)
      #expect(result.status == 0, "\(result.errorText)")
      #expect(
        result.lines.compactMap { $0.split(separator: "\t").dropFirst().first.map(String.init) }.suffix(3)
          == [
            "lid open yes, alarm no, season summer, battery 97 %", "41.50 41.48 41.52 kg",
            "model HW-2, id 00a1b2c3d4e5, made 2026-04-12 09:30:00, turns 123456789012",
          ])
      let written = records.filter { $0["event"]?.text == "written" }
      #expect(written.compactMap { $0["decoded"]?["mode"]?.text } == ["fast"])
    }

    @Test("A served value by a layout arrives with its fields and its checksum")
    func layout() async throws {
      let tool = Blectl(bus: try await Stages.twoAdapters.value.address)
      let layout = "temp=i16*0.01°C n=u16 crc16-ccitt"
      let world = """
        {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Board", "services": [
          {"uuid": "b33f00f1-6869-4765-8f01-5ca1ab1e0001", "characteristics": [
            {"uuid": "b33f00f2-6869-4765-8f01-5ca1ab1e0001", "properties": ["read", "notify"], "notifies": {
              "layout": "\(layout)", "every": "100ms", "fields": {
                "temp": {"ramp": {"from": -10, "to": 10, "period": 5}}, "n": {"counter": {"from": 7}}}}}]}]}]}
        """
      try await TemporaryFile.with(Array(world.utf8)) { file in
        let serving = try tool.start(
          ["serve", file.path, "-i", "hci0", "--json"], input: nil, limit: .seconds(400))
        #expect(await serving.waitForOutput { $0.contains(#""event":"advertising""#) })
        let result = try await tool.run(
          "subscribe", "Board", "b33f00f2-6869-4765-8f01-5ca1ab1e0001", "--as", layout, "--count", "6",
          "--json",
          "-i", "hci1", "--timeout", "60s", limit: .seconds(400))
        serving.send(signal: SIGINT)
        _ = await serving.result()
        #expect(result.status == 0, "\(result.errorText)")
        let decoded = try result.records.compactMap { $0["event"]?.text == "value" ? $0["decoded"] : nil }
        let numbers = decoded.compactMap { $0["n"]?.number }
        // A value may be sent before the subscription of the central is complete.
        let first = try #require(numbers.first)
        #expect(numbers == Array(first..<first + 6))
        let temperatures = numbers.map { Double([-10, -5, 0, 5, 10][($0 - 7) % 5]) }
        #expect(decoded.compactMap { $0["temp_celsius"]?.real } == temperatures)
        #expect(decoded.allSatisfy { $0["problem"] == nil })
      }
    }
  }
}
