// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

/// Failures with more to them than message, hint and exit status, which `SituationTests` hold.
@Suite("Errors")
struct ErrorTests {
  private func expect(
    _ result: ToolResult, _ status: Int32, _ lines: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == status, sourceLocation: sourceLocation)
    #expect(result.errorText.split(separator: "\n").map(String.init) == lines, sourceLocation: sourceLocation)
  }

  @Test("Without an adapter a scan fails, but a list of adapters does not")
  func noAdapter() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      await simulated.simulator.removeAdapter()
      expect(
        try await blectl.run("scan"), 3, "blectl: cannot scan: there is no Bluetooth adapter",
        "hint: blectl adapter list; without a radio, add --simulate")
      #expect(try await blectl.run("adapter").status == 0)
    }
  }

  @Test("Where BlueZ knew the services before the link, a missing one may be due to changed firmware")
  func servicesOfOlderFirmware() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let piano = "D0:B5:C2:0A:0B:0C"
      let message = "blectl: cannot find 2a19 on \(piano): no such characteristic"
      expect(try await blectl.run("read", piano, "2a19"), 4, message, "hint: blectl services \(piano)")
      expect(
        try await blectl.run("read", piano, "2a19"), 4, message,
        "hint: blectl services \(piano); if its firmware was changed: blectl forget \(piano)")
    }
  }

  @Test("An adapter that is off, or blocked, is reported with the command that fixes it")
  func adapterOff() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      await simulated.simulator.setPowered(false)
      #expect(try await blectl.run("adapter", "off").status == 0)
      expect(
        try await blectl.run("scan"), 3, "blectl: cannot scan: the adapter hci0 is off",
        "hint: blectl adapter on")
      await simulated.simulator.setBlocked(true)
      expect(
        try await blectl.run("adapter", "on"), 3,
        "blectl: cannot switch hci0 on: the radio is blocked (rfkill)",
        "hint: sudo rfkill unblock bluetooth")
    }
  }

  @Test("One of several devices of the same name can be picked")
  func ambiguousDevice() async throws {
    try await withSimulator { simulated in
      var twin = AdvertisementSpec(name: "Piano")
      twin.rssi = -20
      await simulated.simulator.addPeripheral(
        PeripheralSpec(address: "D0:B5:C2:00:00:01", advertisement: twin))
      let blectl = Blectl(bus: simulated.address)
      let picked = try await blectl.run("info", "Piano", "--pick", "strongest", "--json")
      #expect(try picked.records.first?["address"]?.text == "D0:B5:C2:00:00:01")
    }
  }

  @Test("A device that does not answer ends with status 5, and is not connected later")
  func connectTimeout() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      #expect(try await blectl.run("connect", "Piano").status == 0)
      #expect(try await blectl.run("disconnect", "Piano").status == 0)
      await simulated.simulator.vanish("D0:B5:C2:0A:0B:0C")
      expect(
        try await blectl.run("connect", "Piano", "--timeout", "5s"), 5,
        "blectl: cannot connect to Piano: no connection before the timeout",
        "hint: use a longer --timeout, or move closer to the device")
      await simulated.simulator.appear("D0:B5:C2:0A:0B:0C")
      #expect(
        try await blectl.run("scan", "--name", "Piano", "--count", "1", "--duration", "60s").status == 0)
      #expect(await !simulated.simulator.isConnected("D0:B5:C2:0A:0B:0C"))
    }
  }

  @Test("Failures that pass are tried again, others are not")
  func transientFailures() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      await simulated.simulator.connectFailures("D0:B5:C2:0A:0B:0C", count: 2)
      let quiet = try await blectl.run("services", "Piano")
      #expect(quiet.status == 0 && quiet.errors.isEmpty)
      await simulated.simulator.connectFailures("D0:B5:C2:0A:0B:0C", count: 2)
      let verbose = try await blectl.run("services", "Piano", "-v")
      #expect(verbose.status == 0)
      let retries = verbose.errorText.split(separator: "\n").filter { $0.contains("for the moment") }
      #expect(retries.count == 2, "\(verbose.errorText)")
      await simulated.simulator.connectFailures(
        "C8:0F:10:01:02:03", count: 1, error: "org.bluez.Error.Wonderful", text: "out of the blue")
      expect(
        try await blectl.run("services", "MI Band 2", "-v"), 1,
        "blectl: cannot connect to MI Band 2: out of the blue",
        "cause: MI Band 2 is C8:0F:10:01:02:03", "cause: D-Bus error org.bluez.Error.Wonderful")
    }
  }

  @Test(
    "The tree is whole, also where ServicesResolved comes before the services, or the services late",
    arguments: [ServiceOrder.resolvedFirst, .objectsLate(.milliseconds(150))])
  func lateServices(_ order: ServiceOrder) async throws {
    var world = World.builtIn
    let index = try #require(world.peripherals.firstIndex { $0.address == "D0:B5:C2:0A:0B:0C" })
    world.peripherals[index].faults = [.orderServices(order)]
    try await withSimulator(world: world) { simulated in
      let result = try await Blectl(bus: simulated.address).run("services", "Piano")
      #expect(result.status == 0, "\(result.errorText)")
      let uuids = result.lines.compactMap { $0.split(separator: "\t").dropFirst(2).first }
      #expect(uuids == ["ffe0", "ffe2", "2902", "ffe1", "ffe3"])
    }
  }

  @Test("An adapter that is unplugged ends a request under way at once")
  func unplugged() async throws {
    try await withSimulator(world: .contract) { simulated in
      let stalled = try Blectl(bus: simulated.address).start(
        ["read", "Contract Bench", "b1ec010d-5c0e-4b1e-a5d2-6b2f0c7e91aa", "-vv"])
      #expect(await stalled.waitForErrors { $0.contains("ReadValue") })
      await simulated.simulator.removeAdapter()
      let result = await stalled.result()
      #expect(result.status == 3)
      #expect(result.errorText.contains("there is no Bluetooth adapter"))
    }
  }

  @Test("The socket of another program is left alone")
  func acquired() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      let holder = try blectl.start(["subscribe", "Heart Strap", "2a37", "--via", "socket"])
      #expect(await holder.waitForLines(1))
      let result = try await blectl.run("subscribe", "Heart Strap", "2a37", "--timeout", "4s")
      #expect(result.status == 1)
      #expect(result.errorText.contains("another program holds the characteristic"))
      #expect(await holder.waitForLines(3))
      holder.send(signal: SIGTERM)
      #expect(await holder.result().signal == SIGTERM)
    }
  }
}
