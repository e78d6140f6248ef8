// SPDX-License-Identifier: MIT
package import AsyncIO
internal import BLECentral
internal import BlueZClient
package import DBus
package import Logging

/// Queries a bus about itself and org.bluez, without changing or starting anything.
package struct BusProbe {
  private let address: BusAddress
  private let loop: EventLoop
  private let timeout: Duration?
  private let logger: Logger
  private let files = SystemFiles()

  package init(address: BusAddress, loop: EventLoop, timeout: Duration?, logger: Logger) {
    self.address = address
    self.loop = loop
    self.timeout = timeout
    self.logger = logger
  }

  private static let systemAddresses = [
    "unix:path=/run/dbus/system_bus_socket", "unix:path=/var/run/dbus/system_bus_socket",
  ]

  /// Returns whether an address is the system bus's, whatever follows the path.
  static func isSystemBus(_ address: String) -> Bool {
    address.split(separator: ",").first.map { systemAddresses.contains(String($0)) } ?? false
  }

  /// Collects all available facts; unavailable ones are absent.
  package func facts() async -> BusFacts {
    var facts = BusFacts(address: address.text)
    facts.isSystemBus = BusProbe.isSystemBus(address.text)
    do throws(DBusError) {
      let connection = try await Connection.open(address, on: loop, timeout: timeout, logger: logger)
      await ask(connection, &facts)
      await connection.close()
    } catch {
      facts.failure = BusFacts.Failure(error)
      facts.words = error.message.isEmpty ? error.name : error.message
    }
    return facts
  }

  private func ask(_ connection: Connection, _ facts: inout BusFacts) async {
    let user = try? await driver("GetConnectionUnixUser", connection, BusDriver.name).values.first
    if case .uint32(let user) = user { facts.userID = user }
    facts.owner = await owner(connection)
    let names = try? await driver("ListActivatableNames", connection).values.first
    if case .array(_, let names) = names { facts.isActivatable = names.contains { $0.text == "org.bluez" } }
    guard facts.owner != nil else { return }
    do throws(DBusError) {
      let reply = try await connection.call(BlueZ.getManagedObjects, timeout: timeout)
      if let model = ObjectModel(answer: reply) { note(model, in: &facts) }
    } catch {
      facts.refusal = error
    }
  }

  private func owner(_ connection: Connection) async -> BusFacts.Owner? {
    guard (try? await driver("GetNameOwner", connection, "org.bluez")) != nil else { return nil }
    var owner = BusFacts.Owner()
    let credentials = try? await driver("GetConnectionCredentials", connection, "org.bluez").values.first
    if case .uint32(let user) = credentials?["UnixUserID"] { owner.userID = user }
    if case .uint32(let process) = credentials?["ProcessID"] {
      owner.process = process
      owner.program = files.link("/proc/\(process)/exe") ?? files.line("/proc/\(process)/comm")
    }
    return owner
  }

  private func driver(
    _ member: String, _ connection: Connection, _ argument: String? = nil
  ) async throws(DBusError) -> Message {
    let call = Message(call: member, of: BusDriver.interface, at: BusDriver.path, to: BusDriver.name) {
      body in
      if let argument { body.string(argument) }
    }
    return try await connection.call(call, timeout: timeout)
  }

  // MARK: Objects

  private func note(_ model: ObjectModel, in facts: inout BusFacts) {
    facts.adapters = model.adapters.values.map { BusFacts.Adapter($0) }.sorted { $0.name < $1.name }
    let devicesWithServices = Set(model.services.values.map(\.devicePath))
    facts.emptyDevices = model.devices.connected
      .filter { $0.isResolved && !devicesWithServices.contains($0.path) }
      .map { device in device.address.map { "\($0)" } ?? device.path }.sorted()
  }
}
