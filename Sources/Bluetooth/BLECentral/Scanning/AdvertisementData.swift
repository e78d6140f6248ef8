// SPDX-License-Identifier: MIT
internal import BlueZClient

/// The contents of a device's advertisements, as BlueZ stores them.
///
/// BlueZ merges advertisements and scan responses, and keeps earlier fields: new fields cannot be told from
/// old ones, unless the scan reports duplicates. CoreBluetooth uses a dictionary instead.
public struct AdvertisementData: Sendable, Hashable {
  /// The name; nil if the device sent none.
  public var localName: String?
  /// The UUIDs of the services.
  ///
  /// After a connection to the device, BlueZ replaces them with the services found there.
  public var serviceUUIDs: [BluetoothUUID]
  /// The manufacturer data by company identifier.
  public var manufacturerData: [UInt16: [UInt8]]
  /// The service data by service UUID.
  public var serviceData: [BluetoothUUID: [UInt8]]
  /// The transmission power that the device reports, in dBm.
  public var txPower: Int?
  /// The AD flags; nil before BlueZ 5.78.
  public var flags: [UInt8]?
  /// The appearance value.
  public var appearance: UInt16?
  /// The other AD structures, which BlueZ does not interpret, by AD type; empty before BlueZ 5.78.
  public var otherData: [UInt8: [UInt8]] = [:]
}

extension AdvertisementData {
  /// The decoded manufacturer data and service data of known formats, such as beacons and sensors.
  ///
  /// Manufacturer data comes first, by company identifier, then service data, by UUID. BlueZ keeps only the
  /// last data of each company and each service.
  public var formats: [any AdvertisedFormat] { context.formats }

  /// The name, the services, and the manufacturer data by company identifier, then the service data by UUID.
  package var context: AdvertisedContext {
    AdvertisedContext(
      localName: localName, services: serviceUUIDs,
      data: AdvertisedData.list(manufacturerData: manufacturerData, serviceData: serviceData))
  }
}

extension AdvertisementData {
  init(_ record: borrowing DeviceState) {
    self.init(
      localName: record.name, serviceUUIDs: record.uuids, manufacturerData: record.manufacturerData,
      serviceData: record.serviceData, txPower: record.txPower.map { Int($0) },
      flags: record.advertisingFlags, appearance: record.appearance, otherData: record.otherData)
  }
}
