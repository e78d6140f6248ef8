// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import BLEWorld
internal import DBus

/// The merged contents of a device's advertisements.
struct AdvertisementCache {
  var name: String?
  private(set) var services: [BluetoothUUID] = []
  private(set) var appearance: UInt16?
  private(set) var rssi: Int16?
  private(set) var txPower: Int16?
  private(set) var flags: UInt8?
  private var manufacturerData: [AdvertisementSpec.ManufacturerData] = []
  private var serviceData: [AdvertisementSpec.ServiceData] = []

  /// Smaller changes of the signal strength are signalled only when every client has a filter.
  private static let strengthStep = 8

  /// Merges a report.
  ///
  /// - Parameters:
  ///   - report: the report.
  ///   - anyStrengthChange: whether every change of the signal strength is signalled.
  ///   - replacesData: whether data replace the known ones.
  ///   - listsDataServices: whether the services of data count as advertised services.
  /// - Returns: the properties to signal.
  mutating func take(
    _ report: AdvertisingReport, anyStrengthChange: Bool, replacesData: Bool, listsDataServices: Bool
  ) -> [String] {
    var changes: [String] = []
    let advertisement = report.advertisement
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
    if let newName = report.name, newName != name {
      name = newName
      changes += ["Name", "Alias"]
    }
    let dataServices = listsDataServices ? advertisement.serviceData.map(\.service) : []
    var newServices: [BluetoothUUID] = []
    for service in advertisement.services + dataServices
    where !services.contains(service) && !newServices.contains(service) {
      newServices.append(service)
    }
    if !newServices.isEmpty {
      services += newServices
      changes.append("UUIDs")
    }
    if !advertisement.manufacturerData.isEmpty {
      let merged = merge(advertisement.manufacturerData, into: manufacturerData, replacesData) {
        $0.company == $1.company
      }
      if replacesData || merged != manufacturerData { changes.append("ManufacturerData") }
      manufacturerData = merged
    }
    if !advertisement.serviceData.isEmpty {
      let merged = merge(advertisement.serviceData, into: serviceData, replacesData) {
        $0.service == $1.service
      }
      if replacesData || merged != serviceData { changes.append("ServiceData") }
      serviceData = merged
    }
    if flags != advertisement.flags ?? 0 {
      flags = advertisement.flags ?? 0
      changes.append("AdvertisingFlags")
    }
    return changes
  }

  /// Keeps keys that the report lacks, unless a client wants duplicates.
  private func merge<Data>(
    _ new: [Data], into old: [Data], _ replaces: Bool, same: (Data, Data) -> Bool
  ) -> [Data] {
    if replaces { return new }
    return old.filter { known in !new.contains { same($0, known) } } + new
  }

  /// Clears the signal strengths; returns those that were known.
  mutating func forgetStrength() -> [String] {
    var changes: [String] = []
    if txPower != nil { changes.append("TxPower") }
    if rssi != nil { changes.append("RSSI") }
    rssi = nil
    txPower = nil
    return changes
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
