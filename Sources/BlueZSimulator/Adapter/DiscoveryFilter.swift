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
        let text = element.text ?? ""
        let digits = text.hasPrefix("0x") ? String(text.dropFirst(2)) : text
        guard let uuid = AttributeUUID(parsing: digits) else { throw .invalidArguments }
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
  ///
  /// A path loss is not looked at, and a signal strength only for all clients together: so it is in the daemon.
  func accepts(_ report: AdvertisingReport) -> Bool {
    services.isEmpty || report.advertisement.services.contains { services.contains($0.text) }
  }

  func matchesPattern(address: String, name: String?) -> Bool {
    guard let pattern else { return true }
    return address.hasPrefix(pattern) || (name?.hasPrefix(pattern) ?? false)
  }
}
