// SPDX-License-Identifier: MIT
internal import BLEWorld
internal import BlueZSimulator

/// A simulated computer with two adapters: one serves, the other is for the centrals.
struct SimulatedAir {
  private let bus: SimulatedBus
  /// The adapter that serves.
  let server: String
  /// The adapter for the centrals.
  private let central: String

  /// Starts it for the life of the command: without other devices, or with those of `--simulate=WORLD.json`.
  init(in session: Session) async throws {
    var world =
      try session.options.world.map { try World(given: $0, to: "simulate") } ?? World(peripherals: [])
    if world.adapters.count < 2 { world.setAdapterCount(2) }
    let (wanted, adapters) = (session.wantedAdapter, world.adapters)
    let name = adapters.first { $0.name == wanted || $0.address == wanted }?.name
    // Publishing reports one that does not exist.
    let server = name ?? wanted ?? adapters[0].name
    self.server = server
    central = adapters.first { $0.name != server }?.name ?? server
    bus = try await session.simulate(world)
  }

  /// What a client needs to be the central.
  var environment: [String: String] {
    ["DBUS_SYSTEM_BUS_ADDRESS": bus.address, "BLECTL_ADAPTER": central]
  }

  /// Says how to connect.
  func announce(in session: Session) {
    session.remark(
      "to connect from another shell: export DBUS_SYSTEM_BUS_ADDRESS='\(bus.address)' BLECTL_ADAPTER=\(central)"
    )
  }
}
