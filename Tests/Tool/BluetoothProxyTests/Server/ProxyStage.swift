// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLECentral
internal import BLEWorld
internal import BlueZSimulator
internal import Glibc
internal import TestSupport
internal import Testing

@testable internal import BluetoothProxy

/// A proxy whose clients are connected by pairs of sockets, on a simulated BlueZ or on none; used only on the loop.
final class ProxyStage: Sendable {
  let loop: EventLoop
  private let server: Confined<ProxyServer>
  private let events: Watched<[ProxyEvent]>

  private init(_ server: ProxyServer, _ events: Watched<[ProxyEvent]>, on loop: EventLoop) {
    (self.loop, self.server, self.events) = (loop, loop.confine(server), events)
  }

  var proxy: ProxyServer { server.value }

  struct NoBluetooth: Error {}

  /// Runs `body` on the loop with a proxy; without a manager, no device can be connected to.
  static func run(
    over central: CentralManager? = nil, key: ProxyKey? = nil, maxConnections: Int = 3,
    limits: ProxyLimits = ProxyLimits(), _ body: @escaping @Sendable (ProxyStage) async throws -> Void
  ) async throws {
    // As in blectl: the write to a client that has gone fails instead.
    signal(SIGPIPE, SIG_IGN)
    let loop = EventLoop.shared
    try await Task(executorPreference: loop) {
      let identity = ProxyIdentity(
        name: SampleSession.name, friendlyName: "Attic Pi", address: SampleSession.address,
        maxConnections: maxConnections, version: "1.0")
      let events = Watched<[ProxyEvent]>([])
      let server = ProxyServer(identity, key: key, limits: limits, on: loop) {
        guard let central else { throw NoBluetooth() }
        return central
      } report: { event in
        events.change { $0.append(event) }
      }
      let stage = ProxyStage(server, events, on: loop)
      do {
        try await body(stage)
      } catch {
        await server.close()
        throw error
      }
      await server.close()
    }.value
  }

  /// Runs `body` with a proxy on a simulated BlueZ.
  static func simulated(
    world: World = .contract, maxConnections: Int = 3,
    _ body: @escaping @Sendable (ProxyStage, SimulatedBus) async throws -> Void
  ) async throws {
    try await withSimulator(world: world) { simulated in
      let central = try await CentralManager(bus: .address(simulated.address))
      do {
        try await run(over: central, maxConnections: maxConnections) { try await body($0, simulated) }
      } catch {
        await central.close()
        throw error
      }
      await central.close()
    }
  }

  /// Connects a client of a host, which reads if it is to.
  func client(from host: String? = nil, reads: Bool = true) throws -> ScriptedClient {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
    proxy.take(OwnedDescriptor(adopting: ends[0]), from: host)
    return ScriptedClient(OwnedDescriptor(adopting: ends[1]), on: loop, reads: reads)
  }

  /// Connects a client that has greeted.
  func greetedClient(_ name: String = "test") async throws -> ScriptedClient {
    let client = try client()
    try await client.greet(name)
    return client
  }

  /// Waits for something that the proxy reports.
  func event(where isWanted: (ProxyEvent) -> Bool) async -> ProxyEvent? {
    await events.wait { $0.contains(where: isWanted) }
    return events.withLock { $0.first(where: isWanted) }
  }

  /// What the proxy has reported so far.
  var reported: [ProxyEvent] { events.withLock { $0 } }
}

/// The addresses of the simulated devices.
enum Device {
  static let strap = address(Address.strap)
  static let bench = address(Address.bench)
  static let thermometer = address(Address.thermometer)
  static let nobody = address("C0:00:00:00:00:01")

  private static func address(_ text: String) -> BluetoothAddress {
    guard let address = BluetoothAddress(text) else { preconditionFailure("not an address: \(text)") }
    return address
  }
}
