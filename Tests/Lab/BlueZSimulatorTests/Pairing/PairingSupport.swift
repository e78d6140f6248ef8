// SPDX-License-Identifier: MIT
import BLEWorld
import BlueZSimulator
import DBus
import TestSupport
import Testing

/// The devices of docs/pairing-world.md.
enum Peer {
  static let justWorks = "C7:B0:4D:00:00:01"
  static let passkeyShown = "C7:B0:4D:00:00:02"
  static let passkeyTyped = "C7:B0:4D:00:00:03"
  static let comparison = "C7:B0:4D:00:00:04"
  static let comparisonNo = "C7:B0:4D:00:00:05"
  static let refuses = "C7:B0:4D:00:00:06"
  static let silent = "C7:B0:4D:00:00:07"
  static let legacy = "C7:B0:4D:00:00:08"
  static let demandsMITM = "C7:B0:4D:00:00:09"
  static let passkeyShown2 = "C7:B0:4D:00:00:0A"
  static let hidden = "C7:B0:4D:00:00:0B"
  static let addressOfHidden = "7A:B0:0D:08:50:77"
}

/// The stage of a test of pairing: the simulator, an agent, and a client that knows the device.
struct SimulatedPairing: Sendable {
  let bus: SimulatedBus
  /// Calls what is not part of a pairing.
  let client: BusClient
  let device: String
  var path: String { BusClient.devicePath(device) }

  /// Runs a test on a device that BlueZ has found.
  ///
  /// Where BlueZ forgets devices early, the scan goes on: it does not forget what it hears.
  static func run(
    _ device: String, timing: SimulatorTiming = .brisk, _ body: (SimulatedPairing) async throws -> Void
  ) async throws {
    let forgetsEarly = timing.temporaryDevice < SimulatorTiming.brisk.temporaryDevice
    try await withSimulator(world: .contract, timing: timing) { bus in
      let client = try await BusClient.connect(to: bus.address)
      await bus.simulator.appear(device)
      if forgetsEarly { try await client.hear(device) } else { try await client.find(device) }
      try await body(SimulatedPairing(bus: bus, client: client, device: device))
    }
  }

  func agent(
    _ capability: String, answer: @escaping @Sendable (BusAgent.Call) -> BusAgent.Answer = { _ in .agree }
  ) async throws -> BusAgent {
    try await .register(on: bus.address, capability, answer: answer)
  }

  /// The error of Pair, called by the client of an agent; nil when it succeeds.
  func pair(by agent: BusAgent) async -> String? {
    await agent.client.failure("Pair", of: "org.bluez.Device1", at: path)?.line
  }

  func attribute(_ short: String) async throws -> String {
    try await client.characteristic("b1ec\(short)-5c0e-4b1e-a5d2-6b2f0c7e91aa", of: device)
  }

  /// Expects that an attribute can be read.
  func expect(
    _ short: String, reads text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let value = try await client.read(attribute(short))
    #expect(String(decoding: value, as: UTF8.self) == text, sourceLocation: sourceLocation)
  }

  /// Expects a value of a property of the device.
  func expect(
    _ property: String, _ isOn: Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let value = try await client.get(property, of: "org.bluez.Device1", at: path)
    #expect(value == .boolean(isOn), sourceLocation: sourceLocation)
  }

  var bonds: Int { get async { await bus.simulator.bondCount(device) } }

  /// Disconnects and waits for the end of the link.
  func disconnect() async throws {
    let start = client.log.end
    try await client.device("Disconnect", device)
    #expect(await client.log.first(from: start, setting: "Connected", to: .boolean(false), at: path) != nil)
  }
}
