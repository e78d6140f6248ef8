// SPDX-License-Identifier: MIT
import DBus
import TestSupport
import Testing

@testable import BLEWorld
@testable import BlueZSimulator

/// The events of a world.
@Suite("Event")
struct EventTests {
  private let path = BusClient.devicePath(Address.strap)

  private func withEvents(
    _ events: WorldEvent..., test: (Simulator, BusClient) async throws -> Void
  ) async throws {
    var world = World.builtIn
    world.events = events
    try await withSimulator(world: world) { bus in
      try await test(bus.simulator, try await BusClient.connect(to: bus.address))
    }
  }

  @Test("An event happens at its time and repeats")
  func eventHappensTime() async throws {
    try await withEvents(
      WorldEvent(
        .time(.milliseconds(20), every: .milliseconds(40)), .adapter(.switchOff, for: .milliseconds(20)))
    ) { _, client in
      var place = 0
      for isOn in [false, true, false, true] {
        place = try #require(
          await client.log.first(from: place, setting: "Powered", to: .boolean(isOn)))
      }
    }
  }

  @Test("An event happens with the first link or with each", arguments: [false, true])
  func eventHappensFirst(_ repeats: Bool) async throws {
    try await withEvents(
      WorldEvent(
        .connected(device: Address.strap, repeats: repeats), .peripheral(Address.strap, .setRSSI(-1))),
      WorldEvent(
        .connected(device: Address.strap, repeats: repeats), .peripheral(Address.strap, .dropLink))
    ) { simulator, client in
      try await client.find(Address.strap)
      try await client.device("Connect", Address.strap)
      let first = try #require(await client.log.first(setting: "Connected", to: .boolean(false)))
      if repeats {
        try await client.device("Connect", Address.strap)
        #expect(await client.log.first(from: first + 1, setting: "Connected", to: .boolean(false)) != nil)
      } else {
        try await client.connect(Address.strap)
        #expect(await simulator.isConnected(Address.strap))
      }
    }
  }

  @Test("An event happens after a number of operations")
  func eventHappensAfter() async throws {
    let event = WorldEvent(
      .operations(device: Address.piano, 2), .peripheral(Address.strap, .repeatProperties))
    try await withEvents(event) { _, client in
      try await client.open(Address.piano)
      let target = try await client.characteristic("ffe3", of: Address.piano)
      try await client.write(target, [1])
      try await client.barrier()
      #expect(!client.log.events().contains { $0.sets("RSSI", to: .int16(-60), at: path) })
      try await client.write(target, [1])
      #expect(await client.log.first(about: path) != nil)
    }
  }
}
