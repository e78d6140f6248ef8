// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@testable import BLEWorld
@testable import BlueZSimulator

@Suite("Agent manager")
struct AgentManagerTests {
  private func register(_ path: String, _ capability: String, _ client: BusClient) async -> DBusError? {
    await client.failure("RegisterAgent", of: "org.bluez.AgentManager1", at: "/org/bluez") {
      $0.objectPath(path)
      $0.string(capability)
    }
  }

  private func call(_ member: String, _ path: String, _ client: BusClient) async -> DBusError? {
    await client.failure(member, of: "org.bluez.AgentManager1", at: "/org/bluez") { $0.objectPath(path) }
  }

  @Test("A client has one agent and the first makes the adapter pairable")
  func clientHasOne() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      #expect(await call("UnregisterAgent", "/a", client)?.line == "DoesNotExist Does Not Exist")
      #expect(
        await register("/a", "Nonsense", client)?.line == "InvalidArguments Invalid arguments in method call")
      #expect(await register("/a", "NoInputNoOutput", client) == nil)
      #expect(await client.log.first { $0.sets("Pairable", to: .boolean(true)) } != nil)
      #expect(await register("/b", "Nonsense", client)?.line == "AlreadyExists Already Exists")
      #expect(await call("RequestDefaultAgent", "/b", client)?.line == "DoesNotExist Does Not Exist")
      #expect(await call("RequestDefaultAgent", "/a", client) == nil)
      #expect(await call("UnregisterAgent", "/a", client) == nil)
      #expect(await client.log.first { $0.sets("Pairable", to: .boolean(false)) } != nil)
    }
  }

  @Test("An agent goes with its client")
  func agentGoesClient() async throws {
    try await withSimulator { bus in
      let watcher = try await BusClient.connect(to: bus.address)
      let client = try await BusClient.connect(to: bus.address)
      #expect(await register("/a", "", client) == nil)
      await client.close()
      #expect(await watcher.log.first { $0.sets("Pairable", to: .boolean(false)) } != nil)
    }
  }
}

@Suite("Association model")
struct AssociationModelTests {
  private static let capabilities: [IOCapability] = [
    .displayOnly, .displayYesNo, .keyboardOnly, .none, .keyboardDisplay,
  ]

  /// The models for each capability of ours, in the order above, with legacy pairing.
  private static let legacy: [IOCapability: [AssociationModel]] = [
    .displayOnly: [.justWorks, .justWorks, .peripheralShows, .justWorks, .peripheralShows],
    .displayYesNo: [.justWorks, .justWorks, .peripheralShows, .justWorks, .peripheralShows],
    .keyboardOnly: [.weShow, .weShow, .bothType, .justWorks, .weShow],
    .none: [.justWorks, .justWorks, .justWorks, .justWorks, .justWorks],
    .keyboardDisplay: [.weShow, .weShow, .peripheralShows, .justWorks, .weShow],
  ]

  @Test("The model follows from what both sides can do", arguments: capabilities, [true, false])
  func modelFollowsWhat(_ peer: IOCapability, _ isSecure: Bool) throws {
    let spec = PairingSpec(peer, hasSecureConnections: isSecure, protection: .wanted)
    let models = Self.capabilities.map { AssociationModel(ours: $0, peer: spec) }
    var expected = try #require(Self.legacy[peer])
    if isSecure, peer.canCompare {
      expected[1] = .comparison
      expected[4] = .comparison
    }
    #expect(models == expected)
  }

  @Test("Without a demand for protection the model is Just Works only if we can do nothing")
  func withoutDemandProtection() {
    let peer = PairingSpec(.displayOnly)
    #expect(AssociationModel(ours: .none, peer: peer) == .justWorks)
    #expect(AssociationModel(ours: .keyboardOnly, peer: peer) == .peripheralShows)
  }

  @Test("Passkeys have six digits")
  func passkeysHaveSix() {
    #expect(PasskeyText.text(42017) == "042017")
    #expect(PasskeyText.text(0) == "000000")
    #expect(PasskeyText.passkey("042017") == 42017)
    for text in ["42017", "0420177", "+42017", "04201x", ""] { #expect(PasskeyText.passkey(text) == nil) }
  }
}
