// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

/// More than there is room for: memory stays within bounds, and what is said stays true.
@Suite("Floods")
struct FloodTests {
  private static let last = 0xffff

  /// The most memory that a process has had, in MiB.
  private func peak(_ run: ToolRun) throws -> Int {
    let status = try #require(fopen("/proc/\(run.process)/status", "r"))
    defer { fclose(status) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), status) != nil {
      let words = line.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        .split(whereSeparator: \.isWhitespace)
      if words.first == "VmHWM:", words.count > 1, let size = Int(words[1]) { return size >> 10 }
    }
    return .max
  }

  /// Runs blectl until it has printed the name of the last device, then interrupts it.
  private func flood(
    _ arguments: [String], memory: Int, objects: [(String, FakeBlueZ.Interfaces)] = [FakeBlueZ.adapter],
    _ script: @escaping @Sendable (ScriptedBus) -> Void
  ) async throws -> ToolResult {
    let fake = try FakeBlueZ(
      objects,
      script: { bus in
        script(bus)
        bus.send(
          FakeBlueZ.added(FakeBlueZ.devicePath(Self.last), FakeBlueZ.device(Self.last, name: "the last")),
          from: FakeBlueZ.name)
      })
    let run = try Blectl(bus: fake.address).start(arguments)
    #expect(
      await run.waitForOutput { String(decoding: $0.utf8.suffix(512), as: UTF8.self).contains("the last") })
    #expect(try peak(run) < memory)
    run.send(signal: SIGINT)
    let result = await run.result()
    #expect(result.signal == SIGINT, "\(result.errorText)")
    return result
  }

  @Test("A scan outlives ten thousand devices that appear and go, again and again")
  func crowds() async throws {
    let result = try await flood(["scan", "--duration", "0"], memory: 128) { bus in
      for round in 0..<2 {
        for index in 0..<10_000 {
          bus.send(
            FakeBlueZ.added(FakeBlueZ.devicePath(index), FakeBlueZ.device(index, name: "round \(round)")),
            from: FakeBlueZ.name)
        }
        for index in 0..<10_000 {
          bus.send(FakeBlueZ.removed(FakeBlueZ.devicePath(index)), from: FakeBlueZ.name)
        }
      }
    }
    #expect(result.lines.count { $0.hasPrefix("found\t") } == 20_001)
    #expect(result.lines.count { $0.hasPrefix("lost\t") } == 20_000)
  }

  @Test("A scan keeps up with a device that changes its name many thousand times a second")
  func renamed() async throws {
    let count = 10_000
    let script: @Sendable (ScriptedBus) -> Void = { bus in
      for index in 0..<count {
        // Without an alias of its own, a device has the name as its alias.
        let name = DBusValue.string("\u{1b}[3\(index)m")
        bus.send(
          FakeBlueZ.changed(
            FakeBlueZ.devicePath(1), [("Name", name), ("Alias", name), ("RSSI", .int16(-50))]),
          from: FakeBlueZ.name)
      }
    }
    let objects = [
      FakeBlueZ.adapter,
      (FakeBlueZ.devicePath(1), [("org.bluez.Device1", FakeBlueZ.device(1, name: "first"))]),
    ]
    // A device is found once, whatever it is called.
    let quiet = try await flood(["scan", "--duration", "0"], memory: 96, objects: objects, script)
    #expect(quiet.lines.count == 2, "\(quiet.lines.prefix(5))")
    // Each change is reported, or counted as missed.
    let all = try await flood(["monitor", "--scan", "--json"], memory: 192, objects: objects, script)
    let records = try all.records
    let missed = records.compactMap { $0["event"]?.text == "missed" ? $0["count"]?.number : nil }.reduce(0, +)
    #expect(records.count { $0["event"]?.text == "changed" } + missed == count)
    #expect(!all.text.contains("\u{1b}"))
  }

  @Test("On a terminal, the table is drawn five times a second at most")
  func terminal() async throws {
    let fake = try FakeBlueZ(script: { bus in
      for index in 0..<10_000 {
        let name = FakeBlueZ.device(index % 50, name: "\u{1b}[2J\(index)")
        bus.send(FakeBlueZ.added(FakeBlueZ.devicePath(index % 50), name), from: FakeBlueZ.name)
      }
      bus.send(
        FakeBlueZ.added(FakeBlueZ.devicePath(50), FakeBlueZ.device(50, name: "last")), from: FakeBlueZ.name)
    })
    let start = ContinuousClock.now
    let result = try await Blectl(bus: fake.address).onTerminal([
      "scan", "--count", "51", "--duration", "60s",
    ])
    let frames = Int((ContinuousClock.now - start) / .milliseconds(200)) + 4
    #expect(result.output.count < frames * 24 * 200, "\(result.output.count) bytes in \(frames) frames")
    #expect(!result.text.contains("\u{1b}[2J"))
    #expect(result.text.contains("last"))
  }

  @Test("An array of 64 MiB, the longest there is, costs its size a few times over")
  func longest() async throws {
    let long = DBusValue.bytes(Array(repeating: 7, count: (64 << 20) - 1024))
    _ = try await flood(["scan", "--duration", "0"], memory: 400) { bus in
      bus.send(FakeBlueZ.changed(FakeBlueZ.devicePath(1), [("Nonsense", long)]), from: FakeBlueZ.name)
      bus.send(
        FakeBlueZ.added(FakeBlueZ.devicePath(1), FakeBlueZ.device(1) + [("AdvertisingFlags", long)]),
        from: FakeBlueZ.name)
    }
  }

  @Test("A message that says it is longer than D-Bus allows ends the connection, not the memory")
  func tooLong() async throws {
    let fake = try FakeBlueZ(script: { bus in
      bus.send([UInt8(ascii: "l"), 4, 0, 1, 0, 0, 0, 8, 1, 0, 0, 0, 16, 0, 0, 0])
    })
    let result = try await Blectl(bus: fake.address).run("scan", "--duration", "20s")
    #expect(result.status == 3)
    #expect(result.errorText.contains("the connection to the bus is lost"), "\(result.errorText)")
  }
}

@Suite("A crowd")
struct CrowdTests {
  /// In a process of its own: the simulations of the tests share a thread, which it would keep busy.
  @Test("Ten thousand devices are heard in a scan, listed, and let go")
  func crowd() async throws {
    let count = 10_000
    var world = World.crowd(devices: count)
    for index in world.peripherals.indices { world.peripherals[index].advertisement.isConnectable = true }
    var template = Array("/tmp/blectl-crowd-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    let path = template.withUnsafeBytes { String(decoding: $0.dropLast(), as: UTF8.self) }
    defer { unlink(path) }
    var rest = world.json[...]
    while !rest.isEmpty { rest = rest.dropFirst(max(0, write(file, Array(rest), rest.count))) }
    close(file)
    let script = """
      list() {
        dbus-send --bus="$DBUS_SYSTEM_BUS_ADDRESS" --print-reply --reply-timeout=300000 --dest=org.bluez / \
          org.freedesktop.DBus.ObjectManager.GetManagedObjects | grep -c '"org.bluez.Device1"'
      }
      "$0" scan --count \(count) --duration 0 | wc -l
      list
      "$0" adapter off --timeout 0 >/dev/null
      list
      """
    let result = try await Blectl().run(
      "simulate", path, "--", "sh", "-c", script, Blectl.path, limit: .seconds(300))
    #expect(result.lines == ["\(count)", "\(count)", "0"], "\(result.errorText)")
  }
}
