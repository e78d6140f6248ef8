// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator

/// A simulated computer with two adapters: one serves, the other is for the centrals.
package struct SimulatedRadio {
  private let bus: SimulatedBus
  package let server: String
  private let central: String

  /// Starts it for the life of the command, without other devices, or with those of `--simulate=WORLD.json`.
  package init(in context: CommandContext) async throws {
    var world =
      try context.options.world.map { try World(given: $0, to: "simulate") } ?? World(peripherals: [])
    if world.adapters.count < 2 { world.setAdapterCount(2) }
    let (wanted, adapters) = (context.options.wantedAdapter, world.adapters)
    let name = adapters.first { $0.name == wanted || $0.address == wanted }?.name
    // Publishing reports an adapter that does not exist.
    let server = name ?? wanted ?? adapters[0].name
    self.server = server
    central = adapters.first { $0.name != server }?.name ?? server
    bus = try await context.bus.simulate(world)
  }

  /// The environment of a client that is to use the central's adapter.
  package var environment: [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "BLECTL_ADAPTER": central]
  }

  package func announce(in context: CommandContext) {
    context.remark(
      "to connect from another shell: export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)' BLECTL_ADAPTER=\(central)"
    )
  }
}
