// SPDX-License-Identifier: MIT

/// What a peripheral advertises, and how.
package struct AdvertisementSpec: Sendable, Hashable {
  /// Data under a company identifier.
  package struct ManufacturerData: Sendable, Hashable {
    package var company: UInt16
    package var bytes: [UInt8]

    package init(company: UInt16, bytes: [UInt8]) {
      self.company = company
      self.bytes = bytes
    }
  }

  /// Data of a service.
  package struct ServiceData: Sendable, Hashable {
    package var service: AttributeUUID
    package var bytes: [UInt8]

    package init(service: AttributeUUID, bytes: [UInt8]) {
      self.service = service
      self.bytes = bytes
    }
  }

  /// What may stand in the scan response.
  package enum Field: Sendable, Hashable {
    case name
    case services
  }

  package var name: String?
  /// What stands in the scan response only: who scans passively never hears it.
  package var scanResponse: Set<Field>
  /// How many reports come without the name, because the scan response that carries it is missed.
  ///
  /// When it comes, the kernel merges it into the report: an advertisement and its scan response are one.
  package var missedNames: Int
  /// The flags of the advertisement (AD type 01), if it has them; 06 is "discoverable, LE only".
  package var flags: UInt8?
  package var services: [AttributeUUID]
  package var manufacturerData: [ManufacturerData]
  package var serviceData: [ServiceData]
  package var txPower: Int16?
  package var appearance: UInt16?
  package var isConnectable: Bool
  package var interval: Duration
  /// The signal strength in the middle.
  package var rssi: Int16
  /// How far the signal strength wanders from the middle.
  package var rssiDrift: Int16

  package init(
    name: String? = nil, scanResponse: Set<Field> = [], missedNames: Int = 0, flags: UInt8? = 0x06,
    services: [AttributeUUID] = [], manufacturerData: [ManufacturerData] = [],
    serviceData: [ServiceData] = [],
    txPower: Int16? = nil, appearance: UInt16? = nil, isConnectable: Bool = true,
    interval: Duration = .milliseconds(200), rssi: Int16 = -60, rssiDrift: Int16 = 4
  ) {
    self.name = name
    self.scanResponse = scanResponse
    self.missedNames = missedNames
    self.flags = flags
    self.services = services
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
    self.txPower = txPower
    self.appearance = appearance
    self.isConnectable = isConnectable
    self.interval = interval
    self.rssi = rssi
    self.rssiDrift = rssiDrift
  }

  /// Whether the flags say that the peripheral wants to be found (limited or general discoverable).
  var isDiscoverable: Bool { (flags ?? 0) & 0x03 != 0 }
}
