// SPDX-License-Identifier: MIT
package import DBus

/// The verbs of BlueZ, said in raw D-Bus.
extension BusClient {
  package static let adapterPath = "/org/bluez/hci0"

  package static func devicePath(_ address: String) -> String {
    adapterPath + "/dev_" + String(address.map { $0 == ":" ? "_" : $0 })
  }

  package func startDiscovery(filter: [(String, DBusValue)]? = [("Transport", .string("le"))]) async throws {
    if let filter { try await setFilter(filter) }
    var start = log.end
    while let error = await failure("StartDiscovery", of: "org.bluez.Adapter1", at: BusClient.adapterPath) {
      // Discovery of another program begins or ends at this moment, which changes the property.
      guard error.name == "org.bluez.Error.InProgress",
        let change = await log.first(
          from: start,
          where: { $0.sets("Discovering", to: .boolean(true)) || $0.sets("Discovering", to: .boolean(false)) }
        )
      else { throw error }
      start = change + 1
    }
  }

  package func setFilter(_ filter: [(String, DBusValue)]) async throws {
    try await adapter("SetDiscoveryFilter") { $0.properties(filter) }
  }

  @discardableResult
  package func adapter(
    _ member: String, _ body: (inout MessageWriter) -> Void = { _ in }
  ) async throws(DBusError) -> Message {
    try await call(member, of: "org.bluez.Adapter1", at: BusClient.adapterPath, body)
  }

  @discardableResult
  package func device(
    _ member: String, _ address: String, as name: String? = nil
  ) async throws(DBusError) -> Message {
    try await call(member, of: "org.bluez.Device1", at: BusClient.devicePath(address), as: name)
  }

  package func beginDevice(
    _ member: String, _ address: String, as name: String? = nil
  ) async -> Task<Result<Message, DBusError>, Never> {
    await begin(member, of: "org.bluez.Device1", at: BusClient.devicePath(address), as: name)
  }

  package func beginRead(
    _ path: String, options: [(String, DBusValue)] = []
  ) async -> Task<Result<Message, DBusError>, Never> {
    await begin("ReadValue", of: "org.bluez.GattCharacteristic1", at: path) { $0.properties(options) }
  }

  package func beginWrite(_ path: String, _ bytes: [UInt8]) async -> Task<Result<Message, DBusError>, Never> {
    await begin("WriteValue", of: "org.bluez.GattCharacteristic1", at: path) {
      $0.bytes(bytes)
      $0.properties([])
    }
  }

  /// Scans until a device is there.
  package func find(_ address: String) async throws {
    try await hear(address)
    try await adapter("StopDiscovery")
  }

  /// Scans until a device is there, and goes on with it: BlueZ does not forget what it hears.
  package func hear(_ address: String) async throws {
    let path = BusClient.devicePath(address)
    let start = log.end
    try await startDiscovery()
    _ = await log.first(from: start) { $0.path == path }
  }

  /// Makes BlueZ forget a device, if it knows it.
  package func forget(_ address: String) async {
    let path = BusClient.devicePath(address)
    let start = log.end
    guard (try? await adapter("RemoveDevice") { $0.objectPath(path) }) != nil else { return }
    _ = await log.first(from: start) { $0.removes(path) }
  }

  /// Scans for a device, connects, and waits for its services.
  package func open(_ address: String) async throws {
    try await find(address)
    try await connect(address)
  }

  /// Connects and waits for the services.
  package func connect(_ address: String) async throws {
    let start = log.end
    let path = BusClient.devicePath(address)
    try await device("Connect", address)
    _ = await log.first(from: start) { $0.sets("ServicesResolved", to: .boolean(true), at: path) }
    try await barrier()
  }

  /// The path of the first characteristic of a device with a UUID, which may be short.
  package func characteristic(_ uuid: String, of address: String) async throws -> String {
    let wanted = uuid.count == 4 ? "0000\(uuid.lowercased())-0000-1000-8000-00805f9b34fb" : uuid.lowercased()
    let objects = try await managedObjects()
    let paths = objects.filter { path, interfaces in
      path.hasPrefix(BusClient.devicePath(address) + "/")
        && interfaces["org.bluez.GattCharacteristic1"]?["UUID"]?.text == wanted
    }.keys
    return paths.min() ?? "/no/such/characteristic"
  }

  package func read(_ path: String, options: [(String, DBusValue)] = []) async throws(DBusError) -> [UInt8] {
    let reply = try await gatt("ReadValue", path) { $0.properties(options) }
    guard case .bytes(let bytes) = reply.values.first else { return [] }
    return bytes
  }

  package func write(
    _ path: String, _ bytes: [UInt8], options: [(String, DBusValue)] = []
  ) async throws(DBusError) {
    try await gatt("WriteValue", path) {
      $0.bytes(bytes)
      $0.properties(options)
    }
  }

  @discardableResult
  package func gatt(
    _ member: String, _ path: String, _ body: (inout MessageWriter) -> Void = { _ in }
  ) async throws(DBusError) -> Message {
    let isDescriptor = path.split(separator: "/").last?.hasPrefix("desc") ?? false
    return try await call(
      member, of: isDescriptor ? "org.bluez.GattDescriptor1" : "org.bluez.GattCharacteristic1", at: path, body
    )
  }
}
