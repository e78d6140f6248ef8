// SPDX-License-Identifier: MIT
internal import Glibc
internal import TestSupport
internal import Testing

/// `update` on simulated devices: what it does, says and leaves.
@Suite("Updates of firmware", .timeLimit(.minutes(3)))
struct UpdateTests {
  /// Runs a script in a folder with firmware of each kind, whose version is 2.0.0.
  private func run(_ script: String, world: String? = nil) async throws -> ToolResult {
    try await ToolFolder.with { folder in
      if let world { try folder.write(world, to: "w.json") }
      return try await folder.run(Self.prelude + "; " + script)
    }
  }

  private static let prelude = """
    export XDG_STATE_HOME=$PWD/state XDG_CONFIG_HOME=/nonexistent
    blectl simulate --firmware smp >smp && blectl simulate --firmware secure-dfu >secure-dfu \
    && blectl simulate --firmware legacy-dfu >legacy-dfu
    """

  /// A world with one sensor; `smp` are members of its server.
  private static func sensor(_ smp: String) -> String {
    """
    {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Sensor", "mtu": 247, "smp": {"version": "1.2.3"\(smp)}}]}
    """
  }

  // MARK: What it does

  @Test(
    "Firmware of each protocol reaches its device, whose new version answers",
    arguments: [
      ("Sensor", "smp", "1.2.3"), ("Strap", "secure-dfu", "1.0.0"), ("Watch", "legacy-dfu", "1.14.0"),
    ])
  func updated(device: String, kind: String, version: String) async throws {
    let result = try await run("blectl update \(device) \(kind) --json --simulate=update")
    #expect(result.status == 0, "\(result.errorText)")
    let records = try result.records
    let last = try #require(records.last)
    #expect(last["event"]?.text == "updated")
    #expect(last["name"]?.text == device && last["protocol"]?.text == kind)
    #expect(last["from"]?.text == version && last["to"]?.text == "2.0.0")
    #expect((last["bytes"]?.number ?? 0) >= 12_000 && last["seconds"]?.real != nil)
    #expect(last["confirmed"]?.flag == true)
    #expect(records.first?["event"]?.text == "planned" && records.first?["already"]?.flag == false)
    let stages = records.compactMap { $0["stage"]?.text }
    #expect(stages.contains("transferring"), "\(stages)")
    #expect(stages.contains("jumping") == (device == "Strap"), "\(stages)")
    let done = records.filter { $0["stage"]?.text == "transferring" }.compactMap { $0["bytes"]?.number }
    #expect(done == done.sorted(), "\(done)")
  }

  @Test("An update says what runs, what will, and what has come of it; nothing goes to standard output")
  func words() async throws {
    let result = try await run("blectl update Sensor smp --simulate=update")
    #expect(result.status == 0 && result.text.isEmpty, "\(result.text)\(result.errorText)")
    let lines = result.errorText.split(separator: "\n").map(String.init)
    #expect(
      lines.first?.hasPrefix("Sensor (C6:0D:A7:E0:00:01): SMP, runs 1.2.3, will run 2.0.0; ") == true,
      "\(lines)")
    #expect(lines.last?.hasPrefix("updated Sensor: 1.2.3 → 2.0.0; ") == true, "\(lines)")
    let quiet = try await run("blectl update Sensor smp -q --simulate=update")
    #expect(quiet.status == 0 && quiet.errorText.isEmpty, "\(quiet.errorText)")
  }

  @Test("A file in the place of the device is recognised")
  func misplacedFile() async throws {
    let result = try await run("blectl update smp Sensor --simulate=update")
    #expect(result.status == 64)
    #expect(
      result.errorText == """
        blectl: cannot read Sensor: no such file, but smp is one: the device comes first
        hint: blectl update Sensor smp --simulate=update

        """)
  }

  @Test("A dry run says what would be done, and changes nothing")
  func dryRun() async throws {
    let result = try await run(
      """
      blectl simulate update -- sh -c 'blectl update Sensor smp --dry-run; blectl smp Sensor images; \
      blectl update Sensor smp --dry-run --json'
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines.contains("protocol\tSMP") && result.lines.contains("runs\t1.2.3"), "\(result.text)")
    #expect(result.lines.contains { $0.hasPrefix("0\t0\t1.2.3\tactive") }, "\(result.text)")
    #expect(!result.lines.contains { $0.hasPrefix("0\t1\t2.0.0") }, "\(result.text)")
    let line = try #require(result.lines.last)
    let planned = try #require(try JSONRecord.parse([line]).first)
    #expect(planned["event"]?.text == "planned" && planned["to"]?.text == "2.0.0")
    #expect(planned["steps"]?.elements.compactMap(\.text).contains("transferring") == true)
  }

  @Test("A device that runs the firmware already is left alone")
  func already() async throws {
    let result = try await run(
      "blectl simulate update -- sh -c 'blectl update Sensor smp -q && blectl update Sensor smp'")
    #expect(result.status == 0)
    #expect(
      result.errorText.split(separator: "\n").last == "Sensor already runs 2.0.0", "\(result.errorText)")
  }

  @Test("Firmware that is not to be confirmed is named as such, and can be confirmed later")
  func unconfirmed() async throws {
    let result = try await run(
      """
      blectl simulate update -- sh -c 'blectl update Sensor smp --confirm never; blectl smp Sensor images confirm'
      """)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("Sensor is not told to keep the new firmware"), "\(result.errorText)")
    #expect(result.errorText.contains("hint: blectl smp C6:0D:A7:E0:00:01 images confirm"))
    #expect(result.lines.contains { $0.hasPrefix("0\t0\t2.0.0\tactive, confirmed") }, "\(result.text)")
  }

  @Test("An update that only goes on is announced as such, also one that shall be kept at once")
  func unkeptBefore() async throws {
    let result = try await run(
      """
      blectl simulate w.json -- sh -c 'blectl update Sensor smp --confirm never -q
      blectl update Sensor smp --confirm now --dry-run
      blectl update Sensor smp --confirm now'
      """, world: Self.sensor(""))
    #expect(result.lines.contains("runs\t2.0.0, not kept yet; 1.2.3 before"), "\(result.text)")
    #expect(result.lines.contains("steps\tconfirm"), "\(result.text)")
    #expect(
      result.errorText.contains(
        ": SMP, ran 1.2.3, runs 2.0.0, will keep it; 0 bytes\nupdated Sensor: 1.2.3 → 2.0.0; "),
      "\(result.errorText)")
  }

  @Test("The hint for an image beside the application names it, and keeps it")
  func unconfirmedImage() async throws {
    let result = try await run(
      """
      blectl simulate w.json -- bash -c 'blectl update Sensor smp --image 1 --confirm never 2>&1 | tee said >&2; \
      eval "$(sed -n "s/^hint: //p" said)"'
      """, world: Self.sensor(#", "images": 2"#))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.lines.contains { $0.hasPrefix("1\t0\t2.0.0\tactive, confirmed") }, "\(result.text)")
  }

  @Test("With --confirm never, a device that runs the firmware is left alone, and said not to keep it")
  func unconfirmedAgain() async throws {
    let result = try await run(
      """
      blectl simulate w.json -- sh -c 'blectl update Sensor smp --confirm never -q; \
      blectl update Sensor smp --confirm never'
      """, world: Self.sensor(""))
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("Sensor already runs 2.0.0\n"), "\(result.errorText)")
    #expect(result.errorText.contains("at its next reset, it returns to 1.2.3"), "\(result.errorText)")
  }

  // MARK: What fails

  @Test(
    "A refusal has no hint that the same command goes on, and no count of bytes",
    arguments: [("9", "hint: blectl smp Sensor images"), ("13", "")])
  func refusalHints(code: String, hint: String) async throws {
    let world = Self.sensor(#", "faults": {"refuse_upload": \#(code)}"#)
    let result = try await run("blectl update Sensor smp --simulate=w.json", world: world)
    #expect(result.status == 1, "\(result.errorText)")
    #expect(!result.errorText.contains("goes on from there"), "\(result.errorText)")
    #expect(!result.errorText.contains("certainly arrived"), "\(result.errorText)")
    #expect(result.errorText.contains(hint))
  }

  @Test("Without anybody who can be asked for a passkey, a device that requires one is given up soon")
  func nobodyToAsk() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Sensor", "mtu": 247,
        "pairing": {"capability": "display-only", "mitm": "wanted", "passkey": "042017"},
        "smp": {"version": "1.2.3", "security": "authenticated"}}]}
      """
    let result = try await run(
      "blectl update Sensor smp --pair --timeout 2s --simulate=w.json", world: world)
    #expect(result.status != 0)
    #expect(result.errorText.contains("passkey"), "\(result.errorText)")
    #expect(result.errorText.split(separator: "\n").count < 6, "\(result.errorText)")
  }

  @Test("Even by force, a file that is no firmware is not sent")
  func forcedNoise() async throws {
    let result = try await run(
      "head -c 5000 /dev/zero >noise; blectl update Sensor noise --force --bus unix:path=/nonexistent")
    #expect(result.status == 64, "\(result.errorText)")
    #expect(result.errorText.contains("hint: blectl firmware noise"), "\(result.errorText)")
  }

  @Test("Firmware that the device does not keep is a failure")
  func reverted() async throws {
    let world = Self.sensor(#", "new_firmware": "hangs""#)
    let result = try await run("blectl update Sensor smp --json --simulate=w.json", world: world)
    #expect(result.status == 1, "\(result.errorText)")
    #expect(result.errorText.contains("blectl: cannot update Sensor: the device runs version 1.2.3 again"))
    #expect(try result.records.last?["event"]?.text == "failed")
    #expect(try result.records.last?["code"]?.text == "reverted")
  }

  @Test("A device that refuses the firmware is quoted")
  func refused() async throws {
    let world = Self.sensor(#", "faults": {"refuse_upload": 27}"#)
    let result = try await run("blectl update Sensor smp --json -v --simulate=w.json", world: world)
    #expect(result.status == 1, "\(result.errorText)")
    #expect(result.errorText.contains("blectl: cannot update Sensor: "), "\(result.errorText)")
    #expect(result.errorText.contains("cause: code 27 of the device"), "\(result.errorText)")
    #expect(try result.records.last?["device_code"]?.number == 27)
  }

  @Test(
    "A file that does not fit is refused before anything is sent",
    arguments: [
      ("noise", "blectl firmware noise"), ("cut", "blectl firmware cut"),
      ("smp --protocol legacy-dfu", "SMP"),
    ])
  func unfit(words: String, part: String) async throws {
    // Without a bus: nothing is looked for.
    let result = try await run(
      "head -c 5000 /dev/zero >noise; head -c 5000 smp >cut; blectl update Sensor \(words) --bus unix:path=/nonexistent"
    )
    #expect(result.status == 64, "\(result.errorText)")
    #expect(result.errorText.hasPrefix("blectl: cannot update Sensor: "), "\(result.errorText)")
    #expect(result.errorText.contains(part), "\(result.errorText)")
  }

  @Test("A device without any protocol of updates is told apart")
  func unable() async throws {
    let result = try await run("blectl update Piano smp --simulate")
    #expect(result.status == 1, "\(result.errorText)")
    #expect(
      result.errorText.contains("cannot update Piano: the device offers no protocol"), "\(result.errorText)")
  }

  @Test("A device that requires pairing is updated with --pair only")
  func paired() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Sensor", "mtu": 247,
        "pairing": {"capability": "display-only", "passkey": "042017"},
        "smp": {"version": "1.2.3", "security": "authenticated"}}]}
      """
    let refused = try await run("blectl update Sensor smp --simulate=w.json", world: world)
    #expect(refused.status == 1, "\(refused.errorText)")
    #expect(refused.errorText.contains("--pair"), "\(refused.errorText)")
    let result = try await run(
      "blectl update Sensor smp --pair --passkey 042017 --simulate=w.json", world: world)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("updated Sensor: 1.2.3 → 2.0.0"), "\(result.errorText)")
  }

  // MARK: Interruptions

  @Test("A link that is lost is opened again, and what has arrived is not sent again")
  func lostLinks() async throws {
    let world = Self.sensor(#", "faults": {"hang_up_at": [2000, 5000, 9000]}"#)
    let result = try await run("blectl update Sensor smp --simulate=w.json", world: world)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.contains("; going on\n"), "\(result.errorText)")
  }

  @Test("After Ctrl-C, it says what is certain, and the same command goes on from there")
  func interrupted() async throws {
    try await ToolFolder.with { folder in
      try folder.write(Self.sensor(#", "write_time": "200ms", "buf_size": 300"#), to: "w.json")
      #expect(try await folder.run(Self.prelude).status == 0)
      let running = try folder.start(
        """
        \(Self.prelude); exec blectl simulate w.json -- bash -c '
          blectl update Sensor smp --json >first & while ! grep -q "transferring.*\\"bytes\\":[1-9]" first; do sleep 0.1; done
          kill -INT $!; wait $!; echo "status $?"
          blectl update Sensor smp --json | tail -1'
        """)
      let result = await running.result()
      #expect(result.lines.first == "status 130", "\(result.text)\(result.errorText)")
      #expect(result.errorText.contains("bytes have certainly arrived"), "\(result.errorText)")
      #expect(result.errorText.contains("hint: the same command goes on from there"), "\(result.errorText)")
      let line = try #require(result.lines.last)
      let last = try #require(try JSONRecord.parse([line]).first)
      #expect(last["event"]?.text == "updated", "\(result.text)")
      #expect((last["bytes"]?.number ?? .max) < 12_000, "\(result.text)")
    }
  }

  @Test("A device that a killed run has left in its bootloader is found there by the same command")
  func killedInBootloader() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:11", "name": "Strap", "mtu": 23, "link": {"packet_time": "30ms"},
        "dfu": {"kind": "secure", "version": "1.0.0"}}]}
      """
    let result = try await run(
      """
      exec blectl simulate w.json -- bash -c '
        blectl update Strap secure-dfu --json >first & while ! grep -q "transferring.*\\"bytes\\":[1-9]" first; do sleep 0.1; done
        kill -KILL $!; wait $! 2>/dev/null
        ls state/blectl/updates
        blectl update Strap secure-dfu --json | tail -1
        ls state/blectl/updates | wc -l'
      """, world: world)
    #expect(result.lines.first == "C0-00-00-00-00-11", "\(result.text)\(result.errorText)")
    let record = try #require(result.lines.first { $0.hasPrefix("{") }, "\(result.errorText)")
    let last = try #require(try JSONRecord.parse([record]).first)
    #expect(last["event"]?.text == "updated" && last["address"]?.text == "C0:00:00:00:00:11", "\(record)")
    #expect(last["to"]?.text == "2.0.0")
    #expect(result.lines.last == "0", "\(result.text)")
  }

  @Test("With --wait, a device that is away is waited for, longer than --timeout")
  func waiting() async throws {
    let world = """
      {"peripherals": [{"address": "C0:00:00:00:00:01", "name": "Sensor", "mtu": 247, "smp": {"version": "1.2.3"}}],
       "events": [{"at": "0s", "do": "vanish", "device": "C0:00:00:00:00:01", "for": "5s"}]}
      """
    let result = try await run(
      """
      blectl update Sensor smp --timeout 1s --simulate=w.json; echo "status $?"
      blectl update Sensor smp --timeout 1s --wait --simulate=w.json; echo "status $?"
      """, world: world)
    #expect(result.lines == ["status 4", "status 0"], "\(result.errorText)")
  }

  // MARK: Racks

  /// A world of three sensors; `last` are members of the server of the last one.
  private static func rack(_ last: String = "") -> String {
    let sensors = (1...3).map { number in
      """
      {"address": "C0:00:00:00:00:0\(number)", "name": "Rack \(number)", "mtu": 247,
       "smp": {"version": "1.2.3"\(number == 3 ? last : "")}}
      """
    }
    return "{\"peripherals\": [\(sensors.joined(separator: ", "))]}"
  }

  @Test("All devices that match are updated, with a summary at the end")
  func all() async throws {
    let result = try await run(
      "blectl update 'Rack *' smp --all --jobs 2 --json --simulate=w.json", world: Self.rack())
    #expect(result.status == 0, "\(result.errorText)")
    let updated = try result.records.filter { $0["event"]?.text == "updated" }
    #expect(
      updated.compactMap { $0["address"]?.text }.sorted() == (1...3).map { "C0:00:00:00:00:0\($0)" })
    #expect(result.errorText.hasPrefix("found 3 devices\n"), "\(result.errorText)")
    #expect(result.errorText.hasSuffix("updated 3 of 3 devices\n"), "\(result.errorText)")
  }

  @Test("One device that fails does not keep the others from their update")
  func oneFails() async throws {
    let world = Self.rack(#", "faults": {"refuse_upload": 27}"#)
    let result = try await run("blectl update 'Rack *' smp --all --simulate=w.json", world: world)
    #expect(result.status == 1, "\(result.errorText)")
    #expect(result.errorText.contains("\nupdated 2 of 3 devices\n"), "\(result.errorText)")
    #expect(
      result.errorText.contains(
        "blectl: cannot update 1 of 3 devices\n  C0:00:00:00:00:03: cannot update Rack 3: "),
      "\(result.errorText)")
    #expect(
      result.errorText.contains("C0:00:00:00:00:01\tupdated Rack 1: 1.2.3 → 2.0.0"), "\(result.errorText)")
  }

  @Test("Fewer devices than are wanted are an error, before any is changed")
  func tooFew() async throws {
    let result = try await run(
      "blectl update 'Rack *' smp --all --count 4 --json --simulate=w.json", world: Self.rack())
    #expect(result.status == 4 && result.text.isEmpty, "\(result.text)")
    #expect(result.errorText.contains("found 3 of 4 devices"), "\(result.errorText)")
  }

  @Test("Devices that wake seldom are updated as they come, until there were enough")
  func wakingRack() async throws {
    let world =
      Self.rack().dropLast() + """
        , "events": [{"at": "0s", "do": "vanish", "device": "C0:00:00:00:00:02", "for": "8s"}]}
        """
    let result = try await run(
      "blectl update 'Rack *' smp --all --wait --count 3 --timeout 2s --simulate=w.json", world: String(world)
    )
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.errorText.hasSuffix("updated 3 of 3 devices\n"), "\(result.errorText)")
  }

  // MARK: Words

  @Test(
    "Words that make no sense are refused",
    arguments: [
      ("update Sensor x --jobs 2", "--jobs needs --all"),
      ("update Sensor x --count 2", "--count needs --all"),
      ("update Sensor x --confirm soon", "unknown time 'soon'; use now, after or never"),
      (
        "update Sensor x --protocol dfu",
        "--protocol: unknown protocol 'dfu'; use smp, secure-dfu or legacy-dfu"
      ), ("update Sensor", "missing expected argument '<file>'"),
      ("update Sensor x --passkey 042017", "--passkey needs --pair"),
      ("update Sensor x --all --pick first", "--pick and --all cannot be used together"),
      ("simulate w.json --firmware smp", "--firmware prints a file"),
    ])
  func mistakes(line: String, message: String) async throws {
    let refused = try await Blectl().start(line.split(separator: " ").map(String.init)).result()
    #expect(refused.status == 64)
    #expect(refused.errorText.contains(message), "\(refused.errorText)")
  }
}
