// SPDX-License-Identifier: MIT
internal import BLEMeaning
internal import DBus

/// The discovery filter of one client.
struct ClientDiscoveryFilter: Equatable {
  static let keys = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

  var services: Set<BluetoothUUID> = []
  var rssi: Int16?
  var pathloss: UInt16?
  var duplicateData = false
  var pattern: String?

  /// Parses the argument of SetDiscoveryFilter.
  ///
  /// - Returns: the filter, or nil for an empty one.
  /// - Throws: ``BlueZError`` for keys, types and values that the daemon refuses.
  static func parse(_ value: DBusValue?) throws(BlueZError) -> ClientDiscoveryFilter? {
    guard case .dictionary(_, _, let entries) = value else { throw .invalidArguments }
    if entries.isEmpty { return nil }
    var filter = ClientDiscoveryFilter()
    for entry in entries { try filter.take(entry.key.text ?? "", entry.value.unwrapped) }
    guard filter.rssi == nil || filter.pathloss == nil else { throw .invalidArguments }
    return filter
  }

  private mutating func take(_ key: String, _ value: DBusValue) throws(BlueZError) {
    switch (key, value) {
    case ("UUIDs", .array("s", let elements)):
      for element in elements {
        guard let uuid = BluetoothUUID(bluez: element.text ?? "") else { throw .invalidArguments }
        services.insert(uuid)
      }
    case ("RSSI", .int16(let floor)) where (-127...20).contains(floor): rssi = floor
    case ("Pathloss", .uint16(let limit)) where limit <= 137: pathloss = limit
    case ("Transport", .string("auto")), ("Transport", .string("le")), ("Transport", .string("bredr")): break
    case ("DuplicateData", .boolean(let wanted)): duplicateData = wanted
    case ("Discoverable", .boolean): break
    case ("Pattern", .string(let text)): pattern = text
    default: throw .invalidArguments
    }
  }

  /// Whether the filter accepts a report.
  ///
  /// As in the daemon, path loss is ignored, and signal strength is checked for all clients together.
  func accepts(_ report: AdvertisingReport) -> Bool {
    services.isEmpty || !services.isDisjoint(with: report.advertisement.services)
  }

  func matchesPattern(address: String, name: String?) -> Bool {
    guard let pattern else { return true }
    return address.hasPrefix(pattern) || (name?.hasPrefix(pattern) ?? false)
  }
}
