// SPDX-License-Identifier: MIT
package import AsyncIO
package import DBus

/// The announcement of a proxy by mDNS, which Avahi makes for as long as this process asks for it; confined to the loop's
/// thread.
///
/// Avahi may be missing, start later or restart, and so may the bus.
package final class Announcement {
  /// The announced service.
  package struct Service: Sendable {
    package var name: String
    package var port: UInt16
    package var texts: [String]

    package init(name: String, port: UInt16, texts: [String]) {
      (self.name, self.port, self.texts) = (name, port, texts)
    }
  }

  private struct State {
    var isLost = false
    var hasAvahi = false
    /// Counts the reasons to announce again.
    var changes = 0
  }

  private static let server = "org.freedesktop.Avahi.Server"
  private static let group = "org.freedesktop.Avahi.EntryGroup"
  private static let avahi = "org.freedesktop.Avahi"
  /// The type of service that Home Assistant looks for.
  package static let serviceType = "_esphomelib._tcp"
  /// The time after which a bus that was missing is looked for again.
  private static let pause = Duration.seconds(10)
  private static let replyTime = Duration.seconds(10)

  private let service: Service
  private let bus: BusAddress
  private let loop: EventLoop
  private let say: (String) -> Void
  private var lastSaid: String?

  /// `say` gets why nothing is announced, and when it is announced again; each once until that changes.
  package init(
    _ service: Service, by bus: BusAddress = .system, on loop: EventLoop, _ say: @escaping (String) -> Void
  ) {
    (self.service, self.bus, self.loop, self.say) = (service, bus, loop, say)
  }

  /// Announces until the task is cancelled.
  package func run() async {
    while !Task.isCancelled {
      do throws(DBusError) {
        let connection = try await Connection.open(bus, on: loop, timeout: Self.replyTime)
        await announce(over: connection)
        await connection.close()
      } catch {
        report("the system bus cannot be reached (\(error))")
      }
      do { try await loop.sleep(for: Self.pause) } catch { return }
    }
  }

  /// Announces until the bus is lost.
  private func announce(over connection: Connection) async {
    let state = Watched(State())
    await connection.onLoss { state.change { $0.isLost = true } }
    await follow(connection, state)
    // Avahi may have started before.
    state.change { state in
      state.hasAvahi = true
      state.changes += 1
    }
    var seen = 0
    var group: String?
    while !Task.isCancelled {
      let now = state.withLock { $0 }
      if now.isLost { return report("the system bus has gone") }
      if now.changes != seen {
        seen = now.changes
        if let former = group { _ = try? await call("Free", of: Self.group, at: former, over: connection) }
        group = now.hasAvahi ? await add(over: connection) : nil
        if !now.hasAvahi { report("avahi-daemon has ended") }
      }
      await state.wait { $0.changes != seen || $0.isLost }
    }
  }

  /// Watches Avahi's start and end, the changes of its host name, and names that others have taken.
  private func follow(_ connection: Connection, _ state: Watched<State>) async {
    _ = await connection.subscribe(
      MatchRule(
        sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged",
        firstArgument: Self.avahi)
    ) { message in
      let values = message.values
      guard values.count == 3, values[0].text == Self.avahi, let owner = values[2].text else { return }
      state.change { state in
        state.hasAvahi = !owner.isEmpty
        state.changes += 1
      }
    }
    _ = await connection.subscribe(
      MatchRule(sender: Self.avahi, interface: Self.server, member: "StateChanged")
    ) { message in
      // It runs again, with another host name: what was announced has the old one.
      if case .int32(2)? = message.values.first { state.change { $0.changes += 1 } }
    }
    let collided = loop.confined { [weak self] (message: Message) in
      // Names of other machines are in the way.
      if case .int32(3)? = message.values.first { self?.reportCollision() }
    }
    _ = await connection.subscribe(
      MatchRule(sender: Self.avahi, interface: Self.group, member: "StateChanged"), handler: collided)
  }

  /// Returns the group of the announcement; nil if Avahi does not make it.
  private func add(over connection: Connection) async -> String? {
    do throws(DBusError) {
      let made = try await call("EntryGroupNew", of: Self.server, at: "/", over: connection)
      guard let path = made.values.first?.text else { return nil }
      try await call("AddService", of: Self.group, at: path, over: connection) { [service] writer in
        // On every network, with IPv4 and IPv6.
        writer.int32(-1)
        writer.int32(-1)
        writer.uint32(0)
        writer.string(service.name)
        writer.string(Self.serviceType)
        // In the domain and at the host that Avahi has.
        writer.string("")
        writer.string("")
        writer.uint16(service.port)
        writer.array(of: "ay") { writer in
          for text in service.texts { writer.bytes(Array(text.utf8)) }
        }
      }
      try await call("Commit", of: Self.group, at: path, over: connection)
      if lastSaid != nil { say("announced by mDNS as \(service.name)") }
      lastSaid = nil
      return path
    } catch {
      switch error.name {
      case "org.freedesktop.Avahi.CollisionError": reportCollision()
      case ErrorName.serviceUnknown, ErrorName.nameHasNoOwner: report("avahi-daemon does not run")
      default: if error.origin != .disconnected { report("avahi-daemon refuses it (\(error))") }
      }
      return nil
    }
  }

  @discardableResult
  private func call(
    _ member: String, of interface: String, at path: String, over connection: Connection,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) async throws(DBusError) -> Message {
    try await connection.call(
      Message(call: member, of: interface, at: path, to: Self.avahi, body), timeout: Self.replyTime)
  }

  private func reportCollision() {
    report("another service of the network has the name \(service.name); choose another one with --name")
  }

  private func report(_ reason: String) {
    guard reason != lastSaid else { return }
    lastSaid = reason
    say(
      "\(service.name) is not announced by mDNS: \(reason). Until it is, enter the host and port \(service.port) in Home Assistant"
    )
  }
}
