// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite struct ClientDiscoveryFilterTests {
  /// Filters, and whether bluetoothd accepts them.
  @Test(
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
  func aFilterIsCheckedLikeTheDaemonDoes(_ key: String, _ value: DBusValue, _ isTaken: Bool) async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      let error = await failure { try await client.setFilter([(key, value)]) }
      #expect(error?.line == (isTaken ? nil : "InvalidArguments Invalid arguments in method call"))
    }
  }

  @Test func strengthAndPathLossExcludeEachOther() async throws {
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

  @Test func aServiceFilterShowsWhatAdvertisesIt() async throws {
    let wanted: Set = [Address.strap]
    #expect(try await seen([[("UUIDs", .strings(["180d"]))]], expecting: wanted) == wanted)
  }

  @Test func serviceFiltersOfTwoClientsAddUp() async throws {
    let wanted: Set = [Address.strap, Address.thermometer]
    let found = try await seen(
      [[("UUIDs", .strings(["180d"]))], [("UUIDs", .strings(["1809"]))]], expecting: wanted)
    #expect(found == wanted)
  }

  @Test func aFloorOfStrengthHidesWhatIsWeaker() async throws {
    let wanted: Set = [Address.thermometer]
    #expect(try await seen([[("RSSI", .int16(-54))]], expecting: wanted) == wanted)
  }

  @Test func thePatternOfOneClientHidesDevicesFromAll() async throws {
    let wanted: Set = [Address.piano]
    let found = try await seen(
      [[("Pattern", .string("Pia"))], [("Transport", .string("le"))]], expecting: wanted)
    #expect(found == wanted)
  }

  @Test func aPatternFitsAddressesInCapitals() async throws {
    let wanted: Set = [Address.beacon, Address.eddystone, Address.ruuviTag]
    #expect(try await seen([[("Pattern", .string("C1:BE"))]], expecting: wanted) == wanted)
  }

  @Test func anEmptyPatternOfAnotherClientShowsEverythingAgain() async throws {
    let wanted = Set(World.builtIn.peripherals.map(\.address))
    let found = try await seen(
      [[("Pattern", .string(""))], [("Pattern", .string("Pia"))]], expecting: wanted)
    #expect(found == wanted)
  }

  @Test func withoutAFilterWhatIsNotDiscoverableIsNotFound() async throws {
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

  @Test func aMissedScanResponseBringsTheNameLater() async throws {
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
}
