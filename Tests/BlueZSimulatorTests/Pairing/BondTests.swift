// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// What becomes of bonds, and of pairings that somebody leaves.
@Suite struct BondTests {
  private func withBond(_ body: (PairingStage, BusAgent) async throws -> Void) async throws {
    try await PairingStage.run(Peer.comparison) { stage in
      let agent = try await stage.agent("DisplayYesNo")
      #expect(await stage.pair(by: agent) == nil)
      try await stage.disconnect()
      try await body(stage, agent)
    }
  }

  @Test func `A bond outlives the daemon`() async throws {
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

  @Test func `A peripheral without its key cannot be connected to, and the bond stays`() async throws {
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

  @Test func `RemoveDevice forgets our key, and pairing again replaces the other`() async throws {
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

  @Test func `Without Pairable the key is forgotten with the link`() async throws {
    try await PairingStage.run(Peer.justWorks) { stage in
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

  @Test func `A blocked device is disconnected, and not connected to until it is unblocked`() async throws {
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

  @Test func `A client that leaves takes its pairing and the link with it`() async throws {
    try await PairingStage.run(Peer.passkeyShown) { stage in
      let agent = try await stage.agent("KeyboardDisplay") { _ in .silence }
      _ = await agent.client.beginDevice("Pair", stage.device)
      #expect(await agent.called("RequestPasskey") != nil)
      await agent.client.close()
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
      #expect(await stage.bonds == 0)
    }
  }

  @Test(arguments: [Peer.comparison, Peer.passkeyShown])
  func `An agent that leaves while another client pairs has refused`(_ device: String) async throws {
    try await PairingStage.run(device) { stage in
      let agent = try await stage.agent("KeyboardDisplay") { _ in .silence }
      let pairing = await stage.client.beginDevice("Pair", stage.device)
      let question = device == Peer.comparison ? "RequestConfirmation" : "RequestPasskey"
      #expect(await agent.called(question) != nil)
      await agent.client.close()
      #expect(await pairing.failure?.line == "AuthenticationFailed Authentication Failed")
    }
  }

  @Test func `An agent that leaves an attribute's question for a passkey open crashes the daemon`()
    async throws
  {
    try await PairingStage.run(Peer.passkeyShown) { stage in
      try await stage.client.connect(stage.device)
      let agent = try await stage.agent("KeyboardDisplay") { _ in .silence }
      let read = await stage.client.beginRead(try await stage.attribute("0302"))
      #expect(await agent.called("RequestPasskey") != nil)
      await agent.client.close()
      #expect(await stage.client.log.first(owning: "org.bluez", isOwned: false) != nil)
      #expect(await read.failure != nil)
    }
  }

  @Test func `The question of an agent that is unregistered stays open until it is withdrawn`() async throws {
    var timing = SimulatorTiming.brisk
    timing.pairingTimeout = .milliseconds(50)
    try await PairingStage.run(Peer.comparison, timing: timing) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      let pairing = await agent.client.beginDevice("Pair", stage.device)
      #expect(await agent.called("RequestConfirmation") != nil)
      try await agent.unregister()
      #expect(await pairing.failure?.line == "AuthenticationCanceled Authentication Canceled")
      #expect(await agent.called("Cancel") != nil)
    }
  }
}
