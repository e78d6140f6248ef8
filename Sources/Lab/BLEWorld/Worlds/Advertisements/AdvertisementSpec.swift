// SPDX-License-Identifier: MIT
package import BLEFormats

/// The contents and the timing of a peripheral's advertisements.
package struct AdvertisementSpec: Sendable, Equatable {
  package struct ManufacturerData: Sendable, Equatable {
    package var company: UInt16
    /// Empty if they change.
    package var bytes: [UInt8]
    package var changes: AdvertisedChanges?

    package init(company: UInt16, bytes: [UInt8]) { (self.company, self.bytes) = (company, bytes) }

    package init(company: UInt16, _ value: AdvertisedValue) {
      (self.company, bytes, changes) = (company, value.bytes, value.changes)
    }

    var value: AdvertisedValue { AdvertisedValue(bytes, changes) }
  }

  package struct ServiceData: Sendable, Equatable {
    package var service: BluetoothUUID
    /// Empty if they change.
    package var bytes: [UInt8]
    package var changes: AdvertisedChanges?

    package init(service: BluetoothUUID, bytes: [UInt8]) { (self.service, self.bytes) = (service, bytes) }

    package init(service: BluetoothUUID, _ value: AdvertisedValue) {
      (self.service, bytes, changes) = (service, value.bytes, value.changes)
    }

    var value: AdvertisedValue { AdvertisedValue(bytes, changes) }
  }

  /// A field that the scan response can carry.
  package enum ScanResponseField: Sendable, Equatable {
    case name
    case services
  }

  package var name: String?
  /// The fields that only the scan response carries; a passive scan never receives them.
  package var scanResponse: Set<ScanResponseField>
  /// The number of initial reports without the name, as when the kernel misses the scan response.
  package var missedNames: Int
  /// The flags of the advertisement (AD type 01), or nil for none; 06 is "discoverable, LE only".
  package var flags: UInt8?
  package var services: [BluetoothUUID]
  package var manufacturerData: [ManufacturerData]
  package var serviceData: [ServiceData]
  /// Further data, by its values.
  package var beacons: [BeaconSpec]
  package var txPower: Int16?
  package var appearance: UInt16?
  package var isConnectable: Bool
  package var interval: Duration
  /// The average signal strength in dBm.
  package var rssi: Int16
  /// The largest deviation from the average signal strength, in dB.
  package var rssiDrift: Int16

  package init(
    name: String? = nil, scanResponse: Set<ScanResponseField> = [], missedNames: Int = 0,
    flags: UInt8? = 0x06,
    services: [BluetoothUUID] = [], manufacturerData: [ManufacturerData] = [],
    serviceData: [ServiceData] = [], beacons: [BeaconSpec] = [],
    txPower: Int16? = nil, appearance: UInt16? = nil, isConnectable: Bool = true,
    interval: Duration = .milliseconds(200), rssi: Int16 = -60, rssiDrift: Int16 = 4
  ) {
    (self.name, self.scanResponse, self.missedNames, self.flags) = (name, scanResponse, missedNames, flags)
    (self.services, self.manufacturerData, self.serviceData) = (services, manufacturerData, serviceData)
    (self.beacons, self.txPower, self.appearance) = (beacons, txPower, appearance)
    (self.isConnectable, self.interval, self.rssi) = (isConnectable, interval, rssi)
    self.rssiDrift = rssiDrift
  }

  /// True if the flags mark the peripheral as limited or general discoverable.
  package var isDiscoverable: Bool { (flags ?? 0) & 0x03 != 0 }

  /// True if it advertises other data as time passes.
  package var isChanging: Bool {
    manufacturerData.contains { $0.changes != nil } || serviceData.contains { $0.changes != nil }
      || beacons.contains(where: \.isChanging)
  }
}
