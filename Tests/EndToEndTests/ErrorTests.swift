// SPDX-License-Identifier: MIT
internal import BlueZSimulator
internal import DBus
internal import Glibc
internal import TestSupport
internal import Testing

/// Every kind of failure: its message, its hint, its exit status.
@Suite("Errors")
struct ErrorTests {
  private func expect(
    _ result: ToolResult, _ status: Int32, _ lines: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(result.status == status, sourceLocation: sourceLocation)
    #expect(result.errorText.split(separator: "\n").map(String.init) == lines, sourceLocation: sourceLocation)
  }

  @Test("There is no bus")
  func noBus() async throws {
    let result = try await Blectl(bus: "unix:path=/nonexistent/bus").run("devices")
    #expect(result.status == 3)
    #expect(result.errorText.hasPrefix("blectl: cannot reach the system bus: "))
    #expect(result.errorText.hasSuffix("hint: is the bus running? without a radio, try --simulate\n"))
  }

  @Test("bluetoothd does not run")
  func noDaemon() async throws {
    let bus = try await PrivateBus.start()
    expect(
      try await Blectl(bus: bus.address).run("scan"), 3,
      "blectl: cannot scan: the Bluetooth service (org.bluez) is not running",
      "hint: sudo systemctl start bluetooth")
    await bus.stop()
  }

  @Test("There is no adapter, or not that one")
  func noAdapter() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      expect(
        try await blectl.run("scan", "--adapter", "hci9"), 3,
        "blectl: cannot scan: there is no Bluetooth adapter hci9",
        "hint: blectl adapter list; without a radio, try --simulate")
      await simulated.simulator.removeAdapter()
      expect(
        try await blectl.run("scan"), 3, "blectl: cannot scan: there is no Bluetooth adapter",
        "hint: blectl adapter list; without a radio, try --simulate")
      #expect(try await blectl.run("adapter").status == 0)
    }
  }

  @Test("The adapter is off, or blocked")
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

  @Test("The bus denies access")
  func accessDenied() async throws {
    let bus = try await PrivateBus.start(denying: "org.bluez")
    let simulator = try await Simulator.start(world: .builtIn, on: bus.address, timing: .brisk)
    let result = try await Blectl(bus: bus.address).run("devices")
    #expect(result.status == 3)
    #expect(result.errorText.contains("hint: run as root, or ask for a bus policy"))
    await simulator.stop()
    await bus.stop()
  }

  @Test("The device is not there")
  func unknownDevice() async throws {
    try await withSimulator { simulated in
      expect(
        try await Blectl(bus: simulated.address).run("read", "Nobody", "2a19", "--timeout", "300ms"), 4,
        "blectl: cannot find Nobody: not heard in the time given",
        "hint: blectl scan; a device that is connected elsewhere does not advertise")
    }
  }

  @Test("Several devices are called that; one can be picked")
  func ambiguousDevice() async throws {
    try await withSimulator { simulated in
      var twin = AdvertisementSpec(name: "Piano")
      twin.rssi = -20
      await simulated.simulator.addPeripheral(
        PeripheralSpec(address: "D0:B5:C2:00:00:01", advertisement: twin))
      let blectl = Blectl(bus: simulated.address)
      expect(
        try await blectl.run("services", "Piano"), 4,
        "blectl: cannot tell which device: 2 are called Piano",
        "  D0:B5:C2:00:00:01 Piano", "  D0:B5:C2:0A:0B:0C Piano",
        "hint: give the address, or --pick strongest")
      let picked = try await blectl.run("info", "Piano", "--pick", "strongest", "--json")
      #expect(try picked.records.first?["address"]?.text == "D0:B5:C2:00:00:01")
    }
  }

  @Test("The characteristic is not there, or cannot do that")
  func characteristics() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      expect(
        try await blectl.run("read", "Piano", "2a19"), 4,
        "blectl: cannot find 2a19 on D0:B5:C2:0A:0B:0C: no such characteristic",
        "hint: blectl services D0:B5:C2:0A:0B:0C")
      expect(
        try await blectl.run("subscribe", "Piano", "ffe3"), 1,
        "blectl: cannot subscribe to ffe3 of D0:B5:C2:0A:0B:0C: the characteristic has neither notifications nor "
          + "indications")
      expect(
        try await blectl.run("read", "Piano", "ffe3", "-v"), 1,
        "blectl: cannot read ffe3 of D0:B5:C2:0A:0B:0C: the device does not permit it (ATT 0x02 read not permitted)",
        "cause: D-Bus error org.bluez.Error.NotPermitted", "cause: ATT 0x02 read not permitted")
      expect(
        try await blectl.run("read", "Piano", "ffe2", "--descriptor", "2901"), 4,
        "blectl: cannot find descriptor 2901 of ffe2: no such descriptor", "  2902 @0009")
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
        try await blectl.run("connect", "Piano", "--timeout", "500ms"), 5,
        "blectl: cannot connect to D0:B5:C2:0A:0B:0C: no connection in the time given",
        "hint: a longer --timeout, or the device nearer")
      await simulated.simulator.appear("D0:B5:C2:0A:0B:0C")
      #expect(try await blectl.run("scan", "--name", "Piano", "--count", "1").status == 0)
      #expect(await !simulated.simulator.isConnected("D0:B5:C2:0A:0B:0C"))
    }
  }

  @Test("Failures that pass are tried again, others are not")
  func transientFailures() async throws {
    try await withSimulator { simulated in
      let blectl = Blectl(bus: simulated.address)
      await simulated.simulator.connectFailures("D0:B5:C2:0A:0B:0C", count: 2)
      #expect(try await blectl.run("services", "Piano").status == 0)
      await simulated.simulator.connectFailures(
        "C8:0F:10:01:02:03", count: 1, error: "org.bluez.Error.Wonderful", text: "out of the blue")
      expect(
        try await blectl.run("services", "MI Band 2", "-v"), 1,
        "blectl: cannot connect to C8:0F:10:01:02:03: out of the blue",
        "cause: D-Bus error org.bluez.Error.Wonderful")
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
      let result = try await blectl.run("subscribe", "Heart Strap", "2a37", "--timeout", "1s")
      #expect(result.status == 1)
      #expect(result.errorText.contains("another program holds the characteristic"))
      #expect(await holder.waitForLines(3))
      holder.send(signal: SIGTERM)
      #expect(await holder.result().signal == SIGTERM)
    }
  }
}
