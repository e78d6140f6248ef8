// SPDX-License-Identifier: MIT
import DBus
import Foundation
import TestSupport
import Testing

@testable import BlueZSimulator

/// The events of a world.
@Suite struct EventTests {
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

  @Test func `An event happens at its time and repeats`() async throws {
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

  @Test(arguments: [false, true])
  func `An event happens with the first link or with each`(_ repeats: Bool) async throws {
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

  @Test func `An event happens after a number of operations`() async throws {
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

/// docs/faults.md lists the commands.
@Suite struct FaultPageTests {
  private func page() throws -> String {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/faults.md")
      .standardized
    return try String(contentsOf: file, encoding: .utf8)
  }

  @Test func `The page has every command, marked if it can be undone`() throws {
    let page = try page()
    for word in CommandWord.all {
      #expect(page.contains("\n| `\(word.word)`\(word.isUndoable ? " •" : "") |"), "\(word.word)")
    }
  }

  @Test func `Each example of the page is the command of its row`() throws {
    let rows = try page().split(separator: "\n").filter { $0.hasPrefix("| `") && $0.contains("{\"do\"") }
    #expect(rows.count == CommandWord.all.count)
    for row in rows {
      let cells = row.split(separator: "`")
      let example = try #require(cells.last { $0.hasPrefix("{") })
      _ = try ControlRequest.read(Array(example.utf8))
      #expect(example.hasPrefix("{\"do\":\"\(cells[1])\""))
    }
  }

  @Test func `The world of the page is valid`() throws {
    let page = try page()
    let start = try #require(page.range(of: "```json\n")?.upperBound)
    let end = try #require(page.range(of: "\n```", range: start..<page.endIndex)?.lowerBound)
    let world = try World(json: Array(page[start..<end].utf8), name: "page") { path throws(WorldFileError) in
      throw WorldFileError(path, cause: "none")
    }
    #expect(world.events.count == 4)
    #expect(world.peripherals[0].faults.count == 2)
  }

  @Test func `Each command has one name, that of its action`() {
    #expect(Set(CommandWord.all.map(\.word)).count == CommandWord.all.count)
    for event in World.everything.events {
      let word = CommandWord.word(of: event.command.action)
      #expect(word != nil, "\(event)")
      // A command can be undone if its action has an undoing.
      #expect(word?.isUndoable == (event.command.action.undoing != nil), "\(event)")
    }
  }
}
