// SPDX-License-Identifier: MIT
package import BLEFormats
internal import DBus

/// The properties of an `org.bluez.Device1` and of its `org.bluez.Battery1`.
package struct DeviceState: Sendable {
  package let path: String
  package var adapterPath = "" { didSet { adapterName = BlueZ.adapterName(ofPath: adapterPath) } }
  /// `hci0`.
  package private(set) var adapterName = ""
  package var address: BluetoothAddress?
  /// Nil for a kind that the library does not know.
  package var addressType: AddressType?
  package var name: String? { didSet { rename() } }
  /// Names that it had before, the latest first: that of its advertisements, or the one that a connected central reads.
  package private(set) var formerNames: [String] = []
  package var alias: String? { didSet { rename() } }
  /// The alias that a user set, or else the name; BlueZ's placeholder, the address with dashes, does not count.
  package private(set) var displayName: String?
  package var icon: String?
  package var appearance: UInt16?
  package var deviceClass: UInt32?
  package var modalias: String?
  package var uuids: [BluetoothUUID] = []
  package var isPaired = false
  package var isBonded = false
  package var isTrusted = false
  package var isBlocked = false
  package var isConnected = false
  package var isResolved = false
  package var rssi: Int16?
  package var txPower: Int16?
  package var manufacturerData: [UInt16: [UInt8]] = [:]
  package var serviceData: [BluetoothUUID: [UInt8]] = [:]
  package var advertisingFlags: [UInt8]?
  /// The AD structures that BlueZ does not interpret, by type.
  package var otherData: [UInt8: [UInt8]] = [:]
  package var batteryLevel: UInt8?
  /// The reason for the end of the last link, if BlueZ reported it; nil while there is a link.
  package var linkEnd: LinkEndReason?

  package init(path: String) { self.path = path }

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
    case "AddressType":
      guard signature == "s" else { return .wrongType }
      addressType = AddressType(rawValue: reader.text().string)
      return .applied
    case "Name":
      let former = name
      let outcome = reader.string(signature, into: &name)
      if let former, former != name { keep(former) }
      return outcome
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
    case "Connected":
      let outcome = reader.boolean(signature, into: &isConnected)
      if isConnected { linkEnd = nil }
      return outcome
    case "ServicesResolved": return reader.boolean(signature, into: &isResolved)
    case "AdvertisingFlags": return reader.bytes(signature, into: &advertisingFlags)
    case "AdvertisingData": return reader.advertisingData(signature, into: &otherData)
    case "Percentage": return reader.byte(signature, into: &batteryLevel)
    default: return .ignored
    }
  }

  private mutating func keep(_ former: String) {
    // BlueZ changes it with each connection, and back with the next advertisement.
    formerNames.removeAll { $0 == former }
    formerNames.insert(former, at: 0)
    if formerNames.count > 3 { formerNames.removeLast() }
  }

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
    case "AdvertisingData": otherData = [:]
    case "Percentage": batteryLevel = nil
    default: break
    }
  }

  private mutating func rename() {
    displayName = name
    // Without an alias of a user, BlueZ reports the name, or the placeholder.
    if let alias, alias != name, BluetoothAddress(alias) == nil { displayName = alias }
  }
}

/// The properties of a device that an advertisement changes.
package struct AdvertisementChange: OptionSet, Sendable {
  package let rawValue: UInt8
  package static let rssi = Self(rawValue: 1)
  package static let txPower = Self(rawValue: 2)
  package static let manufacturerData = Self(rawValue: 4)
  package static let serviceData = Self(rawValue: 8)
  package static let name = Self(rawValue: 16)
  package static let uuids = Self(rawValue: 32)
  package static let flags = Self(rawValue: 64)
  /// All that a device which BlueZ did not know has sent.
  package static let everything = Self(rawValue: 127)

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The change that a property indicates; empty for properties that no advertisement changes.
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
