// SPDX-License-Identifier: MIT
internal import AsyncIO
internal import BLEFormats
internal import BLEWorld
internal import DBus
internal import Glibc
internal import PeripheralEmulator

/// Another program on the bus: a client with a connection of its own, like any other to the daemon.
actor OtherClient {
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    EventLoop.simulation.actorExecutor
  }

  private static let agentPath = "/blectl/agent"

  private let connection: Connection
  /// The sockets of acquired characteristics, by path.
  private var held: [String: Int32] = [:]

  private init(_ connection: Connection) { self.connection = connection }

  static func connect(to address: String) async throws(DBusError) -> OtherClient {
    OtherClient(try await Connection.open(BusAddress(address), on: .simulation))
  }

  /// Executes an action; `path` is the object of the characteristic that it names, if any.
  func perform(_ command: OtherClientCall, on path: String) async throws(DBusError) {
    switch command {
    case .scan(let filter, let adapter):
      try await call("SetDiscoveryFilter", of: BlueZName.adapter, at: adapterPath(adapter)) {
        $0.properties(filter.entries)
      }
      try await call("StartDiscovery", of: BlueZName.adapter, at: adapterPath(adapter))
    case .stopScan(let adapter):
      try await call("StopDiscovery", of: BlueZName.adapter, at: adapterPath(adapter))
    case .subscribe:
      try await call("StartNotify", of: BlueZName.gattCharacteristic, at: path)
    case .hold: try await hold(path)
    case .release: try await release(path)
    case .registerAgent: try await registerAgent()
    case .unregisterAgent:
      try await call("UnregisterAgent", of: BlueZName.agentManager, at: BlueZName.root) {
        $0.objectPath(OtherClient.agentPath)
      }
    case .leave: await leave()
    }
  }

  func leave() async {
    for socket in held.values { close(socket) }
    held = [:]
    await connection.close()
  }

  private func hold(_ path: String) async throws(DBusError) {
    let reply = try await call("AcquireNotify", of: BlueZName.gattCharacteristic, at: path) {
      $0.properties([])
    }
    held[path] = reply.takeDescriptor(at: 0)?.release()
  }

  private func release(_ path: String) async throws(DBusError) {
    if let socket = held.removeValue(forKey: path) {
      close(socket)
    } else {
      try await call("StopNotify", of: BlueZName.gattCharacteristic, at: path)
    }
  }

  /// Registers an agent that accepts whatever needs no input.
  private func registerAgent() async throws(DBusError) {
    await connection.handleCalls { [weak self] message in
      self?.assumeIsolated { $0.answer(message) }
      return true
    }
    try await call("RegisterAgent", of: BlueZName.agentManager, at: BlueZName.root) {
      $0.objectPath(OtherClient.agentPath)
      $0.string("NoInputNoOutput")
    }
  }

  private func answer(_ message: Message) {
    guard message.wantsReply else { return }
    let agrees = ["RequestAuthorization", "AuthorizeService"].contains(message.member)
    let reply =
      agrees
      ? Message(replyTo: message)
      : Message(errorTo: message, name: "org.bluez.Error.Rejected", text: "Nobody can answer")
    connection.assumeIsolated { _ = try? $0.send(reply) }
  }

  private func adapterPath(_ name: String) -> String { "\(BlueZName.root)/\(name)" }

  @discardableResult
  private func call(
    _ member: String, of interface: String, at path: String,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) async throws(DBusError) -> Message {
    try await connection.call(
      Message(call: member, of: interface, at: path, to: BlueZName.service, body), timeout: .seconds(5))
  }
}

extension OtherClientFilter {
  fileprivate var entries: [(String, DBusValue)] {
    var entries: [(String, DBusValue)] = []
    if !services.isEmpty { entries.append(("UUIDs", .strings(services.map(\.longForm)))) }
    if let rssi { entries.append(("RSSI", .int16(rssi))) }
    if let pattern { entries.append(("Pattern", .string(pattern))) }
    if duplicates { entries.append(("DuplicateData", .boolean(true))) }
    return entries
  }
}
