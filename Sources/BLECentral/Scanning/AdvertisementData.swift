// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The contents of a device's advertisements that BlueZ remembers.
///
/// BlueZ merges advertisements and scan responses and remembers earlier ones: new fields cannot be distinguished from
/// remembered ones, unless the scan reports duplicates. CoreBluetooth uses a dictionary.
public struct AdvertisementData: Sendable, Hashable {
  /// The name; nil when none was sent.
  public var localName: String?
  /// The services.
  ///
  /// Once the device has been connected, BlueZ puts the services found there in their place.
  public var serviceUUIDs: [BluetoothUUID]
  /// Manufacturer data by company identifier.
  public var manufacturerData: [UInt16: [UInt8]]
  /// Service data by service.
  public var serviceData: [BluetoothUUID: [UInt8]]
  /// The transmission power that the device states, in dBm.
  public var txPower: Int?
  /// The AD flags; nil before BlueZ 5.78.
  public var flags: [UInt8]?
  /// The appearance value.
  public var appearance: UInt16?

  init(_ record: DeviceState) {
    localName = record.displayName
    serviceUUIDs = record.uuids
    manufacturerData = record.manufacturerData
    serviceData = record.serviceData
    txPower = record.txPower.map { Int($0) }
    flags = record.advertisingFlags
    appearance = record.appearance
  }
}

extension AdvertisementData {
  /// The decoded manufacturer data and service data of known formats: beacons, sensors.
  ///
  /// Those of manufacturer data come first, by company identifier, then those of service data, by UUID. BlueZ remembers
  /// only the last data of each company and each service.
  public var formats: [any AdvertisedFormat] {
    data.compactMap { AdvertisedFormats.decode($0) }
  }

  /// Manufacturer data by company identifier, then service data by UUID.
  package var data: [AdvertisedData] {
    AdvertisedData.list(manufacturerData: manufacturerData, serviceData: serviceData)
  }
}
