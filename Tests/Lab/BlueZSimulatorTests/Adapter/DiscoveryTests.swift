// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite("Discovery")
struct DiscoveryTests {
  @Test("A scan finds the whole world")
  func scanFindsWhole() async throws {
    try await withSimulator(world: .contract) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      for peripheral in World.contract.peripherals where peripheral.isPresent {
        #expect(await client.log.first { $0.path == BusClient.devicePath(peripheral.address) } != nil)
      }
    }
  }

  @Test("A session begins and ends with discovering")
  func sessionBeginsEnds() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      _ = await client.log.first { $0.sets("Discovering", to: .boolean(true)) }
      _ = await client.log.first { $0.path == BusClient.devicePath(Address.strap) }
      let start = client.log.end
      try await client.adapter("StopDiscovery")
      let end = client.log.events(from: start)
      #expect(end.last == .reply("StopDiscovery"))
      #expect(end.dropLast().last?.sets("Discovering", to: .boolean(false)) == true)
    }
  }

  @Test("A filter holds until the last session has stopped")
  func filterHoldsUntil() async throws {
    var timing = SimulatorTiming.brisk
    timing.scanStart = .milliseconds(200)
    var world = World.contract
    for index in world.peripherals.indices {
      world.peripherals[index].advertisement.interval = .milliseconds(20)
    }
    try await withSimulator(world: world, timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery(filter: [("Pattern", .string(Address.bench))])
      _ = await client.log.first { $0.path == BusClient.devicePath(Address.bench) }
      try await client.adapter("StopDiscovery")
      let devices = try await client.managedObjects().filter { $0.value["org.bluez.Device1"] != nil }
      #expect(Array(devices.keys) == [BusClient.devicePath(Address.bench)])
    }
  }

  @Test("The end of the last session makes strengths unknown")
  func endLastSession() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      _ = await client.log.first { $0.path == BusClient.devicePath(Address.thermometer) }
      let start = client.log.end
      try await client.adapter("StopDiscovery")
      let gone = client.log.events(from: start).compactMap { event -> Set<String>? in
        guard case .changed(BusClient.devicePath(Address.thermometer), _, _, let invalidated) = event else {
          return nil
        }
        return invalidated
      }
      #expect(gone.last == ["RSSI", "TxPower"])
    }
  }

  @Test("Beacons go with the last session and connectable devices stay")
  func beaconsGoLast() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      for address in [Address.ruuviTag, Address.strap] {
        _ = await client.log.first { $0.path == BusClient.devicePath(address) }
      }
      try await client.adapter("StopDiscovery")
      let objects = try await client.managedObjects()
      #expect(objects[BusClient.devicePath(Address.ruuviTag)] == nil)
      #expect(objects[BusClient.devicePath(Address.strap)] != nil)
    }
  }

  @Test("A device that is only heard is forgotten after a while")
  func deviceOnlyHeard() async throws {
    var timing = SimulatorTiming.brisk
    timing.temporaryDevice = .milliseconds(100)
    try await withSimulator(timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.find(Address.strap)
      let path = BusClient.devicePath(Address.strap)
      let removed = await client.log.first { event in
        if case .removed(path, _) = event { true } else { false }
      }
      #expect(removed != nil)
    }
  }

  @Test("Sessions of two clients count")
  func sessionsTwoClients() async throws {
    try await withSimulator { bus in
      let first = try await BusClient.connect(to: bus.address)
      let second = try await BusClient.connect(to: bus.address)
      try await first.startDiscovery()
      try await second.startDiscovery()
      try await first.adapter("StopDiscovery")
      #expect(
        try await first.get("Discovering", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
          == .boolean(true))
      try await second.adapter("StopDiscovery")
      #expect(
        try await first.get("Discovering", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
          == .boolean(false))
    }
  }

  @Test("A session ends when its client leaves the bus")
  func sessionEndsWhen() async throws {
    try await withSimulator { bus in
      let watcher = try await BusClient.connect(to: bus.address)
      let scanner = try await BusClient.connect(to: bus.address)
      try await scanner.startDiscovery()
      await scanner.close()
      #expect(await watcher.log.first { $0.sets("Discovering", to: .boolean(false)) } != nil)
    }
  }

  @Test("Wrong use is refused in the words of the daemon")
  func wrongUseRefused() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      #expect(
        await failure { try await client.adapter("StopDiscovery") }?.line == "Failed No discovery started")
      try await client.startDiscovery()
      #expect(
        await failure { try await client.adapter("StartDiscovery") }?.line
          == "InProgress Operation already in progress")
      #expect(
        await failure { try await client.adapter("RemoveDevice") { $0.objectPath("/nowhere") } }?.line
          == "DoesNotExist Does Not Exist")
      #expect(
        try await client.adapter("GetDiscoveryFilters").values == [
          .strings(["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"])
        ])
    }
  }

  @Test(
    "When two clients start at the same time, the first is never answered and stays stuck until it leaves")
  func race() async throws {
    var timing = SimulatorTiming.brisk
    timing.scanStart = .seconds(3)
    try await withSimulator(timing: timing) { bus in
      let (first, second) = (
        try await BusClient.connect(to: bus.address), try await BusClient.connect(to: bus.address)
      )
      let start = await first.begin("StartDiscovery", of: "org.bluez.Adapter1", at: "/org/bluez/hci0")
      try await first.barrier()
      try await second.startDiscovery()
      #expect(
        await failure { try await first.adapter("StopDiscovery") }?.line
          == "InProgress Operation already in progress")
      await first.close()
      let outcome = await start.value
      #expect(throws: DBusError.self) { try outcome.get() }
      try await second.adapter("StopDiscovery")
      #expect(await second.log.first { $0.sets("Discovering", to: .boolean(false)) } != nil)
    }
  }

  @Test("Each report is signalled with a filter and small changes are not without one")
  func eachReportSignalled() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery(filter: nil)
      _ = await client.log.first { $0.path == BusClient.devicePath(Address.ruuviTag) }
      let start = client.log.end
      try await client.setFilter([("Transport", .string("le"))])
      let path = BusClient.devicePath(Address.strap)
      var strengths = 0
      var place = start
      while strengths < 3, let next = await client.log.first(from: place, where: { $0.path == path }) {
        place = next + 1
        strengths += 1
      }
      #expect(strengths == 3)
      let changes = client.log.events()[..<start].filter {
        if case .changed(path, _, _, _) = $0 { true } else { false }
      }
      #expect(changes.isEmpty)
    }
  }
}

@Suite("Client discovery filter")
struct ClientDiscoveryFilterTests {
  /// Filters, and whether bluetoothd accepts them.
  @Test(
    "A filter is checked like the daemon does",
    arguments: [
      ("Transport", .string("le"), true), ("Transport", .string("usb"), false),
      ("Transport", .int32(1), false),
      ("Nonsense", .boolean(true), false), ("RSSI", .int16(-127), true), ("RSSI", .int16(-128), false),
      ("RSSI", .int16(20), true), ("RSSI", .int16(21), false), ("RSSI", .int32(-50), false),
      ("Pathloss", .uint16(137), true), ("Pathloss", .uint16(138), false),
      ("UUIDs", .strings(["180d"]), true),
      ("UUIDs", .strings(["0x180d"]), true), ("UUIDs", .strings(["junk"]), false),
      ("UUIDs", .string("180d"), false),
      ("UUIDs", .strings([]), true), ("DuplicateData", .boolean(true), true),
      ("DuplicateData", .uint32(1), false),
      ("Discoverable", .boolean(false), true), ("Pattern", .string(""), true), ("Pattern", .uint32(1), false),
    ] as [(String, DBusValue, Bool)])
  func filterCheckedLike(_ key: String, _ value: DBusValue, _ isTaken: Bool) async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      let error = await failure { try await client.setFilter([(key, value)]) }
      #expect(error?.line == (isTaken ? nil : "InvalidArguments Invalid arguments in method call"))
    }
  }

  @Test("Strength and path loss cannot be used together")
  func strengthPathLoss() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      let error = await failure {
        try await client.setFilter([("RSSI", .int16(-50)), ("Pathloss", .uint16(40))])
      }
      #expect(error?.line == "InvalidArguments Invalid arguments in method call")
    }
  }

  /// Scans with these filters, each of a client of its own, until every expected device is there.
  private func seen(
    _ filters: [[(String, DBusValue)]], expecting expected: Set<String>
  ) async throws -> Set<String> {
    try await withSimulator { bus in
      var clients: [BusClient] = []
      for filter in filters {
        let client = try await BusClient.connect(to: bus.address)
        try await client.startDiscovery(filter: filter)
        clients.append(client)
      }
      let addresses = World.builtIn.peripherals.map(\.address)
      for address in expected {
        _ = await clients[0].log.first { $0.path == BusClient.devicePath(address) }
      }
      let objects = try await clients[0].managedObjects()
      return Set(addresses.filter { objects[BusClient.devicePath($0)] != nil })
    }
  }

  @Test("A service filter shows what advertises it")
  func serviceFilterShows() async throws {
    let wanted: Set = [Address.strap]
    #expect(try await seen([[("UUIDs", .strings(["180d"]))]], expecting: wanted) == wanted)
  }

  @Test("Service filters of two clients add up")
  func serviceFiltersTwo() async throws {
    let wanted: Set = [Address.strap, Address.thermometer]
    let found = try await seen(
      [[("UUIDs", .strings(["180d"]))], [("UUIDs", .strings(["1809"]))]], expecting: wanted)
    #expect(found == wanted)
  }

  @Test("A floor of strength hides what is weaker")
  func floorStrengthHides() async throws {
    let wanted: Set = [Address.thermometer]
    #expect(try await seen([[("RSSI", .int16(-54))]], expecting: wanted) == wanted)
  }

  @Test("The pattern of one client hides devices from all")
  func patternOneClient() async throws {
    let wanted: Set = [Address.piano]
    let found = try await seen(
      [[("Pattern", .string("Pia"))], [("Transport", .string("le"))]], expecting: wanted)
    #expect(found == wanted)
  }

  @Test("A pattern fits addresses in capitals")
  func patternFitsAddresses() async throws {
    let wanted: Set = [Address.beacon, Address.eddystone, Address.ruuviTag]
    #expect(try await seen([[("Pattern", .string("C1:BE"))]], expecting: wanted) == wanted)
  }

  @Test("An empty pattern of another client shows everything again")
  func emptyPatternAnother() async throws {
    let wanted = Set(World.builtIn.peripherals.map(\.address))
    let found = try await seen(
      [[("Pattern", .string(""))], [("Pattern", .string("Pia"))]], expecting: wanted)
    #expect(found == wanted)
  }

  @Test("Without a filter what is not discoverable is not found")
  func withoutFilterWhat() async throws {
    var hidden = PeripheralSpec(
      address: "C4:00:00:00:00:01", advertisement: AdvertisementSpec(name: "Hidden", flags: 0x04))
    hidden.advertisement.interval = .milliseconds(10)
    var open = hidden
    open.address = "C4:00:00:00:00:02"
    open.advertisement.flags = 0x06
    try await withSimulator(world: World(peripherals: [hidden, open])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery(filter: nil)
      _ = await client.log.first { $0.path == BusClient.devicePath("C4:00:00:00:00:02") }
      #expect(try await client.managedObjects()[BusClient.devicePath("C4:00:00:00:00:01")] == nil)
      try await client.setFilter([("Transport", .string("le"))])
      #expect(await client.log.first { $0.path == BusClient.devicePath("C4:00:00:00:00:01") } != nil)
    }
  }

  @Test("A missed scan response brings the name later")
  func missedScanResponse() async throws {
    let late = PeripheralSpec(
      address: "C4:00:00:00:00:03",
      advertisement: AdvertisementSpec(name: "Late", missedNames: 2, interval: .milliseconds(10)))
    try await withSimulator(world: World(peripherals: [late])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      let named = await client.log.first { $0.sets("Name", to: .string("Late")) }
      #expect(named != nil)
      #expect(client.log.events().contains { $0.sets("Alias", to: .string("Late")) })
    }
  }

  @Test(
    "A device with an empty name, or one of NULs, has no Name, and its address as Alias",
    arguments: ["", "\0", "\0\0"])
  func emptyName(_ name: String) async throws {
    let nameless = PeripheralSpec(
      address: "C4:00:00:00:00:04",
      advertisement: AdvertisementSpec(name: name, interval: .milliseconds(10)))
    try await withSimulator(world: World(peripherals: [nameless])) { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.startDiscovery()
      let path = BusClient.devicePath(nameless.address)
      _ = await client.log.first { $0.path == path }
      let device = try await client.managedObjects()[path]?["org.bluez.Device1"]
      #expect(device?["Name"] == nil)
      #expect(device?["Alias"] == .string("C4-00-00-00-00-04"))
    }
  }
}
