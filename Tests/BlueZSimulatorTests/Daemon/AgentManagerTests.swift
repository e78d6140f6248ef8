// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite struct AgentManagerTests {
  private func register(_ path: String, _ capability: String, _ client: BusClient) async -> DBusError? {
    await client.failure("RegisterAgent", of: "org.bluez.AgentManager1", at: "/org/bluez") {
      $0.objectPath(path)
      $0.string(capability)
    }
  }

  private func call(_ member: String, _ path: String, _ client: BusClient) async -> DBusError? {
    await client.failure(member, of: "org.bluez.AgentManager1", at: "/org/bluez") { $0.objectPath(path) }
  }

  @Test func aClientHasOneAgentAndTheFirstMakesTheAdapterPairable() async throws {
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

  @Test func anAgentGoesWithItsClient() async throws {
    try await withSimulator { bus in
      let watcher = try await BusClient.connect(to: bus.address)
      let client = try await BusClient.connect(to: bus.address)
      #expect(await register("/a", "", client) == nil)
      await client.close()
      #expect(await watcher.log.first { $0.sets("Pairable", to: .boolean(false)) } != nil)
    }
  }
}
