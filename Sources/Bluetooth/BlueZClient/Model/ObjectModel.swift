// SPDX-License-Identifier: MIT
package import DBus

/// The model of BlueZ's object tree: the answer of GetManagedObjects, updated by signals.
///
/// Pure: it takes message bodies and returns the changes. Objects are identified by their paths; their
/// relations come from their properties, never from the text of a path.
package struct ObjectModel: Sendable {
  /// A change made by a message.
  package enum Change: Sendable {
    case adapter(path: String)
    case adapterRemoved(path: String)
    case deviceAdded(path: String)
    case device(path: String, AdvertisementChange)
    /// A device that had no link has one now.
    case linkOpened(path: String)
    /// `Connected` went from true to false.
    case linkLost(path: String)
    // Indirect, because it would make each change as large as a device.
    indirect case deviceRemoved(DeviceState)
    case attributes
    /// A device gained or lost a service.
    case services(devicePath: String)
    /// An attribute was removed.
    case attributeRemoved(path: String)
    /// A characteristic's value was signalled.
    case value(path: String, [UInt8])

    /// True if it may affect the choice of the adapter, or its state.
    package var isOfAdapter: Bool {
      switch self {
      case .adapter, .adapterRemoved: true
      default: false
      }
    }
  }

  package private(set) var adapters: [String: AdapterState] = [:]
  package var devices = DeviceStore()
  package private(set) var services: [String: ServiceState] = [:]
  package private(set) var characteristics: [String: CharacteristicState] = [:]
  package private(set) var descriptors: [String: DescriptorState] = [:]
  /// The managers of each object, even if its adapter follows later.
  private var managers: [String: AdapterState.Managers] = [:]
  private let kept: KeptProperties
  private var mismatches: [PropertyTypeMismatch] = []

  /// A client that does not scan saves the time to decode what advertisements change.
  package init(keepsAdvertisements: Bool = true) {
    kept = KeptProperties(advertisements: keepsAdvertisements)
  }

  /// Decodes the answer of GetManagedObjects; fails if its type is not BlueZ's.
  package init?(answer: Message) {
    self.init()
    guard replace(byAnswer: answer) else { return nil }
  }

  package func characteristics(of devicePath: String) -> some Sequence<CharacteristicState> {
    characteristics.values.lazy.filter { services[$0.servicePath]?.devicePath == devicePath }
  }

  /// Sets the MTU of a link at all characteristics of the device; nil without a link.
  package mutating func setMTU(_ mtu: UInt16?, ofDevice path: String) {
    for (key, record) in characteristics where services[record.servicePath]?.devicePath == path {
      characteristics[key]?.mtu = mtu
    }
  }

  /// Records a link that BlueZ has, but did not signal.
  ///
  /// BlueZ has no signal of a link whose socket was connected before it read the kernel's event (all versions to 5.87,
  /// `att_connect_cb`); until its end, nothing but the answer to Get says that `Connected` is true.
  package mutating func linkExists(_ path: String) -> [Change] {
    guard devices[path]?.isConnected == false else { return [] }
    devices[path]?.isConnected = true
    return [.device(path: path, []), .linkOpened(path: path)]
  }

  /// A model with one object that has every interface, so that any change finds it.
  package static func knowingEverything(at path: String) -> ObjectModel {
    var model = ObjectModel()
    model.adapters[path] = AdapterState(path: path)
    model.devices[path] = DeviceState(path: path)
    model.characteristics[path] = CharacteristicState(path: path)
    return model
  }

  /// Returns and clears the mismatches.
  package mutating func takeMismatches() -> [PropertyTypeMismatch] {
    let all = devices.takeMismatches()
    if mismatches.isEmpty { return all }
    defer { mismatches.removeAll() }
    return mismatches + all
  }

  // MARK: Messages

  package mutating func removeAll() { self = ObjectModel(keepsAdvertisements: kept.advertisements) }

  /// Replaces everything with the answer of GetManagedObjects; returns false, and is empty, for another type.
  package mutating func replace(byAnswer answer: Message) -> Bool {
    guard answer.hasSignature("a{oa{sa{sv}}}") else {
      removeAll()
      return false
    }
    replace(with: answer.body)
    return true
  }

  package mutating func replace(with answer: MessageBody) {
    removeAll()
    devices = DeviceStore(readingFrom: answer)
    answer.read { reader in
      reader.forEachElement(startingWith: TypeCode.entryBegin) { reader in
        let path = reader.text().string
        let start = reader.offset
        var isDevice = false
        reader.forEachInterface { interface, reader in
          switch interface {
          case "org.bluez.Device1": isDevice = true
          case "org.bluez.Battery1": break  // read with the device
          default: add(interface, to: path, &reader)
          }
        }
        if isDevice { devices.note(path, at: start) }
      }
    }
  }

  /// Applies InterfacesAdded, `oa{sa{sv}}`.
  package mutating func interfacesAdded(_ reader: inout WireReader) -> [Change] {
    let path = reader.text().string
    return addInterfaces(path, &reader)
  }

  private mutating func addInterfaces(_ path: String, _ reader: inout WireReader) -> [Change] {
    var changes: [Change] = []
    reader.forEachInterface { interface, reader in changes += add(interface, to: path, &reader) }
    return changes
  }

  /// Adds an interface of an object; its properties follow in the reader.
  @discardableResult
  private mutating func add(_ interface: WireText, to path: String, _ reader: inout WireReader) -> [Change] {
    switch interface {
    case "org.bluez.Device1":
      let former = devices[path]
      var record = DeviceState(path: path)
      record.batteryLevel = former?.batteryLevel
      reader.readProperties(of: path, interface, mismatches: &mismatches) { key, signature, reader in
        kept.includes(key) ? record.apply(key, signature, &reader) : .ignored
      }
      devices[path] = record
      let isOpened = record.isConnected && former?.isConnected != true
      return [.deviceAdded(path: path)] + (isOpened ? [.linkOpened(path: path)] : [])
    case "org.bluez.Adapter1":
      var record = AdapterState(path: path)
      record.managers = managers[path] ?? []
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      adapters[path] = record
      return [.adapter(path: path)]
    case "org.bluez.GattService1":
      var record = ServiceState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      services[path] = record
      return [.services(devicePath: record.devicePath)]
    case "org.bluez.GattCharacteristic1":
      var record = CharacteristicState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      characteristics[path] = record
      return [.attributes]
    case "org.bluez.GattDescriptor1":
      var record = DescriptorState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      descriptors[path] = record
      return [.attributes]
    case "org.bluez.Battery1":
      guard var record = devices[path] else { return [] }
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      devices[path] = record
      return [.device(path: path, [])]
    default:
      guard let manager = AdapterState.Managers(interface) else { return [] }
      managers[path, default: []].insert(manager)
      return managersChanged(at: path)
    }
  }

  /// Applies InterfacesRemoved, `oas`.
  package mutating func interfacesRemoved(_ reader: inout WireReader) -> [Change] {
    let path = reader.text().string
    var changes: [Change] = []
    reader.forEachElement(startingWith: TypeCode.string) { reader in
      switch reader.text() {
      case "org.bluez.Adapter1":
        if adapters.removeValue(forKey: path) != nil { changes.append(.adapterRemoved(path: path)) }
      case "org.bluez.Device1":
        if let device = devices.removeValue(forKey: path) { changes.append(.deviceRemoved(device)) }
      case "org.bluez.Battery1": devices[path]?.batteryLevel = nil
      case "org.bluez.GattService1":
        if let service = services.removeValue(forKey: path) {
          changes += [.attributeRemoved(path: path), .services(devicePath: service.devicePath)]
        }
      case "org.bluez.GattCharacteristic1":
        if characteristics.removeValue(forKey: path) != nil { changes.append(.attributeRemoved(path: path)) }
      case "org.bluez.GattDescriptor1":
        if descriptors.removeValue(forKey: path) != nil { changes.append(.attributeRemoved(path: path)) }
      case let interface:
        guard let manager = AdapterState.Managers(interface) else { return }
        managers[path]?.remove(manager)
        changes += managersChanged(at: path)
      }
    }
    return changes
  }

  private mutating func managersChanged(at path: String) -> [Change] {
    guard adapters[path] != nil else { return [] }
    adapters[path]?.managers = managers[path] ?? []
    return [.adapter(path: path)]
  }

  /// Returns whether the model keeps none of a device's changed properties: then nothing is decoded.
  private func isUnused(_ changes: WireReader) -> Bool {
    guard !kept.advertisements else { return false }
    var (reader, isUnused) = (changes, true)
    reader.forEachProperty { key, _, _ in if kept.includes(key) { isUnused = false } }
    return isUnused
  }

  /// Applies PropertiesChanged, `sa{sv}as`; ignores unknown objects.
  package mutating func propertiesChanged(_ path: String, _ reader: inout WireReader) -> [Change] {
    let interface = reader.text()
    switch interface {
    case "org.bluez.GattCharacteristic1": return characteristicChanged(path, interface, &reader)
    case "org.bluez.Device1", "org.bluez.Battery1":
      if isUnused(reader) { return [] }
      return deviceChanged(path, interface, &reader)
    case "org.bluez.Adapter1":
      guard adapters[path] != nil else { return [] }
      reader.readProperties(of: path, interface, mismatches: &mismatches) {
        adapters[path]?.apply($0, $1, &$2) ?? .ignored
      }
      return [.adapter(path: path)]
    default: return []
    }
  }

  private mutating func deviceChanged(
    _ path: String, _ interface: WireText, _ reader: inout WireReader
  ) -> [Change] {
    var advertised: AdvertisementChange = []
    var mismatches: [PropertyTypeMismatch] = []
    let kept = kept
    let links = devices.change(path) { record in
      let wasConnected = record.isConnected
      var namesServices = false
      reader.readProperties(of: path, interface, mismatches: &mismatches) { key, signature, reader in
        guard kept.includes(key) else { return .ignored }
        let outcome = record.apply(key, signature, &reader)
        if outcome == .applied {
          advertised.formUnion(AdvertisementChange(key))
          if key == "ServicesResolved" { namesServices = true }
        }
        return outcome
      }
      reader.forEachElement(startingWith: TypeCode.string) { record.invalidate($0.text()) }
      // Services are found over a link, also over one that was not signalled.
      if namesServices, record.isResolved { record.isConnected = true }
      return (before: wasConnected, now: record.isConnected)
    }
    guard let links else { return [] }
    if !mismatches.isEmpty { self.mismatches += mismatches }
    // BlueZ does not signal that it is over.
    if links.before, !links.now { setMTU(nil, ofDevice: path) }
    let change = Change.device(path: path, advertised)
    if links.now == links.before { return [change] }
    return [change, links.now ? .linkOpened(path: path) : .linkLost(path: path)]
  }

  private mutating func characteristicChanged(
    _ path: String, _ interface: WireText, _ reader: inout WireReader
  ) -> [Change] {
    guard characteristics[path] != nil else { return [] }
    var value: [UInt8]?
    reader.readProperties(of: path, interface, mismatches: &mismatches) { key, signature, reader in
      if key == "Value" { return reader.bytes(signature, into: &value) }
      return characteristics[path]?.apply(key, signature, &reader) ?? .ignored
    }
    reader.forEachElement(startingWith: TypeCode.string) { characteristics[path]?.invalidate($0.text()) }
    return [value.map { .value(path: path, $0) } ?? .attributes]
  }
}

/// The properties of a device that the model keeps.
private struct KeptProperties: Sendable {
  let advertisements: Bool

  func includes(_ key: WireText) -> Bool {
    advertisements || key == "Name" || AdvertisementChange(key).isEmpty
  }
}

/// A property that was skipped because of an undocumented type.
package struct PropertyTypeMismatch: Hashable, Sendable {
  package var path: String
  package var interface: String
  package var property: String
  package var signature: String
}
