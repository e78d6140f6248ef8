// SPDX-License-Identifier: MIT
internal import DBus

/// What the advertisements of a device have said so far.
struct HeardData {
  var name: String?
  private(set) var services: [String] = []
  private(set) var appearance: UInt16?
  private(set) var rssi: Int16?
  private(set) var txPower: Int16?
  private var manufacturerData: [AdvertisementSpec.ManufacturerData] = []
  private var serviceData: [AdvertisementSpec.ServiceData] = []

  /// A smaller change of the signal strength is not told, unless a client has a filter.
  private static let strengthStep = 8

  /// Takes in a report, and names the properties that changed or are told again.
  mutating func take(_ report: AdvertisingReport, anyStrengthChange: Bool, replacesData: Bool) -> [String] {
    var changes: [String] = []
    let advertisement = report.advertisement
    if anyStrengthChange || rssi.map({ abs(Int($0) - Int(report.rssi)) >= HeardData.strengthStep }) ?? true {
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
    let newServices = advertisement.services.map(\.text).filter { !services.contains($0) }
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
    return changes
  }

  /// Keys that are not heard again stay, unless the clients want each report for itself.
  private func merge<Data>(
    _ new: [Data], into old: [Data], _ replaces: Bool, same: (Data, Data) -> Bool
  ) -> [Data] {
    if replaces { return new }
    return old.filter { known in !new.contains { same($0, known) } } + new
  }

  /// Forgets the strengths, and names those that were known.
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
    return .properties(serviceData.map { ($0.service.text, .bytes($0.bytes)) })
  }
}
