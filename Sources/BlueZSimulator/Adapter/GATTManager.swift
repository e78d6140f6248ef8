// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// Accepts the services of clients (`GattManager1`).
///
/// They are checked and listed by the adapter, but nothing connects to them.
final class GATTManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.gattManager,
    methods: [
      .init("RegisterApplication", ["application:o", "options:a{sv}"]),
      .init("UnregisterApplication", ["application:o"]),
    ])

  private unowned let adapter: AdapterObject
  private var applications: [ClientObject: [BluetoothUUID]] = [:]

  init(_ adapter: AdapterObject) { self.adapter = adapter }

  /// The services of all clients.
  var services: [BluetoothUUID] {
    Set(applications.values.joined()).sorted()
  }

  func perform(_ method: String, _ call: MethodCall) {
    let application = ClientObject(namedBy: call)
    if method == "RegisterApplication" {
      register(application, call)
    } else {
      guard applications.removeValue(forKey: application) != nil else { return call.fail(.doesNotExist) }
      adapter.changed("UUIDs")
      call.reply()
    }
  }

  private func register(_ application: ClientObject, _ call: MethodCall) {
    guard applications[application] == nil else { return call.fail(.alreadyExists) }
    applications[application] = []
    adapter.daemon.call(application.objectsRequest) { [weak self] reply in
      guard let self, applications[application] != nil else { return }
      switch GATTManager.services(of: reply?.values.first) {
      case .success(let services):
        applications[application] = services
        adapter.changed("UUIDs")
        call.reply()
      case .failure(let error):
        applications[application] = nil
        call.fail(error)
      }
    }
  }

  /// The services in a client's objects.
  private static func services(of objects: DBusValue?) -> Result<[BluetoothUUID], BlueZError> {
    guard case .dictionary(_, _, let entries) = objects, !entries.isEmpty else {
      return .failure(.failed("No object received"))
    }
    let services = entries.compactMap { $0.value[BlueZName.gattService] }.filter { $0["Primary"] != nil }
    guard !services.isEmpty else { return .failure(.failed("No valid service object found")) }
    let uuids = services.compactMap { $0["UUID"]?.text.flatMap { BluetoothUUID(bluez: $0) } }
    let isPossible = uuids.allSatisfy { ![0x1800, 0x1801].contains($0.shortForm) }
    guard uuids.count == services.count, isPossible else {
      return .failure(.failed("Failed to create entry in database"))
    }
    return .success(uuids)
  }

  /// A client has left the bus.
  func clientLeft(_ name: String) {
    let before = services
    applications = applications.filter { $0.key.client != name }
    if services != before { adapter.changed("UUIDs") }
  }
}
