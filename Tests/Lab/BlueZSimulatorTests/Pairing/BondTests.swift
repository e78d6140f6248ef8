// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// The fate of bonds, and of pairings whose client or agent leaves.
@Suite("Bond")
struct BondTests {
  private func withBond(_ body: (SimulatedPairing, BusAgent) async throws -> Void) async throws {
    try await SimulatedPairing.run(Peer.comparison) { stage in
      let agent = try await stage.agent("DisplayYesNo")
      #expect(await stage.pair(by: agent) == nil)
      try await stage.disconnect()
      try await body(stage, agent)
    }
  }

  @Test("A bond outlives the daemon")
  func bondOutlivesDaemon() async throws {
    try await withBond { stage, agent in
      await stage.bus.simulator.stopDaemon()
      #expect(await agent.called("Release") != nil)
      let start = stage.client.log.end
      try await stage.bus.simulator.startDaemon()
      #expect(await stage.client.log.first(from: start, setting: "Powered", to: .boolean(true)) != nil)
      try await stage.expect("Bonded", true)
      try await stage.client.connect(stage.device)
      try await stage.expect("0304", reads: "secure")
    }
  }

  @Test("A peripheral without its key cannot be connected to, and the bond stays")
  func peripheralWithoutKey() async throws {
    try await withBond { stage, _ in
      await stage.bus.simulator.forgetBonds(stage.device)
      let start = stage.client.log.end
      let error = await stage.client.failure("Connect", of: "org.bluez.Device1", at: stage.path)
      #expect(error?.line == "Failed br-connection-canceled")
      #expect(await stage.client.log.first(from: start, setting: "Connected", to: .boolean(true)) != nil)
      try await stage.expect("Connected", false)
      try await stage.expect("Bonded", true)
    }
  }

  @Test("RemoveDevice forgets our key, and pairing again replaces the other")
  func removedeviceForgetsOur() async throws {
    try await withBond { stage, agent in
      await stage.client.forget(stage.device)
      #expect(await stage.bonds == 1)
      try await stage.client.find(stage.device)
      try await stage.client.connect(stage.device)
      try await stage.expect("Paired", false)
      try await stage.expect("0302", reads: "encrypted")
      #expect(agent.calls.count == 2)
      #expect(await stage.bonds == 1)
      try await stage.disconnect()
      try await stage.client.connect(stage.device)
      try await stage.expect("0302", reads: "encrypted")
    }
  }

  @Test("Without Pairable the key is forgotten with the link")
  func withoutPairableKey() async throws {
    try await SimulatedPairing.run(Peer.justWorks) { stage in
      let agent = try await stage.agent("NoInputNoOutput")
      try await stage.client.set(
        "Pairable", of: "org.bluez.Adapter1", at: BusClient.adapterPath, to: .boolean(false))
      #expect(await stage.pair(by: agent) == nil)
      try await stage.expect("Paired", true)
      try await stage.expect("Bonded", false)
      #expect(await stage.bonds == 0)
      try await stage.disconnect()
      try await stage.expect("Paired", false)
    }
  }

  @Test("A private address is resolved by a bond, on the same object, until the daemon starts again")
  func privateAddressResolved()
    async throws
  {
    try await withSimulator(world: .contract, timing: .brisk) { bus in
      let client = try await BusClient.connect(to: bus.address)
      await bus.simulator.appear(Peer.hidden)
      try await client.find(Peer.addressOfHidden)
      let stage = SimulatedPairing(bus: bus, client: client, device: Peer.addressOfHidden)
      func address(at path: String) async throws -> DBusValue {
        try await client.get("Address", of: "org.bluez.Device1", at: path)
      }
      #expect(try await address(at: stage.path) == .string(Peer.addressOfHidden))
      let agent = try await stage.agent("NoInputNoOutput")
      #expect(await stage.pair(by: agent) == nil)
      #expect(try await address(at: stage.path) == .string(Peer.hidden))
      let start = client.log.end
      await bus.simulator.stopDaemon()
      try await bus.simulator.startDaemon()
      #expect(await client.log.first(from: start, setting: "Powered", to: .boolean(true)) != nil)
      #expect(try await address(at: BusClient.devicePath(Peer.hidden)) == .string(Peer.hidden))
    }
  }

  @Test("A blocked device is disconnected, and not connected to until it is unblocked")
  func blockedDeviceDisconnected() async throws {
    try await withBond { stage, _ in
      try await stage.client.connect(stage.device)
      let start = stage.client.log.end
      try await stage.client.set(
        "Blocked", of: "org.bluez.Device1", at: stage.path, to: .boolean(true))
      #expect(
        await stage.client.log.first(from: start, setting: "Connected", to: .boolean(false)) != nil)
      let connecting = await stage.client.beginDevice("Connect", stage.device)
      try await stage.client.barrier()
      try await stage.expect("Connected", false)
      try await stage.client.set(
        "Blocked", of: "org.bluez.Device1", at: stage.path, to: .boolean(false))
      #expect(await connecting.failure == nil)
    }
  }

  @Test("A client that leaves takes its pairing and the link with it")
  func clientLeavesTakes() async throws {
    try await SimulatedPairing.run(Peer.passkeyShown) { stage in
      let agent = try await stage.agent("KeyboardDisplay") { _ in .silence }
      _ = await agent.client.beginDevice("Pair", stage.device)
      #expect(await agent.called("RequestPasskey") != nil)
      await agent.client.close()
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
      #expect(await stage.bonds == 0)
    }
  }

  @Test(
    "An agent that leaves while another client pairs counts as a refusal",
    arguments: [Peer.comparison, Peer.passkeyShown])
  func agentLeavesWhile(_ device: String) async throws {
    try await SimulatedPairing.run(device) { stage in
      let agent = try await stage.agent("KeyboardDisplay") { _ in .silence }
      let pairing = await stage.client.beginDevice("Pair", stage.device)
      let question = device == Peer.comparison ? "RequestConfirmation" : "RequestPasskey"
      #expect(await agent.called(question) != nil)
      await agent.client.close()
      #expect(await pairing.failure?.line == "AuthenticationFailed Authentication Failed")
    }
  }

  @Test("An agent that leaves an attribute's question for a passkey open crashes the daemon")
  func agentLeavesAttribute()
    async throws
  {
    try await SimulatedPairing.run(Peer.passkeyShown) { stage in
      try await stage.client.connect(stage.device)
      let agent = try await stage.agent("KeyboardDisplay") { _ in .silence }
      let read = await stage.client.beginRead(try await stage.attribute("0302"))
      #expect(await agent.called("RequestPasskey") != nil)
      await agent.client.close()
      #expect(await stage.client.log.first(owning: "org.bluez", isOwned: false) != nil)
      #expect(await read.failure != nil)
    }
  }

  @Test("The question of an agent that is unregistered stays open until it is withdrawn")
  func questionAgentUnregistered() async throws {
    var timing = SimulatorTiming.brisk
    timing.pairingTimeout = .milliseconds(50)
    try await SimulatedPairing.run(Peer.comparison, timing: timing) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      let pairing = await agent.client.beginDevice("Pair", stage.device)
      #expect(await agent.called("RequestConfirmation") != nil)
      try await agent.unregister()
      #expect(await pairing.failure?.line == "AuthenticationCanceled Authentication Canceled")
      #expect(await agent.called("Cancel") != nil)
    }
  }
}

/// Pairings that no client has called for: because of an attribute, or because the peripheral asks.
@Suite("Raised security")
struct RaisedSecurityTests {
  private func withLink(
    _ device: String, timing: SimulatorTiming = .brisk, _ body: (SimulatedPairing) async throws -> Void
  ) async throws {
    try await SimulatedPairing.run(device, timing: timing) { stage in
      try await stage.client.connect(device)
      try await body(stage)
    }
  }

  @Test("An encrypted attribute asks the default agent for permission")
  func encryptedAttributeAsks() async throws {
    try await withLink(Peer.justWorks) { stage in
      let agent = try await stage.agent("NoInputNoOutput")
      try await stage.expect("0302", reads: "encrypted")
      #expect(agent.calls.map(\.member) == ["RequestAuthorization"])
      try await stage.expect("Bonded", true)
      try await stage.expect("0302", reads: "encrypted")
      #expect(agent.calls.count == 1)
    }
  }

  @Test("Subscribing to an encrypted attribute, and writing it, ask the agent for permission once")
  func subscribingWritingNeed() async throws {
    try await withLink(Peer.justWorks) { stage in
      let agent = try await stage.agent("NoInputNoOutput")
      let echo = try await stage.attribute("0305")
      try await stage.client.gatt("StartNotify", echo)
      try await stage.client.write(echo, [1, 2])
      #expect(await stage.client.log.first { $0.bytes("Value", at: echo) == [1, 2] } != nil)
      #expect(agent.calls.map(\.member) == ["RequestAuthorization"])
    }
  }

  @Test("A request waits for ever when security cannot be raised, until the link ends")
  func requestWaitsEver() async throws {
    try await withLink(Peer.justWorks) { stage in
      let encrypted = await stage.client.beginRead(try await stage.attribute("0302"))
      let open = await stage.client.beginRead(try await stage.attribute("0301"))
      try await stage.client.barrier()
      #expect(!stage.client.log.events().contains(.reply("ReadValue")))
      try await stage.disconnect()
      let lost = "Failed Operation failed with ATT error: 0x0e"
      #expect(await encrypted.failure?.line == lost)
      #expect(await open.failure?.line == lost)
    }
  }

  @Test("A request that waits goes on when a client pairs")
  func requestWaitsGoes() async throws {
    try await withLink(Peer.justWorks) { stage in
      let read = await stage.client.beginRead(try await stage.attribute("0302"))
      // The peripheral refuses it before there is an agent: each answer to a ping takes a turn of the simulator's loop.
      for _ in 0..<4 { try await stage.client.barrier() }
      let agent = try await stage.agent("NoInputNoOutput")
      #expect(await stage.pair(by: agent) == nil)
      #expect(await read.failure == nil)
    }
  }

  @Test("A key of Just Works is not enough for an authenticated attribute")
  func keyJustWorks() async throws {
    try await withLink(Peer.passkeyShown) { stage in
      let weak = try await stage.agent("NoInputNoOutput")
      #expect(await stage.pair(by: weak) == nil)
      try await weak.unregister()
      let agent = try await stage.agent("KeyboardDisplay") { _ in .passkey(42017) }
      try await stage.expect("0303", reads: "authenticated")
      #expect(agent.calls.map(\.member) == ["RequestPasskey"])
      #expect(await stage.bonds == 1)
    }
  }

  @Test("A device is forgotten after a failed pairing, although its link stands")
  func deviceForgottenAfter() async throws {
    var timing = SimulatorTiming.brisk
    timing.temporaryDevice = .milliseconds(200)
    try await withLink(Peer.justWorks, timing: timing) { stage in
      let agent = try await stage.agent("NoInputNoOutput") { _ in .refuse }
      let read = await stage.client.beginRead(try await stage.attribute("0302"))
      #expect(await agent.called("RequestAuthorization") != nil)
      #expect(await stage.client.log.first(adding: stage.path, isAdded: false) != nil)
      read.cancel()
    }
  }

  @Test("The peripheral asks for security, and the default agent is asked")
  func peripheralAsksSecurity() async throws {
    try await withLink(Peer.passkeyShown) { stage in
      let agent = try await stage.agent("KeyboardDisplay") { _ in .passkey(42017) }
      await stage.bus.simulator.askForSecurity(stage.device)
      #expect(await agent.called("RequestPasskey") != nil)
      #expect(await stage.client.log.first(setting: "Paired", to: .boolean(true), at: stage.path) != nil)
    }
  }

  @Test("The first agent is the default agent, the next inherits, and each can ask to be it")
  func firstAgentDefault()
    async throws
  {
    try await withLink(Peer.comparison) { stage in
      let first = try await stage.agent("DisplayYesNo") { _ in .refuse }
      let second = try await stage.agent("DisplayYesNo") { _ in .refuse }
      await stage.bus.simulator.askForSecurity(stage.device)
      #expect(await first.called("RequestConfirmation") != nil)
      try await stage.client.barrier()
      #expect(second.calls.isEmpty)
      try await second.becomeDefault()
      await stage.bus.simulator.askForSecurity(stage.device)
      #expect(await second.called("RequestConfirmation") != nil)
      try await second.unregister()
      await stage.bus.simulator.askForSecurity(stage.device)
      let again = await first.client.log.first(
        from: first.client.log.end - 1, replying: "RequestConfirmation")
      #expect(again != nil)
    }
  }
}
