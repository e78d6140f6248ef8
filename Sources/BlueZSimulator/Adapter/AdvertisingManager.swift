// SPDX-License-Identifier: MIT
internal import DBus

/// Accepts the advertisements of clients (`LEAdvertisingManager1`).
///
/// They are checked and counted, but not sent.
final class AdvertisingManager: ExportedInterface {
  let description = InterfaceDescription(
    name: BlueZName.advertisingManager,
    methods: [
      .init("RegisterAdvertisement", ["advertisement:o", "options:a{sv}"]),
      .init("UnregisterAdvertisement", ["service:o"]),
    ],
    properties: [
      .init("ActiveInstances", "y"), .init("SupportedInstances", "y"), .init("SupportedIncludes", "as"),
      .init("SupportedSecondaryChannels", "as"),
    ])

  /// The number of advertisements that the controller supports.
  private static let capacity = 5

  private unowned let adapter: AdapterObject
  /// The active advertisements, and those whose contents were requested.
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
    signalInstances()
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
    ) { $0.string(BlueZName.advertisement) }
    adapter.daemon.call(advertisement.objectsRequest) { [weak self] _ in
      self?.adapter.daemon.call(contents) { self?.take($0, of: advertisement, call) }
    }
  }

  /// An object that the client does not export counts as an empty advertisement, as in BlueZ.
  private func take(_ reply: Message?, of advertisement: ClientObject, _ call: MethodCall) {
    guard pending.remove(advertisement) != nil else { return }
    if let properties = reply?.values.first,
      !["peripheral", "broadcast"].contains(properties["Type"]?.text ?? "")
    {
      return call.fail(.failed("Failed to parse advertisement."))
    }
    active.insert(advertisement)
    signalInstances()
    call.reply()
  }

  private func signalInstances() {
    for property in ["ActiveInstances", "SupportedInstances"] {
      adapter.daemon.tree.changed(property, of: BlueZName.advertisingManager, at: adapter.path)
    }
  }

  /// Removes the advertisements of a client that has left the bus.
  func clientLeft(_ name: String) {
    pending = pending.filter { $0.client != name }
    let left = active.filter { $0.client != name }
    guard left.count != active.count else { return }
    active = left
    signalInstances()
  }
}
