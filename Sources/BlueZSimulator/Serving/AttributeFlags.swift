// SPDX-License-Identifier: MIT

/// What the `Flags` of an application's attribute permit.
struct AttributeFlags {
  private(set) var properties: GATTProperties = []
  /// The bits of the descriptor 2900 that the daemon adds.
  private(set) var extendedBits: UInt8 = 0
  private(set) var canRead = false
  private(set) var canWrite = false
  private(set) var readSecurity = AttributeSecurity.none
  private(set) var writeSecurity = AttributeSecurity.none
  private(set) var subscribeSecurity = AttributeSecurity.none
  /// Whether the application is asked before a write of an untrusted device is prepared.
  private(set) var isAuthorized = false

  /// Whether it takes part in a prepared write of several parts.
  var isReliable: Bool { extendedBits & 1 != 0 }

  /// Nil for an unknown flag, and for none.
  init?(_ flags: [String], ofDescriptor isDescriptor: Bool) {
    guard !flags.isEmpty else { return nil }
    for flag in flags {
      guard add(flag, ofDescriptor: isDescriptor) else { return nil }
    }
  }

  private mutating func add(_ flag: String, ofDescriptor isDescriptor: Bool) -> Bool {
    if let property = GATTProperties.names.first(where: { $0.name == flag })?.property {
      guard !isDescriptor || property == .read || property == .write else { return false }
      properties.insert(property)
      canRead = canRead || property == .read
      canWrite = canWrite || [.write, .writeWithoutResponse, .signedWrite].contains(property)
      return true
    }
    switch flag {
    case "encrypt-read": addRead(.encrypted)
    case "encrypt-authenticated-read": addRead(.authenticated)
    case "secure-read": addRead(.secureConnections)
    case "encrypt-write": addWrite(.encrypted)
    case "encrypt-authenticated-write": addWrite(.authenticated)
    case "secure-write": addWrite(.secureConnections)
    case "authorize": isAuthorized = true
    default: return !isDescriptor && addOfCharacteristic(flag)
    }
    return true
  }

  private mutating func addOfCharacteristic(_ flag: String) -> Bool {
    switch flag {
    case "reliable-write":
      addExtended(1)
      canWrite = true
    case "writable-auxiliaries": addExtended(2)
    case "encrypt-notify": addSubscription(.notify, .encrypted)
    case "encrypt-indicate": addSubscription(.indicate, .encrypted)
    case "encrypt-authenticated-notify": addSubscription(.notify, .authenticated)
    case "secure-notify": addSubscription(.notify, .secureConnections)
    case "encrypt-authenticated-indicate": addSubscription(.indicate, .authenticated)
    case "secure-indicate": addSubscription(.indicate, .secureConnections)
    default: return false
    }
    return true
  }

  private mutating func addExtended(_ bit: UInt8) {
    properties.insert(.extended)
    extendedBits |= bit
  }

  private mutating func addRead(_ security: AttributeSecurity) {
    properties.insert(.read)
    canRead = true
    readSecurity = max(readSecurity, security)
  }

  private mutating func addWrite(_ security: AttributeSecurity) {
    properties.insert(.write)
    canWrite = true
    writeSecurity = max(writeSecurity, security)
  }

  private mutating func addSubscription(_ property: GATTProperties, _ security: AttributeSecurity) {
    properties.insert(property)
    subscribeSecurity = max(subscribeSecurity, security)
  }

  private func max(_ one: AttributeSecurity, _ other: AttributeSecurity) -> AttributeSecurity {
    let order = AttributeSecurity.allCases
    return (order.firstIndex(of: one) ?? 0) < (order.firstIndex(of: other) ?? 0) ? other : one
  }
}
