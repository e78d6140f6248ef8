// SPDX-License-Identifier: MIT
internal import DBus

/// The properties of an `org.bluez.Device1` and of its `org.bluez.Battery1`.
struct DeviceState {
  let path: String
  var adapterPath = ""
  var address: BluetoothAddress?
  var addressType: String?
  var name: String?
  var alias: String?
  var icon: String?
  var appearance: UInt16?
  var deviceClass: UInt32?
  var modalias: String?
  var uuids: [BluetoothUUID] = []
  var isPaired = false
  var isBonded = false
  var isTrusted = false
  var isBlocked = false
  var isConnected = false
  var isResolved = false
  var rssi: Int16?
  var txPower: Int16?
  var manufacturerData: [UInt16: [UInt8]] = [:]
  var serviceData: [BluetoothUUID: [UInt8]] = [:]
  var advertisingFlags: [UInt8]?
  var batteryLevel: UInt8?

  init(path: String) { self.path = path }

  mutating func apply(_ key: WireText, _ signature: WireText, _ reader: inout WireReader) -> PropertyOutcome {
    switch key {
    case "RSSI": return reader.int16(signature, into: &rssi)
    case "TxPower": return reader.int16(signature, into: &txPower)
    case "ManufacturerData": return reader.manufacturerData(signature, into: &manufacturerData)
    case "ServiceData": return reader.serviceData(signature, into: &serviceData)
    case "UUIDs": return reader.uuids(signature, into: &uuids)
    case "Address":
      guard signature == "s" else { return .wrongType }
      address = BluetoothAddress(utf8: reader.text().utf8)
      return .applied
    case "AddressType": return reader.string(signature, into: &addressType)
    case "Name": return reader.string(signature, into: &name)
    case "Alias": return reader.string(signature, into: &alias)
    case "Icon": return reader.string(signature, into: &icon)
    case "Appearance": return reader.uint16(signature, into: &appearance)
    case "Class": return reader.uint32(signature, into: &deviceClass)
    case "Modalias": return reader.string(signature, into: &modalias)
    case "Adapter": return reader.string(signature, into: &adapterPath)
    case "Paired": return reader.boolean(signature, into: &isPaired)
    case "Bonded": return reader.boolean(signature, into: &isBonded)
    case "Trusted": return reader.boolean(signature, into: &isTrusted)
    case "Blocked": return reader.boolean(signature, into: &isBlocked)
    case "Connected": return reader.boolean(signature, into: &isConnected)
    case "ServicesResolved": return reader.boolean(signature, into: &isResolved)
    case "AdvertisingFlags": return reader.bytes(signature, into: &advertisingFlags)
    case "Percentage": return reader.byte(signature, into: &batteryLevel)
    default: return .ignored
    }
  }

  /// Forgets a property that BlueZ has invalidated.
  mutating func invalidate(_ key: WireText) {
    switch key {
    case "RSSI": rssi = nil
    case "TxPower": txPower = nil
    case "ManufacturerData": manufacturerData = [:]
    case "ServiceData": serviceData = [:]
    case "Name": name = nil
    case "Icon": icon = nil
    case "Appearance": appearance = nil
    case "Class": deviceClass = nil
    case "Modalias": modalias = nil
    case "AdvertisingFlags": advertisingFlags = nil
    case "Percentage": batteryLevel = nil
    default: break
    }
  }

  /// The name, or the alias that a user has set; the address with dashes, BlueZ's placeholder for a missing name, does
  /// not count.
  var displayName: String? {
    if let name { return name }
    guard let alias, BluetoothAddress(alias) == nil else { return nil }
    return alias
  }
}

/// The properties of a device that an advertisement brings.
struct AdvertisementChange: OptionSet {
  let rawValue: UInt8
  static let rssi = Self(rawValue: 1)
  static let txPower = Self(rawValue: 2)
  static let manufacturerData = Self(rawValue: 4)
  static let serviceData = Self(rawValue: 8)
  static let name = Self(rawValue: 16)
  static let uuids = Self(rawValue: 32)
  static let flags = Self(rawValue: 64)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The change that the arrival of a property means; empty for those that no advertisement brings.
  init(_ key: WireText) {
    switch key {
    case "RSSI": self = .rssi
    case "TxPower": self = .txPower
    case "ManufacturerData": self = .manufacturerData
    case "ServiceData": self = .serviceData
    case "Name": self = .name
    case "UUIDs": self = .uuids
    case "AdvertisingFlags", "AdvertisingData": self = .flags
    default: self = []
    }
  }
}
