// SPDX-License-Identifier: MIT
import BLEFormats
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Faults of adapters and the daemon, and other programs.
@Suite("Daemon fault")
struct DaemonFaultTests {
  private func withClient(_ test: (Simulator, BusClient) async throws -> Void) async throws {
    try await withSimulator { bus in
      try await test(bus.simulator, try await BusClient.connect(to: bus.address))
    }
  }

  @Test("The adapter is off for a while")
  func adapterOffWhile() async throws {
    try await withClient { simulator, client in
      try await simulator.perform(.adapter(.switchOff, for: .milliseconds(20)))
      let off = try #require(await client.log.first(setting: "Powered", to: .boolean(false)))
      #expect(await client.log.first(from: off, setting: "Powered", to: .boolean(true)) != nil)
    }
  }

  @Test("An adapter that is switched off and on at once is signalled as off")
  func adapterSwitchedOff() async throws {
    try await withClient { simulator, client in
      await simulator.switchOffAndOn()
      let off = try #require(await client.log.first(setting: "Powered", to: .boolean(false)))
      #expect(await client.log.first(from: off, setting: "Powered", to: .boolean(true)) != nil)
    }
  }

  @Test("The adapter is unplugged for a while and comes back as it was")
  func adapterUnpluggedWhile() async throws {
    try await withClient { simulator, client in
      let before = try await client.getAll("org.bluez.Adapter1", at: BusClient.adapterPath)
      try await simulator.perform(.adapter(.remove, for: .milliseconds(20)))
      let removed = try #require(await client.log.first(adding: BusClient.adapterPath, isAdded: false))
      _ = await client.log.first(from: removed, adding: BusClient.adapterPath)
      let after = try await client.getAll("org.bluez.Adapter1", at: BusClient.adapterPath)
      #expect(after.map(\.1) == before.map(\.1))
    }
  }

  @Test("A blocked adapter is off and stays off when it is unblocked")
  func blockedAdapterOff() async throws {
    try await withClient { simulator, client in
      try await simulator.perform(.adapter(.block))
      _ = await client.log.first(setting: "Powered", to: .boolean(false))
      func switchOn() async -> DBusError? {
        await failure {
          try await client.set(
            "Powered", of: "org.bluez.Adapter1", at: BusClient.adapterPath, to: .boolean(true))
        }
      }
      #expect(await switchOn()?.line == "Blocked Blocked through rfkill")
      try await simulator.perform(.adapter(.unblock))
      #expect(
        try await client.get("Powered", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
          == .boolean(false))
      #expect(await switchOn() == nil)
    }
  }

  @Test("The daemon is gone for a while", arguments: [DaemonAction.kill, .stop])
  func daemonGoneWhile(_ command: DaemonAction) async throws {
    try await withClient { simulator, client in
      try await simulator.perform(.daemon(command, for: .milliseconds(20)))
      let gone = try #require(await client.log.first(owning: "org.bluez", isOwned: false))
      #expect(await client.log.first(from: gone, owning: "org.bluez", isOwned: true) != nil)
      #expect(await simulator.state.daemon == .running)
    }
  }

  @Test("A frozen daemon thaws by itself")
  func frozenDaemonThaws() async throws {
    try await withClient { simulator, client in
      try await simulator.perform(.daemon(.freeze, for: .milliseconds(20)))
      #expect(await simulator.state.daemon == .frozen)
      _ = try await client.managedObjects()
      #expect(await simulator.state.daemon == .running)
    }
  }

  @Test(
    "A busy daemon answers InProgress a number of times",
    arguments: ["StartDiscovery", "Connect", "ReadValue"])
  func busyDaemonAnswers(_ method: String) async throws {
    try await withClient { simulator, client in
      try await client.open(Address.strap)
      let target = try await client.characteristic("2a38", of: Address.strap)
      try await simulator.perform(.daemon(.failCalls(CallFault(method, times: 1))))
      func attempt() async -> String? {
        switch method {
        case "StartDiscovery": await failure { try await client.adapter(method) }?.line
        case "Connect": await failure { try await client.device(method, Address.strap) }?.line
        default: await failure { try await client.read(target) }?.line
        }
      }
      let text = method == "StartDiscovery" ? "Operation already in progress" : "In Progress"
      #expect(await attempt() == "InProgress \(text)")
      #expect(await attempt() == nil)
    }
  }

  @Test("Calls fail with the given error, for one device only")
  func callsFailGiven() async throws {
    try await withClient { simulator, client in
      try await client.find(Address.strap)
      try await client.find(Address.piano)
      try await simulator.perform(
        .daemon(
          .failCalls(CallFault("Connect", BlueZError("com.example.No", "not today"), device: Address.strap))))
      #expect(await failure { try await client.device("Connect", Address.strap) }?.line == "No not today")
      try await client.connect(Address.piano)
    }
  }

  @Test("Signals are sent twice")
  func signalsSentTwice() async throws {
    try await withClient { simulator, client in
      try await client.barrier()  // the signals of the start have arrived
      try await simulator.perform(.daemon(.doubleSignals(times: 1)))
      try await client.set(
        "Pairable", of: "org.bluez.Adapter1", at: BusClient.adapterPath, to: .boolean(true))
      try await client.set("Alias", of: "org.bluez.Adapter1", at: BusClient.adapterPath, to: .string("twice"))
      try await client.barrier()
      let events = client.log.events()
      #expect(events.filter { $0.sets("Pairable", to: .boolean(true)) }.count == 2)
      #expect(events.filter { $0.sets("Alias", to: .string("twice")) }.count == 1)
    }
  }

  @Test("The filter of another program's scan hides devices that neither scan wants")
  func filterAnotherProgram() async throws {
    try await withClient { simulator, client in
      try await simulator.perform(.otherClient(.scan(OtherClientFilter(pattern: "E7:10"))))
      try await client.startDiscovery()
      _ = await client.log.first(about: BusClient.devicePath(Address.thermometer))
      try await client.adapter("StopDiscovery")
      // The other one keeps scanning.
      #expect(
        try await client.get("Discovering", of: "org.bluez.Adapter1", at: BusClient.adapterPath)
          == .boolean(true))
      #expect(try await client.managedObjects()[BusClient.devicePath(Address.strap)] == nil)
      try await simulator.perform(.otherClient(.leave))
      #expect(await client.log.first(setting: "Discovering", to: .boolean(false)) != nil)
    }
  }

  @Test("Another program registers and unregisters an agent")
  func anotherProgramRegisters() async throws {
    try await withClient { simulator, client in
      try await simulator.perform(.otherClient(.registerAgent))
      #expect(await client.log.first(setting: "Pairable", to: .boolean(true)) != nil)
      try await simulator.perform(.otherClient(.unregisterAgent))
      #expect(await client.log.first(setting: "Pairable", to: .boolean(false)) != nil)
    }
  }

  @Test("A command that names something unknown is refused")
  func commandNamesSomething() async throws {
    try await withClient { simulator, _ in
      let reference = CharacteristicReference(device: Address.strap, uuid: BluetoothUUID(0x2A37))
      let table: [(ControlCommand, String)] = [
        (
          .peripheral("F0:F1:F2:F3:F4:F6", .dropLink),
          "/device: there is no peripheral F0:F1:F2:F3:F4:F6: did you mean F0:F1:F2:F3:F4:F5?"
        ),
        (.adapter(.switchOff, "hci1"), "/adapter: there is no adapter hci1: did you mean hci0?"),
        (.adapter(.add), "/adapter: the adapter hci0 exists already"),
        (
          .characteristic(BluetoothUUID(0x2A99), of: Address.strap, .heal),
          "/characteristic: F0:F1:F2:F3:F4:F5 has no characteristic 2a99"
        ),
        (
          .otherClient(.hold(reference)),
          "/characteristic: the daemon has not discovered its services: connect to it first"
        ),
      ]
      for (command, text) in table {
        await #expect(throws: ControlError.self) { try await simulator.perform(command) }
        do throws(ControlError) { try await simulator.perform(command) } catch {
          #expect(error.description == text)
        }
      }
    }
  }
}

extension Simulator {
  /// Both in one turn of its loop.
  fileprivate func switchOffAndOn() {
    setPowered(false)
    setPowered(true)
  }
}
