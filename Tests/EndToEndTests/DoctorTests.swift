// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

/// `doctor` on buses that lack something.
@Suite("Doctor")
struct DoctorTests {
  /// Expects one check to have failed, and the status that goes with it.
  private func expectFailure(
    _ blectl: Blectl, _ check: String, _ words: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let result = try await blectl.run("doctor", "--json", "--timeout", "10s")
    #expect(result.status == 3, sourceLocation: sourceLocation)
    #expect(result.errorText.hasPrefix("blectl: cannot use Bluetooth: "), sourceLocation: sourceLocation)
    let failed = try result.records.filter { $0["status"]?.text == "fail" }
    #expect(failed.first?["check"]?.text == check, sourceLocation: sourceLocation)
    let message = failed.first?["message"]?.text ?? ""
    #expect(message.contains(words), "\(message)", sourceLocation: sourceLocation)
    #expect(failed.first?["fix"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
  }

  @Test("On a healthy machine, each check is reported and none fails")
  func healthy() async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent").run("doctor", "--simulate", "--json")
    #expect(result.status == 0)
    #expect(result.errorText.isEmpty)
    let checks = try result.records.map { $0["check"]?.text }
    for check in [
      "user", "bus", "service", "simulator", "version", "adapter", "power", "central", "peripheral",
    ] {
      #expect(checks.contains(check))
    }
    #expect(try result.records.first { $0["check"]?.text == "version" }?["version"]?.text == "5.66")
    let lines = try await Blectl().run("doctor", "--simulate").lines
    #expect(lines.allSatisfy { $0.split(separator: "\t", omittingEmptySubsequences: false).count == 4 })
  }

  @Test("A simulator of another process is noticed, with its process")
  func foreignSimulator() async throws {
    let running = try Blectl().start(["simulate"])
    #expect(await running.waitForLines(1))
    let address = String(decoding: await running.outputSoFar(), as: UTF8.self)
      .replacing("DBUS_SYSTEM_BUS_ADDRESS=", with: "").replacing("\n", with: "")
    let result = try await Blectl(bus: address).run("doctor", "--json")
    #expect(result.status == 0)
    #expect(try result.records.first { $0["check"]?.text == "simulator" }?["status"]?.text == "warn")
    let owner = try result.records.first { $0["check"]?.text == "service" }
    #expect(owner?["pid"]?.number == Int(running.process))
    #expect(owner?["uid"]?.number == Int(geteuid()))
    running.send(signal: SIGTERM)
    _ = await running.result()
  }

  @Test("Without a bus, the check of the bus fails")
  func noBus() async throws {
    try await expectFailure(Blectl(bus: "unix:path=/nonexistent/bus"), "bus", "cannot be reached")
  }

  @Test("A bus that rejects us is distinguished from a missing one")
  func rejected() async throws {
    let script = """
      import socket, sys
      listener = socket.socket(socket.AF_UNIX)
      listener.bind("\\0blectl-reject-%d" % __import__("os").getpid())
      listener.listen()
      print(listener.getsockname()[1:].decode(), flush=True)
      client, _ = listener.accept()
      while True:
          line = client.recv(4096)
          if not line: break
          client.sendall(b"REJECTED EXTERNAL\\r\\n")
      """
    let server = try ToolRun("/usr/bin/env", ["python3", "-c", script])
    #expect(await server.waitForLines(1))
    let name = String(decoding: await server.outputSoFar(), as: UTF8.self).replacing("\n", with: "")
    try await expectFailure(Blectl(bus: "unix:abstract=\(name)"), "bus", "AUTH REJECTED")
    server.send(signal: SIGTERM)
    _ = await server.result()
  }

  @Test("A bus that answers nothing runs into the time limit")
  func silent() async throws {
    let script = """
      import socket, os
      listener = socket.socket(socket.AF_UNIX)
      listener.bind("\\0blectl-silent-%d" % os.getpid())
      listener.listen()
      print(listener.getsockname()[1:].decode(), flush=True)
      client, _ = listener.accept()
      while client.recv(4096): pass
      """
    let server = try ToolRun("/usr/bin/env", ["python3", "-c", script])
    #expect(await server.waitForLines(1))
    let name = String(decoding: await server.outputSoFar(), as: UTF8.self).replacing("\n", with: "")
    let result = try await Blectl(bus: "unix:abstract=\(name)").run("doctor", "--timeout", "2s", "--json")
    #expect(result.status == 3)
    #expect(try result.records.last?["message"]?.text?.contains("did not answer") == true)
    server.send(signal: SIGTERM)
    _ = await server.result()
  }

  @Test("Without bluetoothd, the check of the service fails")
  func noDaemon() async throws {
    let bus = try await PrivateBus.start()
    try await expectFailure(Blectl(bus: bus.address), "service", "bluetoothd is not running")
    await bus.stop()
  }

  @Test("A bus policy that denies org.bluez fails the check of the policy")
  func policy() async throws {
    let bus = try await PrivateBus.start(denying: "org.bluez")
    let simulator = try await Simulator.start(world: .builtIn, on: bus.address, timing: .brisk)
    try await expectFailure(Blectl(bus: bus.address), "policy", "does not let uid")
    await simulator.stop()
    await bus.stop()
  }

  @Test("A bluetoothd that hangs runs into the time limit")
  func frozen() async throws {
    try await withSimulator { simulated in
      await simulated.simulator.freeze()
      let result = try await Blectl(bus: simulated.address).run("doctor", "--json", "--timeout", "2s")
      #expect(result.status == 3)
      #expect(try result.records.last?["message"]?.text == "bluetoothd did not answer before the timeout")
      await simulated.simulator.thaw()
    }
  }

  @Test("An adapter that is missing, off, blocked, or without Low Energy fails its check")
  func adapters() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      await simulated.simulator.overrideProperty(
        "Roles", of: "org.bluez.Adapter1", at: "/org/bluez/hci0", with: .strings([]))
      try await expectFailure(blectl, "central", "has no Low Energy")
      await simulated.simulator.setPowered(false)
      try await expectFailure(blectl, "power", "hci0 is off")
      await simulated.simulator.removeAdapter()
      try await expectFailure(blectl, "adapter", "no adapter")
    }
  }

  @Test("Properties of wrong types break nothing")
  func hostile() async throws {
    try await withSimulator { simulated in
      for property in ["Address", "Powered", "Roles", "Modalias"] {
        await simulated.simulator.overrideProperty(
          property, of: "org.bluez.Adapter1", at: "/org/bluez/hci0", with: .structure([.double(.nan)]))
      }
      let result = try await Blectl(bus: simulated.address).run("doctor", "--json")
      #expect(result.status == 3)
      #expect(try result.records.count == result.lines.count)
    }
  }
}
