// SPDX-License-Identifier: MIT
internal import BLECentral
internal import Glibc
internal import TestSupport
internal import Testing

extension Contract {
  @Suite("Commands")
  struct Commands {
    private func blectl() async throws -> Blectl { Blectl(bus: try await Stages.shared.value.address) }

    @Test("Scan prints a record of each advertiser")
    func scan() async throws {
      let running = try await blectl().start(["scan", "--duration", "0", "--json"])
      let expected = ["C8:0F:10:01:02:03", "C1:BE:AC:00:00:01"]
      #expect(await running.waitForOutput { text in expected.allSatisfy(text.contains) })
      running.send(signal: SIGINT)
      let result = await running.result()
      #expect(result.signal == SIGINT)
      let records = try result.records.filter { $0["event"]?.text == "found" }
      let band = try #require(records.first { $0["address"]?.text == "C8:0F:10:01:02:03" })
      #expect(band["name"]?.text == "MI Band 2")
      #expect(band["manufacturer_data"]?["0157"]?.text == "0100c80f10010203")
      // Those of its tree, once it was connected.
      let services = band["services"]?.elements.compactMap(\.text) ?? []
      #expect(services.contains("0000fee0-0000-1000-8000-00805f9b34fb"))
      #expect(band["rssi"]?.number != nil)
    }

    @Test("Services prints the wristband's tree")
    func services() async throws {
      let result = try await blectl().run("services", "MI Band 2")
      #expect(result.status == 0)
      let rows = result.lines.map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      let printed = rows.filter { $0[0] == "characteristic" }.map { [$0[2], $0[3]] }
      let expected = Wristband.tree.flatMap(\.1).map {
        [$0.0.description, CharacteristicProperties(rawValue: $0.1).names.joined(separator: ",")]
      }
      let common = ["2a05"] + (Stages.commonServices.isEmpty ? [] : ["2a00", "2a01"])
      #expect(printed.filter { !common.contains($0[0]) } == expected)
    }

    @Test("Reads one after the other work, though BlueZ takes 2 s to close a link")
    func readsInARow() async throws {
      for _ in 1...4 {
        let result = try await blectl().run("read", "MI Band 2", "2a28", "--as", "utf8")
        #expect(result.text == "V1.0.1.81\n", "\(result.errorText)")
        #expect(result.status == 0)
      }
    }

    @Test(
      "A device that accepts no connections is reported as such", arguments: ["Garden", "C1:BE:AC:00:00:01"])
    func beacon(_ device: String) async throws {
      let result = try await blectl().run("connect", device, "--timeout", "60s")
      #expect(result.status == 1)
      #expect(result.errorText.contains("it accepts no connections"), "\(result.errorText)")
    }

    @Test("A subscription over a link that is still going down is carried on over a new one")
    func subscribeToDyingLink() async throws {
      let read = try await blectl().run("read", "Heart Strap", "2a38")
      #expect(read.text == "01\n", "\(read.errorText)")
      let result = try await blectl().run("subscribe", "Heart Strap", "2a37", "--count", "8", "--json")
      #expect(result.status == 0, "\(result.errorText)")
      let records = try result.records
      #expect(records.count { $0["event"]?.text == "value" } == 8)
      // Once it was reported, its end is reported too.
      let links = records.filter { $0["event"]?.text != "value" }
      let events = links.compactMap { $0["event"]?.text }
      #expect([["connected"], ["connected", "disconnected", "reconnected"]].contains(events), "\(events)")
      #expect(events.count == 1 || links.last?["gap_seconds"] != nil)
    }

    @Test("A value of 512 bytes goes in through stdin and comes out whole")
    func longValue() async throws {
      let bytes = (0..<512).map { UInt8(truncatingIfNeeded: $0 &* 3) }
      let blob = BuiltIn.bench(0x0101).description
      let written = try await blectl().run("write", "Contract Bench", blob, "-", input: bytes)
      #expect(written.status == 0, "\(written.errorText)")
      let read = try await blectl().run("read", "Contract Bench", blob, "--as", "raw")
      #expect(read.output == bytes)
    }

    @Test("The piano's lamps are written from a list, and each key is printed")
    func piano() async throws {
      let lamps = (UInt8(0)...0x72).map { "f03d3d\(($0 < 16 ? "0" : "") + String($0, radix: 16))02f7" }
      let result = try await blectl().run(
        "write", "Piano", "ffe3", "--from", "-", "--reply", "ffe2",
        input: Array(lamps.joined(separator: "\n").utf8))
      #expect(result.status == 0, "\(result.errorText)")
      #expect(result.lines == (UInt8(0)...0x72).map { "9f54\(($0 < 16 ? "0" : "") + String($0, radix: 16))" })
    }

    @Test("Subscribe ends at its count, on either path", arguments: ["signal", "socket"])
    func subscribe(_ path: String) async throws {
      let result = try await blectl().run(
        "subscribe", "Heart Strap", "2a37", "--count", "3", "--via", path, "--json")
      #expect(result.status == 0, "\(result.errorText)")
      let values = try result.records.filter { $0["event"]?.text == "value" }
      #expect(values.count == 3)
      #expect(values.allSatisfy { $0["via"]?.text == path && $0["value"]?.text?.count == 4 })
    }

    @Test("An indication is printed")
    func indication() async throws {
      let result = try await blectl().run(
        "write", "Contract Bench", BuiltIn.bench(0x010b).description, "cafe", "--reply",
        BuiltIn.bench(0x010a).description)
      #expect(result.text == "cafe\n", "\(result.errorText)")
    }

    @Test(
      "A refusal of the peer ends with status 1 and its words",
      arguments: [
        (UInt16(0x0102), "ATT 0x85 application error"), (0x0103, "ATT 0x02 read not permitted"),
      ])
    func refused(_ number: UInt16, _ words: String) async throws {
      let result = try await blectl().run("read", "Contract Bench", BuiltIn.bench(number).description)
      #expect(result.status == 1)
      #expect(result.errorText.contains(words))
      #expect(result.text.isEmpty)
    }

    @Test("An ambiguous characteristic is an error with its candidates; a handle tells them apart")
    func twins() async throws {
      let twin = BuiltIn.bench(0x010f).description
      let result = try await blectl().run("read", "Contract Bench", twin)
      #expect(result.status == 4)
      let handles = result.errorText.split(separator: "\n").filter { $0.hasPrefix("  ") }
        .compactMap { $0.split(separator: "@").last.map { "@\($0)" } }
      #expect(handles.count == 3)
      var values: [String] = []
      for handle in handles { values.append(try await blectl().run("read", "Contract Bench", handle).text) }
      #expect(values == ["01\n", "02\n", "03\n"])
      let second = "\(BuiltIn.bench(2))/\(twin)"
      #expect(try await blectl().run("read", "Contract Bench", second).text == "03\n")
    }

    @Test("A subscription whose link drops ends with status 1")
    func hangUp() async throws {
      let running = try await blectl().start(
        ["subscribe", "Contract Bench", BuiltIn.bench(0x0107).description, "--json"])
      #expect(await running.waitForLines(1))
      _ = try await blectl().run("write", "Contract Bench", BuiltIn.bench(0x010c).description, "01")
      let result = await running.result()
      #expect(result.status == 1)
      #expect(result.errorText.contains("the link was lost"))
      #expect(try result.records.last?["event"]?.text == "disconnected")
    }

    @Test("A device and a characteristic that do not exist end with status 4")
    func unknown() async throws {
      let device = try await blectl().run("read", "\(BuiltIn.nobody)", "2a28", "--timeout", "2s")
      #expect(device.status == 4)
      let characteristic = try await blectl().run("read", "MI Band 2", "2a99")
      #expect(characteristic.status == 4)
      #expect(characteristic.errorText.contains("no such characteristic"))
    }

    @Test("The link of connect stays; devices lists it; disconnect closes it")
    func connectStays() async throws {
      let connected = try await blectl().run("connect", "Thermometer", "--json")
      #expect(connected.status == 0, "\(connected.errorText)")
      #expect(try connected.records.last?["event"]?.text == "connected")
      let listed = try await blectl().run("devices", "--connected")
      #expect(listed.text.contains("\(BuiltIn.thermometer)"))
      let disconnected = try await blectl().run("disconnect", "Thermometer")
      #expect(disconnected.status == 0, "\(disconnected.errorText)")
      let after = try await blectl().run("devices", "--connected")
      #expect(!after.text.contains("\(BuiltIn.thermometer)"))
    }

    @Test("Ctrl-C ends a subscription with status 130 and closes the link", arguments: [SIGINT, SIGTERM])
    func interrupted(_ signal: Int32) async throws {
      let running = try await blectl().start(["subscribe", "Heart Strap", "2a37"])
      #expect(await running.waitForLines(2))
      running.send(signal: signal)
      let result = await running.result()
      #expect(result.signal == signal)
      #expect(result.errorText.isEmpty)
      try await Contract.withCentral { central in
        let peripheral = try await Contract.find(BuiltIn.strap, central)
        try await peripheral.waitUntilDisconnected(timeout: .seconds(30))
      }
    }
  }
}
