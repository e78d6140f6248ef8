// SPDX-License-Identifier: MIT
internal import DBus

/// Takes advertisements of clients (`LEAdvertisingManager1`).
///
/// They are looked at and counted, but nobody hears them.
final class AdvertisingManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZ.advertisingManager,
    methods: [
      .init("RegisterAdvertisement", ["advertisement:o", "options:a{sv}"]),
      .init("UnregisterAdvertisement", ["service:o"]),
    ],
    properties: [
      .init("ActiveInstances", "y"), .init("SupportedInstances", "y"), .init("SupportedIncludes", "as"),
      .init("SupportedSecondaryChannels", "as"),
    ])

  /// How many advertisements the controller can send in turn.
  private static let capacity = 5

  private unowned let adapter: AdapterObject
  /// Those that are sent, and those whose contents are asked for.
  private var active: Set<ClientObject> = []
  private var pending: Set<ClientObject> = []

  init(_ adapter: AdapterObject) { self.adapter = adapter }

  func value(of property: String) -> DBusValue? {
    switch property {
    case "ActiveInstances": .byte(UInt8(active.count))
    case "SupportedInstances": .byte(UInt8(AdvertisingManager.capacity - active.count))
    case "SupportedIncludes": .strings(["tx-power", "appearance", "local-name"])
    default: nil
    }
  }

  func perform(_ method: String, _ call: MethodCall) {
    let advertisement = ClientObject(namedBy: call)
    if method == "RegisterAdvertisement" { return register(advertisement, call) }
    guard active.remove(advertisement) != nil else { return call.fail(.doesNotExist) }
    tellInstances()
    call.reply()
  }

  private func register(_ advertisement: ClientObject, _ call: MethodCall) {
    guard !active.contains(advertisement), pending.insert(advertisement).inserted else {
      return call.fail(.alreadyExists)
    }
    guard active.count + pending.count <= AdvertisingManager.capacity else {
      pending.remove(advertisement)
      return call.fail(.notPermitted("Maximum advertisements reached"))
    }
    let contents = Message(
      call: "GetAll", of: StandardInterface.properties, at: advertisement.path, to: advertisement.client
    ) { $0.string(BlueZ.advertisement) }
    adapter.daemon.call(advertisement.question) { [weak self] _ in
      self?.adapter.daemon.call(contents) { self?.take($0, of: advertisement, call) }
    }
  }

  /// What a client does not export is no error: it is an empty advertisement then.
  private func take(_ reply: Message?, of advertisement: ClientObject, _ call: MethodCall) {
    guard pending.remove(advertisement) != nil else { return }
    if let properties = reply?.values.first,
      !["peripheral", "broadcast"].contains(properties["Type"]?.text ?? "")
    {
      return call.fail(.failed("Failed to parse advertisement."))
    }
    active.insert(advertisement)
    tellInstances()
    call.reply()
  }

  private func tellInstances() {
    for property in ["ActiveInstances", "SupportedInstances"] {
      adapter.daemon.tree.changed(property, of: BlueZ.advertisingManager, at: adapter.path)
    }
  }

  /// A client has left the bus.
  func clientLeft(_ name: String) {
    pending = pending.filter { $0.client != name }
    let left = active.filter { $0.client != name }
    guard left.count != active.count else { return }
    active = left
    tellInstances()
  }
}
