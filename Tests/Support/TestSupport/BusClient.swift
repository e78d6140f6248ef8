// SPDX-License-Identifier: MIT
package import DBus

/// A client of `org.bluez` that knows only D-Bus: it calls, and writes down all that it is told.
package final class BusClient: Sendable {
  package let connection: Connection
  package let log = EventLog()
  /// Our name on the bus.
  package let name: String

  private init(_ connection: Connection, name: String) {
    self.connection = connection
    self.name = name
  }

  /// Connects and listens to everything that `org.bluez` says.
  package static func connect(to address: String) async throws -> BusClient {
    let connection = try await Connection.open(BusAddress(address))
    let client = BusClient(connection, name: await connection.uniqueName)
    let log = client.log
    let rules = [
      MatchRule(sender: "org.bluez", interface: StandardInterface.objectManager),
      MatchRule(sender: "org.bluez", interface: StandardInterface.properties),
      MatchRule(sender: BusDriver.name, interface: BusDriver.interface, member: "NameOwnerChanged"),
    ]
    for rule in rules {
      _ = await connection.subscribe(rule) { message in
        if let event = BusEvent(message) { log.append(event) }
      }
    }
    return client
  }

  package func close() async { await connection.close() }

  // MARK: Calls

  /// Calls a method; its outcome is written into the log under `name`, at its place among the signals.
  @discardableResult
  package func call(
    _ member: String, of interface: String, at path: String, as name: String? = nil,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) async throws(DBusError) -> Message {
    let log = log
    let event = BusEvent.reply(name ?? member)
    return try await connection.call(
      Message(call: member, of: interface, at: path, to: "org.bluez", body), timeout: .seconds(60)
    ) { _ in log.append(event) }
  }

  /// Sends a call now and gives back what waits for its reply: nothing that is sent later overtakes it.
  package func begin(
    _ member: String, of interface: String, at path: String, as name: String? = nil,
    _ body: (inout MessageWriter) -> Void = { _ in }
  ) async -> Task<Result<Message, DBusError>, Never> {
    let log = log
    let event = BusEvent.reply(name ?? member)
    return await connection.begin(Message(call: member, of: interface, at: path, to: "org.bluez", body)) {
      log.append(event)
    }
  }

  /// The error of a call; nil when it succeeds.
  package func failure(
    _ member: String, of interface: String, at path: String, _ body: (inout MessageWriter) -> Void = { _ in }
  ) async -> DBusError? {
    do {
      try await call(member, of: interface, at: path, body)
      return nil
    } catch {
      return error
    }
  }

  /// A round trip: everything that the daemon caused before it has been reported when it returns.
  package func barrier() async throws {
    // A Ping is answered by the D-Bus library, before what the daemon still has to signal.
    try await connection.call(
      Message(call: "Introspect", of: StandardInterface.introspectable, at: "/", to: "org.bluez"),
      timeout: .seconds(20))
  }

  package func get(
    _ property: String, of interface: String, at path: String
  ) async throws(DBusError) -> DBusValue {
    let reply = try await call("Get", of: StandardInterface.properties, at: path) {
      $0.string(interface)
      $0.string(property)
    }
    return reply.values.first?.unwrapped ?? .boolean(false)
  }

  package func getAll(_ interface: String, at path: String) async throws(DBusError) -> [(String, DBusValue)] {
    let reply = try await call("GetAll", of: StandardInterface.properties, at: path) { $0.string(interface) }
    guard case .dictionary(_, _, let entries) = reply.values.first else { return [] }
    return entries.map { ($0.key.text ?? "", $0.value.unwrapped) }
  }

  package func set(
    _ property: String, of interface: String, at path: String, to value: DBusValue
  ) async throws(DBusError) {
    try await call("Set", of: StandardInterface.properties, at: path) {
      $0.string(interface)
      $0.string(property)
      $0.value(.variant(value))
    }
  }

  /// Every object with its interfaces and their properties.
  package func managedObjects() async throws(DBusError) -> [String: [String: [String: DBusValue]]] {
    let reply = try await call("GetManagedObjects", of: StandardInterface.objectManager, at: "/")
    var objects: [String: [String: [String: DBusValue]]] = [:]
    guard case .dictionary(_, _, let entries) = reply.values.first else { return [:] }
    for object in entries {
      guard case .dictionary(_, _, let interfaces) = object.value else { continue }
      var found: [String: [String: DBusValue]] = [:]
      for interface in interfaces {
        var properties: [String: DBusValue] = [:]
        if case .dictionary(_, _, let pairs) = interface.value {
          for pair in pairs { properties[pair.key.text ?? ""] = pair.value.unwrapped }
        }
        found[interface.key.text ?? ""] = properties
      }
      objects[object.key.text ?? ""] = found
    }
    return objects
  }
}

extension Connection {
  fileprivate func begin(
    _ message: Message, onOutcome: @escaping @Sendable () -> Void
  ) -> Task<Result<Message, DBusError>, Never> {
    Task.immediate {
      do throws(DBusError) {
        return .success(try await call(message, timeout: .seconds(60)) { _ in onOutcome() })
      } catch {
        return .failure(error)
      }
    }
  }
}

extension Task where Success == Result<Message, DBusError>, Failure == Never {
  /// The error that the call ended with; nil when it succeeded.
  package var failure: DBusError? {
    get async {
      if case .failure(let error) = await value { error } else { nil }
    }
  }
}

/// The D-Bus error that some code throws; nil when it throws none.
package func failure(_ body: () async throws -> some Any) async -> DBusError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? DBusError
  }
}

extension DBusError {
  /// Name and text in one line, without the part that all names share.
  package var line: String {
    let name = name.split(separator: ".").last.map(String.init) ?? name
    return "\(name) \(message)"
  }
}
