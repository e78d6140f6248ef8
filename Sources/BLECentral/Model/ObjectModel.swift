// SPDX-License-Identifier: MIT
internal import DBus

/// The one model of BlueZ's object tree: GetManagedObjects first, the signals on top.
///
/// Pure: it is given message bodies and says what changed. Objects are known by their paths; who belongs to whom is
/// read from their properties, never from the text of a path.
struct ObjectModel {
  /// What a message changed.
  enum Change {
    case adapter(path: String)
    case adapterRemoved(path: String)
    case deviceAdded(path: String)
    case device(path: String, AdvertisementChange)
    /// `Connected` went from true to false.
    case linkLost(path: String)
    case deviceRemoved(DeviceRecord)
    case attributes
    /// An attribute that is gone.
    case attributeRemoved(path: String)
    /// The value of a characteristic was signalled.
    case value(path: String, [UInt8])
  }

  /// A property whose type is not the documented one; it was skipped.
  struct Complaint: Hashable {
    var path: String
    var interface: String
    var property: String
    var signature: String
  }

  private(set) var adapters: [String: AdapterRecord] = [:]
  private(set) var devices: [String: DeviceRecord] = [:]
  private(set) var services: [String: ServiceRecord] = [:]
  private(set) var characteristics: [String: CharacteristicRecord] = [:]
  private(set) var descriptors: [String: DescriptorRecord] = [:]
  private var complaints: [Complaint] = []

  /// A model with one object that has every interface, so that any change finds it.
  static func knowingEverything(at path: String) -> ObjectModel {
    var model = ObjectModel()
    model.adapters[path] = AdapterRecord(path: path)
    model.devices[path] = DeviceRecord(path: path)
    model.characteristics[path] = CharacteristicRecord(path: path)
    return model
  }

  /// Takes the complaints since the last time.
  mutating func takeComplaints() -> [Complaint] {
    defer { complaints.removeAll() }
    return complaints
  }

  // MARK: Messages

  /// Replaces everything by the answer of GetManagedObjects, `a{oa{sa{sv}}}`.
  mutating func replace(with reader: inout WireReader) {
    self = ObjectModel()
    reader.forEachElement(startingWith: TypeCode.entryBegin) { reader in
      let path = reader.text().string
      _ = addInterfaces(path, &reader)
    }
  }

  /// Applies InterfacesAdded, `oa{sa{sv}}`.
  mutating func interfacesAdded(_ reader: inout WireReader) -> [Change] {
    let path = reader.text().string
    return addInterfaces(path, &reader)
  }

  private mutating func addInterfaces(_ path: String, _ reader: inout WireReader) -> [Change] {
    var changes: [Change] = []
    reader.forEachElement(startingWith: TypeCode.entryBegin) { reader in
      let interface = reader.text()
      switch interface {
      case "org.bluez.Device1":
        var record = DeviceRecord(path: path)
        record.batteryLevel = devices[path]?.batteryLevel
        complaints += Self.read(&reader, path, interface) { record.apply($0, $1, &$2) }
        devices[path] = record
        changes.append(.deviceAdded(path: path))
      case "org.bluez.Adapter1":
        var record = AdapterRecord(path: path)
        complaints += Self.read(&reader, path, interface) { record.apply($0, $1, &$2) }
        adapters[path] = record
        changes.append(.adapter(path: path))
      case "org.bluez.GattService1":
        var record = ServiceRecord(path: path)
        complaints += Self.read(&reader, path, interface) { record.apply($0, $1, &$2) }
        services[path] = record
        changes.append(.attributes)
      case "org.bluez.GattCharacteristic1":
        var record = CharacteristicRecord(path: path)
        complaints += Self.read(&reader, path, interface) { record.apply($0, $1, &$2) }
        characteristics[path] = record
        changes.append(.attributes)
      case "org.bluez.GattDescriptor1":
        var record = DescriptorRecord(path: path)
        complaints += Self.read(&reader, path, interface) { record.apply($0, $1, &$2) }
        descriptors[path] = record
        changes.append(.attributes)
      case "org.bluez.Battery1":
        var record = devices[path] ?? DeviceRecord(path: path)
        complaints += Self.read(&reader, path, interface) { record.apply($0, $1, &$2) }
        guard devices[path] != nil else { return }
        devices[path] = record
        changes.append(.device(path: path, []))
      default:
        reader.forEachProperty { _, _, _ in }
      }
    }
    return changes
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
        if services.removeValue(forKey: path) != nil { changes.append(.attributeRemoved(path: path)) }
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
      guard let before = devices[path] else { return [] }
      var advertised: AdvertisementChange = []
      complaints += Self.read(&reader, path, interface) { key, signature, reader in
        let outcome = devices[path]?.apply(key, signature, &reader) ?? .ignored
        if outcome == .applied { advertised.formUnion(AdvertisementChange(key)) }
        return outcome
      }
      reader.forEachElement(startingWith: TypeCode.string) { devices[path]?.invalidate($0.text()) }
      let isLost = before.isConnected && devices[path]?.isConnected == false
      return [.device(path: path, advertised)] + (isLost ? [.linkLost(path: path)] : [])
    case "org.bluez.Adapter1":
      guard adapters[path] != nil else { return [] }
      complaints += Self.read(&reader, path, interface) { adapters[path]?.apply($0, $1, &$2) ?? .ignored }
      return [.adapter(path: path)]
    default: return []
    }
  }

  private mutating func characteristicChanged(
    _ path: String, _ interface: WireText, _ reader: inout WireReader
  ) -> [Change] {
    guard characteristics[path] != nil else { return [] }
    var value: [UInt8]?
    complaints += Self.read(&reader, path, interface) { key, signature, reader in
      if key == "Value" { return reader.bytes(signature, into: &value) }
      return characteristics[path]?.apply(key, signature, &reader) ?? .ignored
    }
    reader.forEachElement(startingWith: TypeCode.string) { characteristics[path]?.invalidate($0.text()) }
    return [value.map { .value(path: path, $0) } ?? .attributes]
  }

  /// Hands each property to `apply` and gathers those of the wrong type.
  private static func read(
    _ reader: inout WireReader, _ path: String, _ interface: WireText,
    _ apply: (WireText, WireText, inout WireReader) -> PropertyOutcome
  ) -> [Complaint] {
    var complaints: [Complaint] = []
    reader.forEachProperty { key, signature, reader in
      guard apply(key, signature, &reader) == .wrongType else { return }
      complaints.append(
        Complaint(
          path: path, interface: interface.string, property: key.string, signature: signature.string))
    }
    return complaints
  }
}
