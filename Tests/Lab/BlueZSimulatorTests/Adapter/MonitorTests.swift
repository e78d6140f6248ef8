// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Passive scanning, as seen by a plain D-Bus client.
@Suite("Advertisement monitors")
struct MonitorTests {
  private static let manager = "org.bluez.AdvertisementMonitorManager1"

  /// Exports a monitor that records its calls in the client's log.
  private func export(
    _ patterns: [(offset: UInt8, type: UInt8, bytes: [UInt8])], type: String = "or_patterns",
    by client: BusClient
  ) async throws {
    let log = client.log
    let owner = try await client.connection.call(
      Message(call: "GetNameOwner", of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name) {
        $0.string("org.bluez")
      }, timeout: .seconds(20))
    let values = patterns.map { DBusValue.structure([.byte($0.offset), .byte($0.type), .bytes($0.bytes)]) }
    let monitor = LocalObject(
      path: "/app/monitor", interface: "org.bluez.AdvertisementMonitor1",
      properties: [("Type", .string(type)), ("Patterns", .array(of: "(yyay)", values))]
    ) { method, call in
      let device = call.values.first?.text.map { " \($0.suffix(17))" } ?? ""
      log.append(.reply(method + device))
      return .now(Message(replyTo: call))
    }
    let objects = LocalObjects(root: "/app", for: owner.values.first?.text ?? "", [monitor])
    await client.connection.export(objects)
  }

  private func manager(_ member: String, _ client: BusClient) async throws(DBusError) {
    try await client.call(member, of: Self.manager, at: BusClient.adapterPath) { $0.objectPath("/app") }
  }

  private func withClient(_ body: (BusClient, SimulatedBus) async throws -> Void) async throws {
    try await withSimulator(world: .contract, isExperimental: true) { bus in
      try await body(try await BusClient.connect(to: bus.address), bus)
    }
  }

  private static let flags: [(offset: UInt8, type: UInt8, bytes: [UInt8])] = [(0, 0x01, [0x06])]

  @Test("Only an experimental daemon offers monitors")
  func experimental() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      #expect(await failure { try await manager("RegisterMonitor", client) }?.name == ErrorName.unknownMethod)
      #expect(try await client.managedObjects()[BusClient.adapterPath]?[Self.manager] == nil)
    }
    try await withClient { client, _ in
      let properties = try await client.managedObjects()[BusClient.adapterPath]?[Self.manager]
      #expect(
        properties == ["SupportedMonitorTypes": .strings(["or_patterns"]), "SupportedFeatures": .strings([])])
    }
  }

  @Test("A monitor is activated, and called for each report after the device is signalled")
  func found() async throws {
    try await withClient { client, _ in
      try await export(Self.flags, by: client)
      try await manager("RegisterMonitor", client)
      let found = BusEvent.reply("DeviceFound F0_F1_F2_F3_F4_F5")
      let first = try #require(await client.log.first { $0 == found })
      #expect(await client.log.first(from: first + 1) { $0 == found } != nil)
      let events = client.log.events()
      #expect(events.contains(.reply("Activate")))
      let added = events.firstIndex { event in
        if case .added(BusClient.devicePath(Address.strap), _) = event { true } else { false }
      }
      #expect(try #require(added) < first)
      let discovering = try await client.get(
        "Discovering", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
      #expect(discovering == .boolean(false))
    }
  }

  @Test("The scan response is not received until a client scans actively")
  func scanResponse() async throws {
    try await withClient { client, _ in
      try await export(Self.flags, by: client)
      try await manager("RegisterMonitor", client)
      let found = BusEvent.reply("DeviceFound F0_F1_F2_F3_F4_F5")
      _ = await client.log.first { $0 == found }
      let path = BusClient.devicePath(Address.strap)
      #expect(try await client.managedObjects()[path]?["org.bluez.Device1"]?["Name"] == nil)
      let named = client.log.end
      try await client.startDiscovery()
      #expect(
        await client.log.first(from: named) { $0.sets("Name", to: .string("Heart Strap"), at: path) } != nil)
    }
  }

  @Test("Only reports that match a pattern are passed on")
  func patterns() async throws {
    try await withClient { client, _ in
      try await export([(0, 0xff, [0x99, 0x04]), (2, 0x16, [0x10])], by: client)
      try await manager("RegisterMonitor", client)
      for device in ["C1_BE_AC_00_00_03", "C1_BE_AC_00_00_02"] {
        #expect(await client.log.first { $0 == .reply("DeviceFound \(device)") } != nil)
      }
      let devices = try await client.managedObjects().keys.filter { $0.contains("/dev_") }
      #expect(devices.count == 2)
    }
  }

  @Test("An unregistered monitor is released and no longer called")
  func unregister() async throws {
    try await withClient { client, _ in
      try await export(Self.flags, by: client)
      try await manager("RegisterMonitor", client)
      #expect(
        await failure { try await manager("RegisterMonitor", client) }?.line == "AlreadyExists Already Exists"
      )
      try await manager("UnregisterMonitor", client)
      let events = client.log.events()
      #expect(events.suffix(2) == [.reply("Release"), .reply("UnregisterMonitor")])
      #expect(
        await failure { try await manager("UnregisterMonitor", client) }?.line
          == "DoesNotExist Does Not Exist")
    }
  }

  @Test("An invalid monitor is released; an application without monitors is accepted")
  func nonsense() async throws {
    try await withClient { client, _ in
      try await manager("RegisterMonitor", client)
      try await manager("UnregisterMonitor", client)
      #expect(!client.log.events().contains(.reply("Release")))
      for patterns: [(offset: UInt8, type: UInt8, bytes: [UInt8])] in [
        [], [(0, 0x01, [])], [(31, 0x01, [1])], [(0, 0x50, [1])],
      ] {
        let start = client.log.end
        try await export(patterns, by: client)
        try await manager("RegisterMonitor", client)
        // It is released after the reply.
        #expect(await client.log.first(from: start, replying: "Release") != nil)
        try await manager("UnregisterMonitor", client)
      }
    }
  }

  @Test("An object exported for the daemon answers no other client")
  func strangers() async throws {
    try await withClient { client, bus in
      try await export(Self.flags, by: client)
      let other = try await BusClient.connect(to: bus.address)
      let error = await failure {
        try await other.connection.call(
          Message(
            call: "Release", of: "org.bluez.AdvertisementMonitor1", at: "/app/monitor", to: client.name),
          timeout: .seconds(20))
      }
      #expect(error?.name == ErrorName.unknownMethod)
      #expect(!client.log.events().contains(.reply("Release")))
    }
  }

  @Test("Eight patterns crash the daemon")
  func tooMany() async throws {
    try await withClient { client, _ in
      try await export((0..<8).map { (0, 0x01, [$0]) }, by: client)
      #expect(await failure { try await manager("RegisterMonitor", client) }?.name == ErrorName.noReply)
    }
  }
}
