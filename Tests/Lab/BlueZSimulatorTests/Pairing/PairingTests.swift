// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// Pairings that a client begins.
@Suite("Pairing")
struct PairingTests {
  @Test("Just Works asks no agent, and Bonded does not come after Paired")
  func justWorksAsks() async throws {
    try await SimulatedPairing.run(Peer.justWorks) { stage in
      let agent = try await stage.agent("NoInputNoOutput")
      #expect(await stage.pair(by: agent) == nil)
      #expect(agent.calls.isEmpty)
      let bonded = try #require(await agent.client.log.first(setting: "Bonded", to: .boolean(true)))
      let paired = try #require(await agent.client.log.first(setting: "Paired", to: .boolean(true)))
      // In one signal if the services are known by then.
      #expect(bonded <= paired)
      try await stage.expect("0302", reads: "encrypted")
      #expect(await stage.bonds == 1)
    }
  }

  @Test(
    "The passkey that the peripheral shows is typed by the agent",
    arguments: [
      (Peer.passkeyShown, "KeyboardDisplay", "secure"), (Peer.passkeyShown, "", "secure"),
      (Peer.legacy, "KeyboardOnly", "authenticated"),
    ])
  func passkeyPeripheralShows(
    _ device: String, _ capability: String, _ security: String
  ) async throws {
    try await SimulatedPairing.run(device) { stage in
      let agent = try await stage.agent(capability) { _ in .passkey(42017) }
      #expect(await stage.pair(by: agent) == nil)
      #expect(agent.calls.map(\.member) == ["RequestPasskey"])
      #expect(agent.calls.first?.device == stage.path)
      try await stage.expect("0303", reads: "authenticated")
      if security == "secure" { try await stage.expect("0304", reads: "secure") }
    }
  }

  @Test("A wrong passkey fails the pairing, and the link ends")
  func wrongPasskeyFails() async throws {
    try await SimulatedPairing.run(Peer.passkeyShown) { stage in
      let agent = try await stage.agent("KeyboardDisplay") { _ in .passkey(42018) }
      #expect(await stage.pair(by: agent) == "AuthenticationFailed Authentication Failed")
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
      try await stage.expect("Paired", false)
      #expect(await stage.bonds == 0)
    }
  }

  @Test(
    "The passkey that the agent shows is typed into the peripheral",
    arguments: [(UInt32(0), String?.none), (1, "AuthenticationFailed Authentication Failed")])
  func passkeyAgentShows(
    _ mistake: UInt32, _ outcome: String?
  ) async throws {
    try await SimulatedPairing.run(Peer.passkeyTyped) { stage in
      let agent = try await stage.agent("DisplayOnly")
      let pairing = await agent.client.beginDevice("Pair", stage.device)
      let call = try #require(await agent.called("DisplayPasskey"))
      let passkey = try #require(call.number)
      #expect(passkey <= 999_999)
      #expect(!call.wantsReply)
      await stage.bus.simulator.typePasskey(stage.device, (passkey + mistake) % 1_000_000)
      #expect(await pairing.failure?.line == outcome)
      #expect(await stage.bonds == (mistake == 0 ? 1 : 0))
    }
  }

  @Test("A passkey typed before the peripheral asks is kept for its question")
  func whatTypedBefore() async throws {
    try await SimulatedPairing.run(Peer.passkeyTyped) { stage in
      await stage.bus.simulator.typePasskey(stage.device, 123_456)
      let agent = try await stage.agent("KeyboardOnly") { _ in .passkey(123_456) }
      #expect(await stage.pair(by: agent) == nil)
      try await stage.expect("0304", reads: "secure")
    }
  }

  @Test("Both sides of a comparison show the same number")
  func bothSidesComparison() async throws {
    try await SimulatedPairing.run(Peer.comparison) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      let pairing = await agent.client.beginDevice("Pair", stage.device)
      let call = try #require(await agent.called("RequestConfirmation"))
      let shown = await stage.bus.simulator.passkey(shownBy: stage.device)
      #expect(shown == call.number)
      try await agent.client.device("CancelPairing", stage.device)
      #expect(await pairing.failure?.line == "AuthenticationCanceled Authentication Canceled")
      #expect(await agent.called("Cancel") != nil)
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
      #expect(await stage.bus.simulator.passkey(shownBy: stage.device) == nil)
    }
  }

  @Test("A comparison that the agent refuses fails, and the link stays")
  func comparisonAgentRefuses() async throws {
    try await SimulatedPairing.run(Peer.comparison) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .refuse }
      #expect(await stage.pair(by: agent) == "AuthenticationFailed Authentication Failed")
      let resolved = await stage.client.log.first(
        setting: "ServicesResolved", to: .boolean(true), at: stage.path)
      #expect(resolved != nil)
      try await stage.expect("0301", reads: "open")
    }
  }

  @Test("A comparison that the peripheral refuses withdraws the question")
  func comparisonPeripheralRefuses() async throws {
    try await SimulatedPairing.run(Peer.comparisonNo) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      #expect(await stage.pair(by: agent) == "AuthenticationFailed Authentication Failed")
      #expect(await agent.called("Cancel") != nil)
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
    }
  }

  @Test(
    "A peripheral refuses to pair",
    arguments: [
      (Peer.refuses, "NoInputNoOutput"), (Peer.refuses, "KeyboardDisplay"),
      (Peer.demandsMITM, "NoInputNoOutput"),
    ])
  func peripheralRefusesPair(_ device: String, _ capability: String) async throws {
    try await SimulatedPairing.run(device) { stage in
      let agent = try await stage.agent(capability)
      #expect(await stage.pair(by: agent) == "AuthenticationFailed Authentication Failed")
      #expect(agent.calls.isEmpty)
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
    }
  }

  @Test(
    "A pairing without an answer is canceled after a while",
    arguments: [(Peer.silent, 0), (Peer.comparison, 2)])
  func pairingWithoutAnswer(
    _ device: String, _ calls: Int
  ) async throws {
    var timing = SimulatorTiming.brisk
    timing.pairingTimeout = .milliseconds(50)
    try await SimulatedPairing.run(device, timing: timing) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      #expect(await stage.pair(by: agent) == "AuthenticationCanceled Authentication Canceled")
      #expect(await stage.client.log.first(setting: "Connected", to: .boolean(false), at: stage.path) != nil)
      try await agent.client.barrier()
      #expect(agent.calls.count == calls)
    }
  }

  @Test("Without any agent pairing fails, and the link stays")
  func withoutAnyAgent() async throws {
    try await SimulatedPairing.run(Peer.justWorks) { stage in
      let error = await stage.client.failure("Pair", of: "org.bluez.Device1", at: stage.path)
      #expect(error?.line == "AuthenticationFailed Authentication Failed")
      let resolved = await stage.client.log.first(
        setting: "ServicesResolved", to: .boolean(true), at: stage.path)
      #expect(resolved != nil)
    }
  }

  @Test("A second pairing waits for the first")
  func secondPairingWaits() async throws {
    try await SimulatedPairing.run(Peer.comparison) { stage in
      await stage.bus.simulator.appear(Peer.passkeyShown)
      try await stage.client.find(Peer.passkeyShown)
      let agent = try await stage.agent("KeyboardDisplay") { call in
        call.member == "RequestPasskey" ? .passkey(42017) : .silence
      }
      let first = await agent.client.beginDevice("Pair", Peer.comparison)
      #expect(await agent.called("RequestConfirmation") != nil)
      let second = await agent.client.beginDevice("Pair", Peer.passkeyShown)
      try await agent.client.barrier()
      #expect(agent.calls.count == 1)
      try await agent.client.device("CancelPairing", Peer.comparison)
      #expect(await first.failure?.line == "AuthenticationCanceled Authentication Canceled")
      let outcome = await second.failure?.line
      #expect(outcome == nil)
    }
  }

  @Test("Scanning waits for a pairing")
  func scanningWaitsPairing() async throws {
    try await SimulatedPairing.run(Peer.comparison) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      let pairing = await agent.client.beginDevice("Pair", Peer.comparison)
      #expect(await agent.called("RequestConfirmation") != nil)
      await stage.bus.simulator.appear(Peer.justWorks)
      let scan = await stage.client.begin(
        "StartDiscovery", of: "org.bluez.Adapter1", at: BusClient.adapterPath, as: "scan")
      try await stage.client.barrier()
      #expect(!stage.client.log.events().contains(.reply("scan")))
      try await agent.client.device("CancelPairing", Peer.comparison)
      #expect(await scan.failure == nil)
      #expect(await stage.client.log.first(about: BusClient.devicePath(Peer.justWorks)) != nil)
      _ = await pairing.failure
    }
  }

  @Test("Disconnecting cancels the pairing of the same device")
  func disconnectingCancelsPairing() async throws {
    try await SimulatedPairing.run(Peer.comparison) { stage in
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      let pairing = await agent.client.beginDevice("Pair", Peer.comparison)
      #expect(await agent.called("RequestConfirmation") != nil)
      try await stage.disconnect()
      #expect(await pairing.failure?.line == "AuthenticationCanceled Authentication Canceled")
      #expect(await agent.called("Cancel") != nil)
    }
  }

  @Test("An agent with an open question refuses another")
  func agentOpenQuestion() async throws {
    var timing = SimulatorTiming.brisk
    timing.temporaryDevice = .milliseconds(300)
    try await SimulatedPairing.run(Peer.comparison, timing: timing) { stage in
      let path = BusClient.devicePath(Peer.justWorks)
      await stage.bus.simulator.appear(Peer.justWorks)
      _ = await stage.client.log.first { $0.path == path }
      try await stage.client.connect(Peer.justWorks)
      let agent = try await stage.agent("DisplayYesNo") { _ in .silence }
      let pairing = await agent.client.beginDevice("Pair", Peer.comparison)
      #expect(await agent.called("RequestConfirmation") != nil)
      await stage.bus.simulator.askForSecurity(Peer.justWorks)
      // A device whose pairing was refused is forgotten.
      #expect(await stage.client.log.first(adding: path, isAdded: false) != nil)
      #expect(agent.calls.count == 1)
      pairing.cancel()
    }
  }
}
