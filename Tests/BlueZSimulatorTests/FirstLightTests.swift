// SPDX-License-Identifier: MIT
import BlueZSimulator
import DBus
import TestSupport
import Testing

@Suite struct FirstLightTests {
  @Test func aStrapIsFoundConnectedReadAndSubscribedTo() async throws {
    try await withSimulator { bus in
      let client = try await BusClient.connect(to: bus.address)
      try await client.open("F0:F1:F2:F3:F4:F5")
      let location = try await client.characteristic("2a38", of: "F0:F1:F2:F3:F4:F5")
      #expect(try await client.read(location) == [1])
      let pulse = try await client.characteristic("2a37", of: "F0:F1:F2:F3:F4:F5")
      try await client.gatt("StartNotify", pulse)
      let index = await client.log.first { $0.sets("Value", to: .bytes([0, 60]), at: pulse) }
      #expect(index != nil)
      await client.close()
    }
  }
}
