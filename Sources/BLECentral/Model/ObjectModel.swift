// SPDX-License-Identifier: MIT
package import DBus

/// The model of BlueZ's object tree: the answer of GetManagedObjects, updated by signals.
///
/// Pure: it takes message bodies and returns the changes. Objects are identified by their paths; the relations between
/// them come from their properties, never from the text of a path.
struct ObjectModel {
  /// What a message changed.
  enum Change {
    case adapter(path: String)
    case adapterRemoved(path: String)
    case deviceAdded(path: String)
    case device(path: String, AdvertisementChange)
    /// `Connected` went from true to false.
    case linkLost(path: String)
    case deviceRemoved(DeviceState)
    case attributes
    /// A device has got a service, or has lost one.
    case services(devicePath: String)
    /// An attribute that is gone.
    case attributeRemoved(path: String)
    /// The value of a characteristic was signalled.
    case value(path: String, [UInt8])
  }

  private(set) var adapters: [String: AdapterState] = [:]
  var devices = DeviceStore()
  private(set) var services: [String: ServiceState] = [:]
  private(set) var characteristics: [String: CharacteristicState] = [:]
  private(set) var descriptors: [String: DescriptorState] = [:]
  private var mismatches: [PropertyTypeMismatch] = []

  /// The characteristics of a device, in no order.
  func characteristics(of devicePath: String) -> some Sequence<CharacteristicState> {
    characteristics.values.lazy.filter { services[$0.servicePath]?.devicePath == devicePath }
  }

  /// A model with one object that has every interface, so that any change finds it.
  static func knowingEverything(at path: String) -> ObjectModel {
    var model = ObjectModel()
    model.adapters[path] = AdapterState(path: path)
    model.devices[path] = DeviceState(path: path)
    model.characteristics[path] = CharacteristicState(path: path)
    return model
  }

  /// Takes the mismatches since the last time.
  mutating func takeMismatches() -> [PropertyTypeMismatch] {
    defer { mismatches.removeAll() }
    return mismatches + devices.takeMismatches()
  }

  // MARK: Messages

  /// Replaces everything by the answer of GetManagedObjects, `a{oa{sa{sv}}}`.
  mutating func replace(with answer: MessageBody) {
    self = ObjectModel()
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
          default: _ = add(interface, to: path, &reader)
          }
        }
        if isDevice { devices.note(path, at: start) }
      }
    }
  }

  /// Applies InterfacesAdded, `oa{sa{sv}}`.
  mutating func interfacesAdded(_ reader: inout WireReader) -> [Change] {
    let path = reader.text().string
    return addInterfaces(path, &reader)
  }

  private mutating func addInterfaces(_ path: String, _ reader: inout WireReader) -> [Change] {
    var changes: [Change] = []
    reader.forEachInterface { interface, reader in
      if let change = add(interface, to: path, &reader) { changes.append(change) }
    }
    return changes
  }

  /// Adds an interface of an object, whose properties stand next.
  private mutating func add(_ interface: WireText, to path: String, _ reader: inout WireReader) -> Change? {
    switch interface {
    case "org.bluez.Device1":
      var record = DeviceState(path: path)
      record.batteryLevel = devices[path]?.batteryLevel
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      devices[path] = record
      return .deviceAdded(path: path)
    case "org.bluez.Adapter1":
      var record = AdapterState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      adapters[path] = record
      return .adapter(path: path)
    case "org.bluez.GattService1":
      var record = ServiceState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      services[path] = record
      return .services(devicePath: record.devicePath)
    case "org.bluez.GattCharacteristic1":
      var record = CharacteristicState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      characteristics[path] = record
      return .attributes
    case "org.bluez.GattDescriptor1":
      var record = DescriptorState(path: path)
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      descriptors[path] = record
      return .attributes
    case "org.bluez.Battery1":
      guard var record = devices[path] else { return nil }
      reader.readProperties(of: path, interface, mismatches: &mismatches) { record.apply($0, $1, &$2) }
      devices[path] = record
      return .device(path: path, [])
    default: return nil
    }
  }

  /// Applies InterfacesRemoved, `oas`.
  mutating func interfacesRemoved(_ reader: inout WireReader) -> [Change] {
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
      default: break
      }
    }
    return changes
  }

  /// Applies PropertiesChanged, `sa{sv}as`.
  ///
  /// Changes of objects that are not known are ignored.
  mutating func propertiesChanged(_ path: String, _ reader: inout WireReader) -> [Change] {
    let interface = reader.text()
    switch interface {
    case "org.bluez.GattCharacteristic1": return characteristicChanged(path, interface, &reader)
    case "org.bluez.Device1", "org.bluez.Battery1":
      guard let wasConnected = devices[path]?.isConnected else { return [] }
      var advertised: AdvertisementChange = []
      reader.readProperties(of: path, interface, mismatches: &mismatches) { key, signature, reader in
        let outcome = devices[path]?.apply(key, signature, &reader) ?? .ignored
        if outcome == .applied { advertised.formUnion(AdvertisementChange(key)) }
        return outcome
      }
      reader.forEachElement(startingWith: TypeCode.string) { devices[path]?.invalidate($0.text()) }
      let isLost = wasConnected && devices[path]?.isConnected == false
      return [.device(path: path, advertised)] + (isLost ? [.linkLost(path: path)] : [])
    case "org.bluez.Adapter1":
      guard adapters[path] != nil else { return [] }
      reader.readProperties(of: path, interface, mismatches: &mismatches) {
        adapters[path]?.apply($0, $1, &$2) ?? .ignored
      }
      return [.adapter(path: path)]
    default: return []
    }
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

/// The object model's doors for the fuzzers, which hand it bytes that no bus would deliver.
package enum ObjectModelProbe {
  /// What the answer of GetManagedObjects goes through.
  package static func replace(_ body: MessageBody) {
    var model = ObjectModel()
    model.replace(with: body)
    if let address = BluetoothAddress("C2:BE:7C:00:00:01") { _ = model.devices.paths(of: address) }
    model.devices.forEach { _ in }
    model.devices.load("/org/bluez/hci0/dev_00_00_00_00_00_00")
    _ = model.takeMismatches()
  }

  /// What InterfacesAdded goes through.
  package static func added(_ reader: inout WireReader) {
    var model = ObjectModel()
    _ = model.interfacesAdded(&reader)
  }

  /// What InterfacesRemoved goes through.
  package static func removed(_ reader: inout WireReader) {
    var model = ObjectModel()
    _ = model.interfacesRemoved(&reader)
  }

  /// What PropertiesChanged goes through, for an object that is known in each of its parts.
  package static func changed(_ reader: inout WireReader) {
    let path = "/org/bluez/hci0"
    var model = ObjectModel.knowingEverything(at: path)
    _ = model.propertiesChanged(path, &reader)
    _ = model.takeMismatches()
  }
}

/// A property that was skipped because its type is not the documented one.
struct PropertyTypeMismatch: Hashable {
  var path: String
  var interface: String
  var property: String
  var signature: String
}

extension WireReader {
  /// Passes each property of an `a{sv}` to `apply`, and collects those of the wrong type.
  mutating func readProperties(
    of path: String, _ interface: WireText, mismatches: inout [PropertyTypeMismatch],
    _ apply: (WireText, WireText, inout WireReader) -> PropertyOutcome
  ) {
    forEachProperty { key, signature, reader in
      guard apply(key, signature, &reader) == .wrongType else { return }
      mismatches.append(
        PropertyTypeMismatch(
          path: path, interface: interface.string, property: key.string, signature: signature.string))
    }
  }
}
