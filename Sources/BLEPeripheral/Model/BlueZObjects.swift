// SPDX-License-Identifier: MIT
internal import DBus

/// The adapters and devices that BlueZ knows, as far as a peripheral needs them.
///
/// Pure: it takes the answer of GetManagedObjects and the signals behind it, and returns what has changed.
struct BlueZObjects {
  /// An adapter.
  struct Adapter: AdapterProperties {
    let path: String
    var address = ""
    var isPowered = false
    var powerState: String?
    var hasServices = false
    var hasAdvertising = false
    /// The version of bluetoothd; nil where its device id is set to another one.
    var version: BlueZVersion?
  }

  /// A device: a central, if it is connected.
  struct Device {
    let path: String
    var address: BluetoothAddress?
    var name: String?
    var isConnected = false
    /// Whether it keeps its subscriptions while it is out of reach.
    var isBonded = false

    /// The device as a central; nil without an address.
    var central: Central? { address.map { Central(address: $0, name: name, path: path) } }
  }

  /// What a message has changed.
  enum Change {
    case adapter
    case adapterRemoved(path: String)
    case connected(Device)
    case disconnected(Device)
  }

  private(set) var adapters: [String: Adapter] = [:]
  private(set) var devices: [String: Device] = [:]

  /// Replaces everything by an `a{oa{sa{sv}}}`.
  mutating func replace(with objects: DBusValue?) {
    self = BlueZObjects()
    for entry in objects?.entries ?? [] {
      if let path = entry.key.text { _ = add(path, entry.value) }
    }
  }

  /// Takes a signal of BlueZ's objects.
  mutating func take(_ message: Message) -> [Change] {
    guard let path = message.path else { return [] }
    if message.hasMember("PropertiesChanged") {
      guard message.hasSignature("sa{sv}as") else { return [] }
      let arguments = message.values
      guard arguments.count == 3, let interface = arguments[0].text else { return [] }
      return change(path, interface, arguments[1])
    }
    let arguments = message.values
    guard arguments.count == 2, let object = arguments[0].text else { return [] }
    if message.hasMember("InterfacesAdded") { return add(object, arguments[1]) }
    if message.hasMember("InterfacesRemoved") { return remove(object, arguments[1].strings) }
    return []
  }

  private mutating func add(_ path: String, _ interfaces: DBusValue) -> [Change] {
    interfaces.entries.flatMap { entry in
      change(path, entry.key.text ?? "", entry.value, isNew: true)
    }
  }

  private mutating func change(
    _ path: String, _ interface: String, _ properties: DBusValue, isNew: Bool = false
  ) -> [Change] {
    switch interface {
    case BlueZ.adapter:
      guard isNew || adapters[path] != nil else { return [] }
      adapters[path, default: Adapter(path: path)].take(properties)
    case BlueZ.gattManager: adapters[path, default: Adapter(path: path)].hasServices = true
    case BlueZ.advertisingManager: adapters[path, default: Adapter(path: path)].hasAdvertising = true
    case BlueZ.device:
      guard isNew || devices[path] != nil else { return [] }
      let wasConnected = devices[path]?.isConnected ?? false
      devices[path, default: Device(path: path)].take(properties)
      guard let device = devices[path], device.isConnected != wasConnected else { return [] }
      return [device.isConnected ? .connected(device) : .disconnected(device)]
    default: return []
    }
    return [.adapter]
  }

  private mutating func remove(_ path: String, _ interfaces: [String]) -> [Change] {
    var changes: [Change] = []
    for interface in interfaces {
      switch interface {
      case BlueZ.adapter:
        if adapters.removeValue(forKey: path) != nil { changes.append(.adapterRemoved(path: path)) }
      case BlueZ.gattManager: adapters[path]?.hasServices = false
      case BlueZ.advertisingManager: adapters[path]?.hasAdvertising = false
      case BlueZ.device:
        guard let device = devices.removeValue(forKey: path), device.isConnected else { continue }
        changes.append(.disconnected(device))
      default: break
      }
    }
    return changes
  }
}

extension BlueZObjects.Adapter {
  fileprivate mutating func take(_ properties: DBusValue) {
    if let text = properties["Address"]?.text { address = text }
    if case .boolean(let isOn) = properties["Powered"] { isPowered = isOn }
    if let text = properties["PowerState"]?.text { powerState = text }
    if let text = properties["Modalias"]?.text { version = BlueZVersion(modalias: text) }
  }
}

extension BlueZObjects.Device {
  fileprivate mutating func take(_ properties: DBusValue) {
    if let text = properties["Address"]?.text { address = BluetoothAddress(text) }
    if let text = properties["Name"]?.text { name = text }
    if case .boolean(let isOn) = properties["Connected"] { isConnected = isOn }
    if case .boolean(let isOn) = properties["Bonded"] { isBonded = isOn }
  }
}

extension DBusValue {
  /// The entries of a dictionary.
  fileprivate var entries: [Entry] {
    if case .dictionary(_, _, let entries) = self { entries } else { [] }
  }

  /// The texts in an array.
  fileprivate var strings: [String] {
    if case .array(_, let elements) = self { elements.compactMap(\.text) } else { [] }
  }
}
