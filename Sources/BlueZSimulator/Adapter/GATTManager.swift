// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// Accepts the services of clients (`GattManager1`), which other adapters find.
final class GATTManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.gattManager,
    methods: [
      .init("RegisterApplication", ["application:o", "options:a{sv}"]),
      .init("UnregisterApplication", ["application:o"]),
    ])

  private unowned let adapter: AdapterObject
  private let database: LocalDatabase
  /// The applications whose objects were requested.
  private var pending: Set<ClientObject> = []

  init(_ adapter: AdapterObject, _ database: LocalDatabase) {
    self.adapter = adapter
    self.database = database
  }

  func perform(_ method: String, _ call: MethodCall) {
    let object = ClientObject(namedBy: call)
    if method == "RegisterApplication" { return register(object, call) }
    guard pending.remove(object) != nil || database.remove(object) else { return call.fail(.doesNotExist) }
    adapter.changed("UUIDs")
    call.reply()
  }

  private func register(_ object: ClientObject, _ call: MethodCall) {
    guard !database.contains(object), pending.insert(object).inserted else {
      return call.fail(.alreadyExists)
    }
    adapter.daemon.call(object.objectsRequest) { [weak self] reply in
      guard let self, pending.remove(object) != nil else { return }
      do throws(BlueZError) {
        try database.add(Application(object, reply?.values.first))
        adapter.changed("UUIDs")
        call.reply()
      } catch {
        call.fail(error)
      }
    }
  }

  /// A client has left the bus.
  func clientLeft(_ name: String) {
    pending = pending.filter { $0.client != name }
    if database.clientLeft(name) { adapter.changed("UUIDs") }
  }
}
