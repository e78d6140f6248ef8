// SPDX-License-Identifier: MIT
internal import BLEFormats
internal import BLEWorld
internal import DBus

/// The merged contents of a device's advertisements.
struct AdvertisementCache {
  var name: String?
  var isConnectable = true
  private(set) var services: [BluetoothUUID] = []
  private(set) var appearance: UInt16?
  private(set) var rssi: Int16?
  private(set) var txPower: Int16?
  private(set) var flags: UInt8?
  private var manufacturerData: [AdvertisementSpec.ManufacturerData] = []
  private var serviceData: [AdvertisementSpec.ServiceData] = []

  /// Smaller changes of the signal strength are signalled only when every client has a filter.
  private static let strengthStep = 8

  /// Merges a report, and returns the properties to signal.
  ///
  /// `anyStrengthChange` signals also small changes of the signal strength; data that replace the known ones are signalled
  /// even when equal.
  mutating func take(
    _ report: AdvertisingReport, anyStrengthChange: Bool, replacesData: Bool, listsDataServices: Bool
  ) -> [String] {
    var changes: [String] = []
    let advertisement = report.advertisement
    isConnectable = advertisement.isConnectable
    if anyStrengthChange
      || rssi.map({ abs(Int($0) - Int(report.rssi)) >= AdvertisementCache.strengthStep }) ?? true
    {
      rssi = report.rssi
      changes.append("RSSI")
    }
    if let power = advertisement.txPower, power != txPower {
      txPower = power
      changes.append("TxPower")
    }
    if let value = advertisement.appearance, value != appearance {
      appearance = value
      changes += ["Appearance", "Icon"]
    }
    // A NUL ends the name in bluetoothd, and an empty one is none: the device has no Name, and its address as Alias.
    if let text = report.name?.prefix(while: { $0 != "\0" }), (text.isEmpty ? nil : String(text)) != name {
      name = text.isEmpty ? nil : String(text)
      changes += ["Name", "Alias"]
    }
    let dataServices = listsDataServices ? advertisement.serviceData.map(\.service) : []
    let knownCount = services.count
    for service in advertisement.services + dataServices where !services.contains(service) {
      services.append(service)
    }
    if services.count > knownCount { changes.append("UUIDs") }
    if manufacturerData.merge(advertisement.manufacturerData, replacesData, by: \.company) {
      changes.append("ManufacturerData")
    }
    if serviceData.merge(advertisement.serviceData, replacesData, by: \.service) {
      changes.append("ServiceData")
    }
    if flags != advertisement.flags ?? 0 {
      flags = advertisement.flags ?? 0
      changes.append("AdvertisingFlags")
    }
    return changes
  }

  /// Clears the signal strengths, and returns the properties to signal.
  mutating func forgetStrength() -> [String] {
    defer { (rssi, txPower) = (nil, nil) }
    return (txPower == nil ? [] : ["TxPower"]) + (rssi == nil ? [] : ["RSSI"])
  }

  var manufacturerDataValue: DBusValue? {
    guard !manufacturerData.isEmpty else { return nil }
    return .dictionary(
      key: "q", value: "v",
      manufacturerData.map { DBusValue.Entry(.uint16($0.company), .variant(.bytes($0.bytes))) })
  }

  var serviceDataValue: DBusValue? {
    guard !serviceData.isEmpty else { return nil }
    return .properties(serviceData.map { ($0.service.longForm, .bytes($0.bytes)) })
  }
}

extension Array where Element: Equatable {
  /// Adds the data of a report to the known ones with other keys, unless it replaces them all.
  ///
  /// - Returns: whether to signal them.
  fileprivate mutating func merge<Key: Equatable>(
    _ new: [Element], _ replaces: Bool, by key: (Element) -> Key
  ) -> Bool {
    guard !new.isEmpty else { return false }
    let merged = replaces ? new : filter { known in !new.contains { key($0) == key(known) } } + new
    defer { self = merged }
    return replaces || merged != self
  }
}

/// The icon names that the daemon derives from an appearance.
enum AppearanceIcon {
  static func name(of appearance: UInt16) -> String? {
    switch (appearance >> 6, appearance & 0x3F) {
    case (1, _): "phone"
    case (2, _): "computer"
    case (5, _): "video-display"
    case (10, _): "multimedia-player"
    case (11, _): "scanner"
    case (15, 1): "input-keyboard"
    case (15, 2): "input-mouse"
    case (15, 3), (15, 4): "input-gaming"
    case (15, 5): "input-tablet"
    case (15, 8): "scanner"
    default: nil
    }
  }
}
