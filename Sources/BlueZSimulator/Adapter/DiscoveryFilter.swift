// SPDX-License-Identifier: MIT
internal import DBus

/// What one client wants to hear of.
struct DiscoveryFilter: Equatable {
  static let keys = ["UUIDs", "RSSI", "Pathloss", "Transport", "DuplicateData", "Discoverable", "Pattern"]

  var services: Set<String> = []
  var rssi: Int16?
  var pathloss: UInt16?
  var duplicateData = false
  var pattern: String?

  /// Reads the argument of SetDiscoveryFilter.
  ///
  /// - Returns: nil inside when there is no entry: the client has no filter then.
  /// - Throws: ``BlueZError`` for keys, types and values that the daemon refuses.
  static func parse(_ value: DBusValue?) throws(BlueZError) -> DiscoveryFilter? {
    guard case .dictionary(_, _, let entries) = value else { throw .invalidArguments }
    if entries.isEmpty { return nil }
    var filter = DiscoveryFilter()
    for entry in entries { try filter.take(entry.key.text ?? "", entry.value.unwrapped) }
    guard filter.rssi == nil || filter.pathloss == nil else { throw .invalidArguments }
    return filter
  }

  private mutating func take(_ key: String, _ value: DBusValue) throws(BlueZError) {
    switch (key, value) {
    case ("UUIDs", .array("s", let elements)):
      for element in elements {
        guard let uuid = AttributeUUID(parsing: element.text ?? "") else { throw .invalidArguments }
        services.insert(uuid.text)
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

  /// Whether this client would hear of the report.
  func accepts(_ report: AdvertisingReport) -> Bool {
    let advertised = report.advertisement.services.map(\.text)
    guard services.isEmpty || advertised.contains(where: { services.contains($0) }) else { return false }
    if let rssi { return report.rssi >= rssi }
    if let pathloss {
      guard let txPower = report.advertisement.txPower else { return false }
      return Int(txPower) - Int(report.rssi) <= Int(pathloss)
    }
    return true
  }

  func matchesPattern(address: String, name: String?) -> Bool {
    guard let pattern else { return true }
    return address.hasPrefix(pattern) || (name?.hasPrefix(pattern) ?? false)
  }
}
